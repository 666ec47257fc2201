import { rm } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import type { CoverageEntry } from '../../../src/coverage/coverage.ts';
import { openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { systemEffects } from '../../../src/system.ts';
import { activeFiles, digestsOf, exportLake, PIPELINE } from '../../e2e/harness.ts';
import { type ExportedLake, exportedLake, repairLake } from '../../e2e/repairing.ts';
import { CHAINS } from '../../fixtures/chains.ts';

/**
 * Goal: a lake of runs whose heads are closer to each other than the finality lag can be repaired,
 * whichever files of its look-ups by hash are lost.
 */

const LAG = 64;
const FIRST_HEAD = 200;
const LATER_HEADS = [212, 240, 255, 300];
const SAFE = 300 - LAG;
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E15 = 'mainchain/transaction/transaction-multi';

const chain = simulatedChain({ seed: 'repaired look-ups', head: FIRST_HEAD });
const source = chainSource(chain);
const addresses = chain.addresses(8);
const [transactions = ''] = PIPELINE.split('  internal_transactions:');
const text = transactions
  .replace('finalityLagBlocks: 0', `finalityLagBlocks: ${LAG}`)
  .replace('blocks:', `  hashes: { from: [transactions], by: [${E12}] }\nblocks:`)
  .concat(`    - { endpoint: ${E15}, keys: hashes }\n`);
let lake: ExportedLake;

const jobOf = (root: string) => ({ url: lake.served.url, root, addresses, text });

beforeAll(async () => {
  lake = await exportedLake(source, addresses, text);
  for (const head of LATER_HEADS) {
    source.growTo(head);
    await exportLake(jobOf(lake.original));
  }
});

async function lookedUp(root: string): Promise<CoverageEntry[]> {
  const effects = systemEffects('warn');
  const opened = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  const { coverage } = await opened.table('transactions').snapshot();
  opened.close();
  return coverage.entries().filter(({ endpoint }) => endpoint === E15);
}

/** Coverage of final blocks that is not complete. It is provisional alone at the head. */
async function incomplete(root: string): Promise<CoverageEntry[]> {
  const entries = await lookedUp(root);
  const isComplete = new Set(
    entries.filter(({ status }) => status === 'complete').map(({ key }) => key),
  );
  return entries.filter(({ key, status, to }) => {
    return status !== 'complete' && (to < SAFE || (key !== '' && isComplete.has(key)));
  });
}

test('a look-up of a final block leaves no provisional rest of an earlier one', async () => {
  const statuses = (await lookedUp(lake.original)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['complete', 'provisional']));
  expect(await incomplete(lake.original)).toEqual([]);
});

test('look-ups whose files are lost are repaired, and the next run completes them', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const files = await activeFiles(root, 'transactions');
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) await rm(file);
  expect(await repairLake(jobOf(root))).toMatchObject({ lost: [], failed: [], short: 0 });
  expect((await exportLake(jobOf(root))).execution.short).toBe(0);
  expect(await incomplete(root)).toEqual([]);
  expect(await digestsOf(root)).toEqual(before);
});
