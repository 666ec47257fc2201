import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { datasetNamed, endpointAt } from '../../src/catalogue/index.ts';
import type { DataFile } from '../../src/land/delta/actions.ts';
import { openLake } from '../../src/land/lake.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import type { LandedWalk } from '../../src/land/rows/table.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { planSlices } from '../../src/plan/slices.ts';
import { foundKeys } from '../../src/run/found/found-keys.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { listNamed } from '../fixtures/lists.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { addresses, asking, inputOf, MANY_KEYS, pipelineOf } from '../model/plan-input.ts';
import { LogWriter } from './made-up/log-writer.ts';

/**
 * CPU seconds and memory to open a table with a long log, to plan over it and to commit to it. Each
 * figure is of a process of its own. The lake is made once per folder, without data files.
 *
 *     node node_modules/.bench/test/bench/log-size.js FOLDER [commits] [windows|gaps|hashes]
 *
 * Commits have 64 slices of 20 keys: `windows` reads the next window of 1,280 addresses, `gaps`
 * leaves every seventh slice truncated, `hashes` looks up 1,280 hashes that were never asked, and
 * that have no record. A table with one row for each of them names the hashes to plan.
 */

const SLICES = 64;
const KEYS = 20;
const WINDOW = 10_000;
const TABLE = 'transactions';
const LOOK_UP = 'mainchain/transaction/transaction-multi';
const NOW_MS = 1_700_000_000_000;

type Shape = 'windows' | 'gaps' | 'hashes';
type Step = 'open' | 'plan' | 'found' | 'commit' | 'provisional';

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

/** Spread over all bits, as real hashes are. `makeRows` has the same in SQL. */
function hash(at: number): string {
  return `0x${createHash('sha256').update(String(at)).digest('hex')}`;
}

/** A file of rows that name all hashes, for the list of the address. */
async function makeRows(folder: string): Promise<DataFile> {
  const path = 'made-up.parquet';
  const values: Record<string, string> = {
    tx_hash: `'0x' || sha256(i::VARCHAR)`,
    block_number: `i // ${SLICES * KEYS * 8} * ${WINDOW} + i % ${WINDOW}`,
    from_address: `'${addresses(1)[0]}'`,
    from_addresses: `['${addresses(1)[0]}']`,
    _endpoint: `'${MANY_KEYS}'`,
    _variant: `''`,
  };
  const cells = tableColumns(TABLE).map(({ name, type }) => {
    return `(${values[name] ?? 'NULL'})::${type} AS "${name}"`;
  });
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await mkdir(folder, { recursive: true });
  await connection.run(
    `COPY (SELECT ${cells.join(', ')} FROM range(${commits * SLICES * KEYS}) AS t (i))
     TO '${join(folder, path)}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  connection.closeSync();
  instance.closeSync();
  const { size } = await stat(join(folder, path));
  return {
    path,
    sizeBytes: size,
    rows: commits * SLICES * KEYS,
    heights: undefined,
    sha256: undefined,
    source: { endpoint: MANY_KEYS, variant: '' },
  };
}

/** Lands the look-ups without a record, of many commits at a time. */
async function makeLookUps(): Promise<void> {
  const settings = { root, chains: CHAINS, run: '20260101T000000Z-bench', disk: localDisk };
  const lake = await openLake({ ...settings, effects: quietEffects() });
  for (let at = 0; at < commits; at += 100) {
    const walks = Array.from({ length: Math.min(100, commits - at) }, (_, i) => walksOf(at + i));
    await lake.table(TABLE).empty?.add(walks.flat(), { version: 0 });
  }
  lake.close();
}

async function make(): Promise<void> {
  const dataset = datasetNamed(endpointAt(shape === 'hashes' ? LOOK_UP : MANY_KEYS).dataset);
  const folder = join(root, 'lake', CHAINS.primary, TABLE);
  const writer = new LogWriter(folder, dataset);
  const files = shape === 'hashes' ? [await makeRows(folder)] : [];
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
    await writer.commit({ ...ledger, anchors: [] }, at === 0 ? files : [], NOW_MS + at * 1000);
  }
  if (shape === 'hashes') await makeLookUps();
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
  } else if (step === 'found') {
    const coverage = await lake.coverage();
    start();
    const end = commits * WINDOW + 100_000;
    const requests = [
      `{ endpoint: ${MANY_KEYS}, keys: addresses }`,
      `{ endpoint: ${LOOK_UP}, keys: found }`,
    ];
    const lines = ['  transactions:', ...requests.map((request) => `    - ${request}`)];
    const pipeline = asking(lines, {}, 'found: { from: [transactions] }');
    const heads = { primary: { head: end, safe: end - 64 } };
    const keys = { addresses: addresses(1) };
    const inRows = await foundKeys({ lake, pipeline, keys, coverage, heads });
    const input = { ...inputOf(pipeline, keys.addresses, { coverage, heads }), ...inRows };
    const planned = planSlices(input).requests.filter(({ isFound }) => isFound);
    const shares = planned.map(({ keyBlocks, covered }) => `${covered} of ${keyBlocks} hashes`);
    await done(shares.join(', '));
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
  run(shape === 'hashes' ? 'found' : 'plan');
  for (const next of ['commit', 'open', 'commit', 'provisional'] as const) run(next);
}
