import { describe, expect, it } from 'vitest';
import { block, LIST, SmallLake, transaction } from '../../../../test/fixtures/load-lake.ts';
import { quietConsole } from '../../../../test/fixtures/quiet-console.ts';
import type { ServeArguments } from '../../../src/verb/serve.ts';
import { serveVerb } from '../../../src/verb/serve.ts';

const GIVEN: ServeArguments = {
  head: '10',
  host: '127.0.0.1',
  port: '0',
  auth: false,
  recordCap: '10000',
  partial: false,
  keyOnly: false,
  admin: false,
};

/** What is noted until the service has told its address; then it is interrupted. */
async function notesWhileServing(data: string): Promise<string[]> {
  const notes: string[] = [];
  let tell: () => void = () => undefined;
  const serving = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const ended = serveVerb(
    { ...GIVEN, data },
    { ...quietConsole, out: tell, note: (text) => notes.push(text) },
  );
  await Promise.race([serving, ended]);
  // What the verb does next, it does before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  const interrupt = process.listeners('SIGINT').at(-1);
  interrupt?.('SIGINT');
  expect(await ended).toEqual({ exitCode: 0 });
  return notes;
}

describe('the sources of serve', () => {
  it.each([
    {},
    { chain: 'x', data: 'y' },
    { records: 'x', data: 'y' },
    { chain: 'x', records: 'y' },
    { chain: 'x', records: 'y', data: 'z' },
  ])('are refused unless exactly one is named: %j', async (sources) => {
    const refusal = serveVerb({ ...GIVEN, ...sources }, quietConsole);
    await expect(refusal).rejects.toMatchObject({ kind: 'usage', exitCode: 2 });
  });

  it('have a lake among them, which must be there', async () => {
    const refusal = serveVerb({ ...GIVEN, data: '/nowhere/at/all' }, quietConsole);
    await expect(refusal).rejects.toMatchObject({
      kind: 'configuration',
      where: '/nowhere/at/all',
    });
  });

  it.each([
    ['a lake', { data: '/nowhere/at/all' }],
    ['records', { records: '/nowhere/at/all' }],
  ])(
    'are looked for before the keys, so that a wrong path is reported first: %s',
    async (_, at) => {
      const refusal = serveVerb({ ...GIVEN, auth: true, ...at }, quietConsole);
      await expect(refusal).rejects.toMatchObject({ where: '/nowhere/at/all' });
    },
  );

  it('are served with a warning where a lake has no blocks, and without one where it has', async () => {
    const small = await SmallLake.open();
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    await small.curate();
    expect(await notesWhileServing(small.root)).toEqual([
      expect.stringMatching(/no blocks of the primary chain.* Add blocks \(from mainchain/),
    ]);
    await small.land(LIST.blockDetails, { keys: [''], records: [block()] });
    await small.curate();
    expect(await notesWhileServing(small.root)).toEqual([]);
    await small.close();
  });
});
