import fc from 'fast-check';
import { expect, test } from 'vitest';
import { casesOf } from '../fixtures/thorough.ts';
import { type Action, actions, type ChainRecord, play } from '../model/history.ts';
import { MemoryStore } from '../model/memory-store.ts';

/**
 * Goal: forgetting a key leaves the table for which it was never requested. The same histories with
 * a table on disk are in table.test.ts and verify.test.ts.
 */

const FORGOTTEN = '0xa';

/** Without changes of the chain and cut walks, rows depend only on the requested ranges. */
function calm(history: readonly Action[]): Action[] {
  return history.flatMap((action): Action[] => {
    if (action.do === 'reorganise' || action.do === 'forget') return [];
    return [action.do === 'read' ? { ...action, truncated: false } : action];
  });
}

/** The history of a table for which the key is never requested. */
function without(history: readonly Action[], key: string): Action[] {
  return history.flatMap((action): Action[] => {
    if (action.do !== 'read') return [action];
    const keys = action.keys.filter((other) => other !== key);
    return keys.length === 0 ? [] : [{ ...action, keys }];
  });
}

const spelled = (rows: readonly ChainRecord[]): string[] =>
  rows.map(({ height, touches, content }) => `${height} ${touches.join('>')} ${content}`).sort();

test('forgetting a key is never having requested it', async () => {
  const seed = Number(process.env['SEED'] ?? 6_203);
  let removed = 0;
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(actions, fc.nat(40), async (history, at) => {
      const all = calm(history);
      const [early, late] = [all.slice(0, at), all.slice(at)];
      const store = new MemoryStore();
      // A walk of the key that is read before it is forgotten must not land after it.
      const commits: Action[] = [0, 1].map((writer) => ({ do: 'commit', writer }));
      const forget: Action = { do: 'forget', key: FORGOTTEN };
      const before = [...early, ...commits];
      const played = [...before, forget, ...without(late, FORGOTTEN)];
      await play(played, store, () => Promise.resolve());
      const expected = new MemoryStore();
      await play(without([...before, ...late], FORGOTTEN), expected, () => Promise.resolve());
      expect(spelled(await store.rows())).toEqual(spelled(await expected.rows()));
      const coverage = (await store.state()).coverage.entries();
      expect(coverage).toEqual((await expected.state()).coverage.entries());
      const whole = new MemoryStore();
      await play([...before, ...late], whole, () => Promise.resolve());
      removed += (await whole.rows()).length - (await store.rows()).length;
      kept += (await store.rows()).filter(({ touches }) => touches.includes(FORGOTTEN)).length;
    }),
    { seed, numRuns: casesOf(1_500) },
  );
  process.stdout.write(`forget: seed ${seed}, ${removed} rows removed, ${kept} kept\n`);
  expect(Math.min(removed, kept)).toBeGreaterThan(500);
});
