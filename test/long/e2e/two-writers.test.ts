import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { windrowProcess } from '../../e2e/command-line.ts';
import { digestsOf, PIPELINE, serve, temporaryRoot } from '../../e2e/harness.ts';

const chain = simulatedChain({ seed: 'writers', head: 1_000 });
const pipeline = PIPELINE.replace(
  /list: \[.*\]/,
  `list: ${JSON.stringify(chain.addresses(6))}`,
).replace('slices: 500', 'slices: 2');

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function prepared() {
  const { root, remove } = await temporaryRoot();
  const file = join(root, 'pipeline.yaml');
  await writeFile(file, pipeline.replace('{ to: head }', '{ to: head }\nwindowBlocks: 250'));
  cleanups.push(remove);
  return { root: join(root, 'data'), file };
}

test('a second run on one data root is refused by the lock, with exit code 5', async () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const source = chainSource(chain);
  const waiting = {
    ...source,
    head: (axis: 'primary' | 'zone') => source.head(axis),
    find: async (query: Parameters<typeof source.find>[0]) => {
      await opened;
      return source.find(query);
    },
  };
  const served = await serve(waiting);
  cleanups.push(served.close);
  const { root, file } = await prepared();
  const args = ['run', file, '--data', root, '--source-url', served.url];
  const first = windrowProcess(args);
  while (served.targets.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const second = await windrowProcess(args);
  expect(second.code).toBe(5);
  expect(second.stderr).toMatch(/Another run holds this data root: process \d+ on .* Wait for it/);
  open();
  expect((await first).code).toBe(0);
});

test('two writers without the lock both end, and the lake is exact', async () => {
  const served = await serve(chainSource(chain));
  cleanups.push(served.close);
  const alone = await prepared();
  const args = (at: { root: string; file: string }) => {
    return [
      'run',
      at.file,
      '--data',
      at.root,
      '--source-url',
      served.url,
      '--no-lock',
      '--verbose',
    ];
  };
  expect((await windrowProcess(args(alone))).code).toBe(0);
  const shared = await prepared();
  const both = await Promise.all([windrowProcess(args(shared)), windrowProcess(args(shared))]);
  expect(both.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  const races = both.map(({ stderr }) => stderr.split('taken by another writer').length - 1);
  process.stdout.write(`versions lost to the other writer and merged again: ${races.join(', ')}\n`);
  expect(await digestsOf(shared.root)).toEqual(await digestsOf(alone.root));
});
