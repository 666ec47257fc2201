import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { datasetNamed, endpointAt } from '../../src/catalogue/index.ts';
import { openLake } from '../../src/land/lake.ts';
import type { LandedWalk } from '../../src/land/rows/table.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { planSlices } from '../../src/plan/slices.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { listNamed } from '../fixtures/lists.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { addresses, inputOf, MANY_KEYS, pipelineOf } from '../model/plan-input.ts';
import { LogWriter } from './made-up/log-writer.ts';

/**
 * CPU seconds and memory to open a table with a long log, to plan over it and to commit to it. Each
 * figure is of a process of its own. The lake is made once per folder, without data files.
 *
 *     node node_modules/.bench/test/bench/log-size.js FOLDER [commits] [windows|gaps|hashes]
 *
 * Commits have 64 slices of 20 keys: `windows` reads the next window of 1,280 addresses, `gaps`
 * leaves every seventh slice truncated, `hashes` looks up 1,280 hashes that were never asked.
 */

const SLICES = 64;
const KEYS = 20;
const WINDOW = 10_000;
const TABLE = 'transactions';
const LOOK_UP = 'mainchain/transaction/transaction-multi';
const NOW_MS = 1_700_000_000_000;

type Shape = 'windows' | 'gaps' | 'hashes';
type Step = 'open' | 'plan' | 'commit' | 'provisional';

const [root = '', count = '10000', shape = 'windows', step] = process.argv.slice(2) as [
  string?,
  string?,
  Shape?,
  Step?,
];
const commits = Number(count);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The walks of commit `at`, without records. */
function walksOf(at: number, status: 'complete' | 'provisional' = 'complete'): LandedWalk[] {
  return Array.from({ length: SLICES }, (_, i): LandedWalk => {
    const first = shape === 'hashes' ? (at * SLICES + i) * KEYS : i * KEYS;
    const keys =
      shape === 'hashes'
        ? Array.from({ length: KEYS }, (__, k) => hash(first + k))
        : addresses(KEYS, first);
    const window = shape === 'hashes' ? Math.floor(at / 8) : at;
    const interval = { from: window * WINDOW, to: window * WINDOW + WINDOW - 1 };
    const isShort = shape === 'gaps' && (at + i) % 7 === 0;
    const claim = {
      list: listNamed(shape === 'hashes' ? LOOK_UP : MANY_KEYS),
      keys,
      interval,
      status: isShort ? ('truncated' as const) : status,
      reason: isShort ? 'the block has more records than the list returns' : '',
      head: interval.to + 100,
      readAtMs: NOW_MS + at * 1000 + i,
      generation: 0,
    };
    return { claim, records: [], slice: 'made-up', requests: 3 };
  });
}

/** Spread over all bits, as real hashes are. */
function hash(at: number): string {
  let text = '';
  for (let state = at + 1; text.length < 64; ) {
    state = (Math.imul(state, 0x9e3779b1) + 0x7f4a7c15) >>> 0;
    text += state.toString(16).padStart(8, '0');
  }
  return `0x${text}`;
}

async function make(): Promise<void> {
  const dataset = datasetNamed(endpointAt(shape === 'hashes' ? LOOK_UP : MANY_KEYS).dataset);
  const writer = new LogWriter(join(root, 'lake', CHAINS.primary, TABLE), dataset);
  for (let at = 0; at < commits; at += 1) {
    const coverage = walksOf(at).map(({ claim }) => {
      const { interval, list, generation: _, ...rest } = claim;
      return {
        endpoint: list.endpoint,
        variant: list.variant,
        ...rest,
        ...interval,
        keys: [...claim.keys],
      };
    });
    const { endpoint } = coverage[0] ?? { endpoint: '' };
    const keyBlocks = SLICES * KEYS * WINDOW;
    const walked = [{ endpoint, variant: '', slices: SLICES, requests: 3 * SLICES, keyBlocks }];
    const ledger = { run: 'made-up', coverage, walked, reorganisations: [], forgotten: [] };
    await writer.commit({ ...ledger, anchors: [] }, [], NOW_MS + at * 1000);
  }
}

async function measure(): Promise<void> {
  const settings = { root, chains: CHAINS, run: '20260101T000000Z-bench', disk: localDisk };
  const lake = await openLake({ ...settings, effects: quietEffects() });
  const table = lake.table(TABLE);
  const { version } = await table.snapshot();
  if (step === 'open') {
    await done(`version ${version}`);
  } else if (step === 'plan') {
    const coverage = await lake.coverage();
    start();
    const end = commits * WINDOW + 100_000;
    const { slices } = planSlices(
      inputOf(pipelineOf([MANY_KEYS]), addresses(SLICES * KEYS), {
        coverage,
        heads: { primary: { head: end, safe: end - 64 } },
      }),
    );
    await done(`${slices.length} slices`);
  } else {
    start();
    const status = step === 'provisional' ? step : 'complete';
    const result = await table.commit(walksOf(version + 1, status));
    await done(`version ${result.version}`);
  }
  lake.close();
}

let before = process.cpuUsage();

function start(): void {
  before = process.cpuUsage();
}

async function done(what: string): Promise<void> {
  const { user, system } = process.cpuUsage(before);
  const peak = process.resourceUsage().maxRSS / 1024;
  const cpu = ((user + system) / 1e6).toFixed(2);
  say(
    `${String(step).padEnd(12)} ${cpu.padStart(8)} CPU s ${peak.toFixed(0).padStart(6)} MB  ${what}`,
  );
}

async function logBytes(): Promise<number> {
  const folder = join(root, 'lake', CHAINS.primary, TABLE, '_delta_log');
  let bytes = 0;
  for (const name of await localDisk.list(folder)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}

function run(next: Step, folder = root, ...more: string[]): void {
  const program = fileURLToPath(import.meta.url);
  const args = ['--max-old-space-size=16000', program, folder, count, shape, next, ...more];
  process.stdout.write(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

if (step !== undefined) await measure();
else {
  if (!existsSync(root)) await make();
  say(`${commits} commits of ${shape}, ${((await logBytes()) / 1e6).toFixed(0)} MB of log`);
  run('open');
  // The plan is one of address lists.
  if (shape !== 'hashes') run('plan');
  for (const next of ['commit', 'open', 'commit', 'provisional'] as const) run(next);
}
