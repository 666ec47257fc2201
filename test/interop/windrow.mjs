import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** The built command line, driven as a user would, over a simulated chain of its own. */

const project = resolve(import.meta.dirname, '../..');
const cli = join(project, 'dist/cli/main.js');
const SEED = 'interop';
const ADDRESSES = 30;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const pipeline = `version: 1
name: interop
source:
  url: http://127.0.0.1:8080
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 2000 # so much stays provisional, and is replaced by the next run
  rate: { startPerSecond: 500, maxPerSecond: 5000 }
keys:
  addresses: { file: addresses.csv }
blocks: { from: 0, to: head }
commit: { rows: 5000, slices: 8, seconds: 5 }
datasets:
  transactions:
    - endpoint: mainchain/address/normal-transaction-list-multi
      keys: addresses
  internal_transactions:
    - endpoint: mainchain/address/internal-transaction-list-multi
      keys: addresses
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
`;

/** Writes the pipeline and its addresses; returns the pipeline's path. */
export async function writePipeline(folder) {
  const { simulatedChain } = await import(join(project, 'dist/simulated/chain.js'));
  const addresses = simulatedChain({ seed: SEED, head: 0 }).addresses(ADDRESSES);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'addresses.csv'), ['address', ...addresses, ''].join('\n'));
  const file = join(folder, 'interop.yaml');
  await writeFile(file, pipeline);
  return file;
}

/** Runs one verb with --json and returns what it printed, parsed. Throws when it fails. */
export async function windrow(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args, '--json'], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return JSON.parse(stdout);
}

/** Runs the pipeline into each data root while the chain stands at `head`; returns the reports. */
export async function runAtHead(head, file, roots) {
  const service = await serve(head);
  try {
    const reports = [];
    for (const root of roots) {
      reports.push(await windrow('run', file, '--data', root, '--source-url', service.url));
    }
    return reports;
  } finally {
    service.stop();
  }
}

async function serve(head) {
  const flags = ['--chain', SEED, '--head', String(head), '--port', '0', '--no-auth', '--json'];
  const child = spawn(process.execPath, [cli, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((ready, failed) => {
    createInterface({ input: child.stdout }).once('line', (line) => ready(JSON.parse(line).url));
    child.once('error', failed);
    child.once('exit', (code) => failed(new Error(`windrow serve ended with code ${code}`)));
  });
  return { url, stop: () => child.kill() };
}
