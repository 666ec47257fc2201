import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listNamed } from '../../fixtures/lists.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { casesOf } from '../../fixtures/thorough.ts';
import { contentNumber, DiskStore } from '../../model/disk-store.ts';
import { actions, type ChainRecord, falseCompletes, play } from '../../model/history.ts';
import { MemoryStore } from '../../model/memory-store.ts';

const stored = (records: readonly ChainRecord[]): ChainRecord[] =>
  records.map((record) => ({ ...record, content: contentNumber(record.content) }));
const spelled = (records: readonly ChainRecord[]): string[] =>
  records.map(({ height, touches, content }) => `${height} ${touches.join('>')} ${content}`).sort();

/** Histories of a table: what they do in one step lands in one commit. */
const GROUPS = [1, 25, 25];

/**
 * Goal: the table on disk goes through the same states as the model, row for row and entry for
 * entry, for the same history.
 */
test('the table on disk does what the model does', async () => {
  const seed = Number(process.env['SEED'] ?? 7_312);
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(actions, fc.constantFrom(...GROUPS), fc.nat(), async (history, groups, at) => {
      histories += groups;
      const several = { groups, seed: at };
      const disk = await DiskStore.open(quietEffects());
      const memory = new MemoryStore();
      try {
        await play(history, memory, () => Promise.resolve(), several);
        await play(history, disk, () => Promise.resolve(), several);
        expect(spelled(await disk.rows())).toEqual(spelled(stored(await memory.rows())));
        const state = await disk.state();
        expect(state.coverage.entries()).toEqual((await memory.state()).coverage.entries());
      } finally {
        await disk.close();
      }
    }),
    { seed, numRuns: Math.ceil(casesOf(260) / 17) },
  );
  process.stdout.write(`table: seed ${seed}, ${histories} histories\n`);
});

test('two tables over one folder lose no row when they commit at once', async () => {
  const one = await DiskStore.open(quietEffects());
  const other = await DiskStore.open(quietEffects(), undefined, one.folder);
  const chain: ChainRecord[] = [];
  for (let height = 0; height < 40; height += 1) {
    chain.push({ height, touches: ['0xa', '0xb'], content: `${height}` });
    chain.push({ height, touches: ['0xb'], content: `${height}` });
  }
  const walk = (keys: string[], from: number) => ({
    claim: {
      list: listNamed('mainchain/address/internal-transaction-list-multi'),
      keys,
      interval: { from, to: from + 3 },
      status: 'complete' as const,
      reason: '',
      head: 99,
      readAtMs: 0,
      generation: 0,
    },
    records: chain.filter(
      (record) =>
        record.height >= from &&
        record.height <= from + 3 &&
        record.touches.some((key) => keys.includes(key)),
    ),
  });
  const chained = async (store: DiskStore, keys: string[]): Promise<void> => {
    for (let from = 0; from < 40; from += 4) await store.commit([walk(keys, from)]);
  };
  await Promise.all([chained(one, ['0xa']), chained(other, ['0xb'])]);
  const rows = await one.rows();
  expect(spelled(rows)).toEqual(spelled(stored(chain)));
  const { coverage } = await other.state();
  expect(falseCompletes(stored(chain), rows, coverage)).toEqual([]);
  await other.close();
  await one.close();
});
