import { spawn } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { IS_THOROUGH } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { Chance } from '../model/chance.ts';
import { flipBit } from '../model/corrupter.ts';
import { MAIN } from './command-line.ts';
import { activeFiles, digestsOf, PIPELINE } from './harness.ts';
import { type ExportedLake, exportedLake } from './repairing.ts';

/** Goal: a reader that has seen enough (`| head -1`) changes neither the work nor the exit code. */

const chain = simulatedChain({ seed: 'pipes', head: 60 });
const addresses = chain.addresses(2);
let lake: ExportedLake;

beforeAll(async () => {
  lake = await exportedLake(chainSource(chain), addresses, PIPELINE);
});

/** The exit code of windrow where the readers of these streams are gone from the beginning. */
function unread(args: readonly string[], closed: readonly ('stdout' | 'stderr')[]) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of ['stdout', 'stderr'] as const) {
      if (closed.includes(stream)) child[stream].destroy();
      else child[stream].resume();
    }
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

const ONE_CLOSED = [[['stdout']], [['stderr']]] as const;

test.each([[['stdout', 'stderr']] as const, ...(IS_THOROUGH ? ONE_CLOSED : [])])(
  'a run lands everything while %s is closed',
  async (closed) => {
    const root = await freshFolder();
    const at = ['--data', root, '--source-url', lake.served.url];
    expect(await unread(['run', lake.pipeline, ...at, '--verbose'], closed)).toBe(0);
    expect(await digestsOf(root)).toEqual(await digestsOf(lake.original));
  },
);

test('a closed pipe does not hide that the lake is damaged', async () => {
  const root = await lake.copy();
  const [file = ''] = await activeFiles(root, 'transactions');
  await flipBit(file, new Chance(2));
  for (const verb of [['verify'], ['check', '--deep']]) {
    expect(await unread([...verb, '--data', root], ['stdout'])).toBe(1);
  }
});

test('a query whose reader stops early is no failure', async () => {
  const sql = 'SELECT range AS n FROM range(20000)';
  const args = ['query', sql, '--max-rows', '20000', '--data', lake.original];
  expect(await unread(args, ['stdout'])).toBe(0);
});
