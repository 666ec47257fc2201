import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** The built command line, driven as a user would, over a simulated chain of its own. */

export const project = resolve(import.meta.dirname, '../..');
export const cli = join(project, 'dist/cli/main.js');
const SEED = 'interop';
const ADDRESSES = 24; // more than one group
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** Characters of a failed verb's output that are shown. */
const MAX_SAID = 4000;

/**
 * All datasets. What lies less than a finality lag below the head stays provisional, and the next
 * run replaces it. The zone chain is born with block 29,000 and has about 120 blocks to every block
 * of the primary chain.
 */
const PIPELINE = `version: 1
name: interop
source:
  url: http://127.0.0.1:8080
  chain: MAINCHAIN
  zoneChain: ZONECHAIN
  credentials: none
  finalityLagBlocks: 30
  finalityLagZoneBlocks: 2000
  rate: { startPerSecond: 500, maxPerSecond: 5000 }
keys:
  addresses: { file: addresses.csv }
  listed:
    from: [transactions, internal_transactions]
    by:
      - mainchain/address/normal-transaction-list-multi
      - mainchain/address/internal-transaction-list-multi
  calls: { from: [internal_transactions], by: [mainchain/address/internal-transaction-list-multi] }
  transfers: { from: [token_transfers], by: [mainchain/address/token-transaction-list] }
  actions: { from: [zone_transactions] }
  crossings: { from: [cross_chain_transfers] }
blocks: { from: 28600, to: head }
zoneBlocks: { from: 9400, to: head }
commit: { rows: 1500, slices: 100, seconds: 5 }
maintenance: { seconds: 0 } # small files stay for those who compact them
datasets:
  blocks:
    - endpoint: mainchain/block/block-fills
      blocks: { from: 29040, to: head }
    - endpoint: mainchain/block/block-list
      blocks: { from: 28900, to: head }
  transactions:
    - endpoint: mainchain/address/normal-transaction-list-multi
      keys: addresses
    - endpoint: mainchain/transaction/transaction-multi
      keys: listed
      blocks: { from: 28900, to: head }
    - endpoint: mainchain/block/transaction-list
      blocks: { from: 29040, to: head }
  internal_transactions:
    - endpoint: mainchain/address/internal-transaction-list-multi
      keys: addresses
    - endpoint: mainchain/transaction/internal-transaction-detail
      keys: calls
      blocks: { from: 29040, to: head }
    - endpoint: mainchain/block/transaction-list
      blocks: { from: 29040, to: head }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
    - endpoint: mainchain/transaction/token-transfer-multi
      keys: transfers
      blocks: { from: 29040, to: head }
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
    - endpoint: mainchain/block/transaction-list
      blocks: { from: 29040, to: head }
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
  native_holders:
    - endpoint: mainchain/address/native-token-position-list
      maxAgeMinutes: 0 # every run reads it as of its own head
  zone_blocks:
    - endpoint: mainchain/zone/block/block-list
      blocks: { from: 10000, to: head }
  zone_transactions:
    - endpoint: mainchain/zone/block/transaction-list-multi
    - endpoint: mainchain/zone/address/transaction-list
      keys: addresses
    - endpoint: mainchain/zone/transaction/transaction-fills
      keys: actions
      blocks: { from: 10400, to: 12000 }
  cross_chain_transfers:
    - endpoint: mainchain/zone/cross/transaction-list
    - endpoint: mainchain/zone/cross/transaction-multi
      keys: crossings
`;

/** Writes a pipeline and its addresses; returns the pipeline's path. */
export async function writePipeline(folder, text = PIPELINE, count = ADDRESSES) {
  const { simulatedChain } = await import(join(project, 'dist/service/simulated/chain.js'));
  const addresses = simulatedChain({ seed: SEED, head: 0 }).addresses(count);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'addresses.csv'), ['address', ...addresses, ''].join('\n'));
  const file = join(folder, 'pipeline.yaml');
  await writeFile(file, text);
  return file;
}

/** Runs one verb with --json and returns what it printed, parsed. Throws when it fails. */
export async function windrow(...args) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args, '--json'], {
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return JSON.parse(stdout);
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error;
    const said = `${stderr}\n${stdout}`.slice(-MAX_SAID);
    throw new Error(`windrow ${args[0]} ended with code ${code}: ${said}`, { cause: error });
  }
}

/** Runs the pipeline into all data roots at once, on a chain of this head; returns the reports. */
export async function runAtHead(head, file, roots) {
  const service = await serve(head);
  try {
    return await Promise.all(
      roots.map((root) => windrow('run', file, '--data', root, '--source-url', service.url)),
    );
  } finally {
    service.stop();
  }
}

/** Serves the chain up to a head; `more` are flags of `windrow serve`. */
export async function serve(head, ...more) {
  const flags = ['--chain', SEED, '--head', String(head), '--port', '0', '--no-auth', '--json'];
  const child = spawn(process.execPath, [cli, 'serve', ...flags, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((ready, failed) => {
    createInterface({ input: child.stdout }).once('line', (line) => ready(JSON.parse(line).url));
    child.once('error', failed);
    child.once('exit', (code) => failed(new Error(`windrow serve ended with code ${code}`)));
  });
  return { url, stop: () => child.kill() };
}
