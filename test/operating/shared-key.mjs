/**
 * Goal: two runs of different pipelines with one key stay under its hidden rate limit and its daily
 * quota together, as the simulation of the pacer says.
 *
 *     node test/operating/shared-key.mjs [seconds] [requests per second]
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { Tally } from '../interop/tally.mjs';
import { MAIN, REPOSITORY, served } from './tools.mjs';

const [seconds = 60, limit = 50] = process.argv.slice(2).map(Number);
/** The start of the runs is not measured: processes begin at different times. */
const WARM_UP_SECONDS = Math.min(15, seconds / 4);
const QUOTA = 400;
const SEEDS = [1, 2, 3, 4, 5];

const tally = new Tally();
const folder = mkdtempSync(join(tmpdir(), 'windrow-shared-'));
const log = join(folder, 'log.jsonl');
const faults = join(folder, 'faults.yaml');
writeFileSync(faults, `limits:\n  - { rule: token-bucket, requests: ${limit}, seconds: 1 }\n`);

function pipeline(name, dataset, more, quota) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `version: 1
name: ${name}
source:
  url: ${service.url}
  chain: MAINCHAIN
  credentials: none
  rate: { maxPerSecond: 1000 }
  ${quota === undefined ? '' : `quota: { perDay: ${quota} }`}
blocks: { from: 0, to: 9000 }
datasets:
  ${dataset}: [{ endpoint: mainchain/block/transaction-list${more} }]
`,
  );
  return file;
}

/** Runs the pipelines at the same time, each in a data root of its own. */
function together(files, options) {
  const env = { ...process.env, WINDROW_STATE_DIR: join(folder, 'state') };
  return Promise.all(
    files.map((file, at) => {
      const root = join(folder, `data ${at}`);
      const args = [MAIN, 'run', file, '--data', root, '--json', ...options];
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
      let output = '';
      child.stdout.on('data', (part) => {
        output += part;
      });
      return new Promise((resolve) => {
        child.once('close', (code) => resolve({ code, document: JSON.parse(output) }));
      });
    }),
  );
}

/** Times and codes of the requests that the service has logged since the last call. */
let seen = 0;
function logged() {
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  const fresh = lines.slice(seen).map((line) => JSON.parse(line));
  seen = lines.length;
  return fresh;
}

const service = await served(9_100, ['--faults', faults, '--log', log]);
try {
  const one = pipeline('one', 'transactions', '');
  const two = pipeline('two', 'token_transfers', ', each: { protocolType: [token_20] }');
  const beganMs = Date.now();
  const runs = await together([one, two], ['--for', `${seconds}s`]);
  for (const { code, document } of runs) tally.equal('a run ends by its time', code, 3, document);
  const requests = logged().map(({ time, code }) => ({ ms: Date.parse(time) - beganMs, code }));
  const measured = requests.filter(({ ms }) => {
    return ms >= WARM_UP_SECONDS * 1000 && ms < (seconds - 3) * 1000;
  });
  const granted = measured.filter(({ code }) => code === '0');
  const ratio = granted.length / (limit * (seconds - 3 - WARM_UP_SECONDS));
  const rejections = 1 - granted.length / measured.length;
  const shares = runs.map(({ document }) => document.actual.requests / requests.length);
  const simulated = await simulation();
  const figures = { ratio, simulated, rejections, shares, requests: requests.length };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  tally.holds('together they stay under the limit', ratio <= 1, figures);
  tally.holds('as much as in the simulation', Math.abs(ratio - simulated) <= 0.03, figures);
  tally.holds('few requests are rejected', rejections <= 0.02, figures);
  tally.holds('each has a fair share', Math.min(...shares) > 0.4, figures);

  const quota = [
    pipeline('one', 'transactions', '', QUOTA),
    pipeline('two', 'token_transfers', ', each: { protocolType: [token_20] }', QUOTA),
  ];
  const limited = await together(quota, []);
  for (const { code, document } of limited) {
    tally.equal('a run ends by the quota', code, 3, document);
  }
  const sent = logged().length;
  tally.holds(`${sent} requests are within the quota`, sent <= QUOTA && sent > QUOTA - 40, sent);
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  service.close();
  rmSync(folder, { recursive: true, force: true });
}
tally.close();

/** The share of the limit that two pacers use in the same time, by the simulation. */
async function simulation() {
  const entry = `export { simulate } from '${REPOSITORY}test/property/pacer-simulation.ts';
export { KINDS } from '${REPOSITORY}test/property/pacer-servers.ts';`;
  const outfile = join(folder, 'simulation.mjs');
  const stdin = { contents: entry, resolveDir: REPOSITORY, loader: 'ts' };
  buildSync({ stdin, bundle: true, format: 'esm', platform: 'node', outfile });
  const { simulate, KINDS } = await import(outfile);
  const kind = KINDS.find(({ name }) => name === 'bucket of a second');
  const of = { kind, limitPerSecond: limit, processes: 2 };
  const times = { durationMs: (seconds - 3) * 1000, warmUpMs: WARM_UP_SECONDS * 1000 };
  let sum = 0;
  for (const seed of SEEDS) sum += (await simulate({ ...of, ...times, seed })).ratio;
  return sum / SEEDS.length;
}
