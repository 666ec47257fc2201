import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { datasetNamed } from '../../src/catalogue/index.ts';
import { CHECKPOINT_COMMITS } from '../../src/land/delta/checkpoint.ts';
import { openLake } from '../../src/land/lake.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { listNamed } from '../fixtures/lists.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { LogWriter } from './made-up/log-writer.ts';

/**
 * Times in which deltalake, polars and Spark open a table of 40 files after 100 and after 10,000
 * commits. Needs the packages of test/interop and test/spark. The logs are made once per folder; a
 * year later, windrow commits to each until it has two checkpoints, so that old entries are archived.
 *
 *     node node_modules/.bench/test/bench/open-times.js FOLDER
 */

const COMMITS = [100, 10_000];
const FILES = 40;
const BLOCKS = 100;
const NOW_MS = 1_700_000_000_000;
const LIST = { endpoint: 'mainchain/address/normal-transaction-list-multi', variant: '' };
const KEYS = [`0x${'1'.repeat(40)}`];
const PROGRAMS = { deltalake: 'interop', polars: 'interop', Spark: 'spark' };

const [root = ''] = process.argv.slice(2);
const tests = join(import.meta.dirname, '../../../../test');

function claimOf(at: number) {
  const from = at * BLOCKS;
  const interval = { from, to: from + BLOCKS - 1 };
  const readAtMs = NOW_MS + at * 1000;
  const status = 'complete' as const;
  return { ...LIST, keys: KEYS, interval, status, reason: '', head: from + 200, readAtMs };
}

async function make(data: string, folder: string, commits: number): Promise<void> {
  const writer = new LogWriter(folder, datasetNamed('transactions'));
  const files = Array.from({ length: FILES }, (_, at) => {
    const { from, to } = claimOf(at).interval;
    const facts = { sizeBytes: 1_000_000, rows: 1000, sha256: 'a'.repeat(64), source: LIST };
    return { path: `part-${at}.parquet`, heights: { from, to }, ...facts };
  });
  for (let at = 0; at < commits; at += 1) {
    const { interval, ...claim } = claimOf(at);
    const walked = [{ ...LIST, slices: 1, requests: 1, keyBlocks: BLOCKS }];
    const nothing = { reorganisations: [], forgotten: [], anchors: [], withheld: [] };
    const ledger = { run: 'made-up', coverage: [{ ...claim, ...interval }], walked, ...nothing };
    await writer.commit(ledger, at === 0 ? files : [], NOW_MS + at * 1000);
  }
  const settings = { root: data, chains: CHAINS, run: '20260101T000000Z-bench', disk: localDisk };
  const later = NOW_MS + 365 * 24 * 3_600_000;
  const lake = await openLake({ ...settings, effects: quietEffects({ now: () => later }) });
  for (let at = commits; at <= commits + CHECKPOINT_COMMITS; at += 1) {
    const claim = { ...claimOf(at), list: listNamed(claimOf(at).endpoint), generation: 0 };
    await lake.table('transactions').commit([{ claim, records: [], slice: 'one', requests: 1 }]);
  }
  lake.close();
}

const folders: string[] = [];
for (const commits of COMMITS) {
  const data = join(root, String(commits));
  const folder = join(data, 'lake', CHAINS.primary, 'transactions');
  if (!existsSync(folder)) await make(data, folder, commits);
  folders.push(folder);
}
for (const [program, suite] of Object.entries(PROGRAMS)) {
  const python = join(tests, suite, '.venv/bin/python');
  const args = [join(tests, 'spark/open_times.py'), program, ...folders];
  const opened = execFileSync(python, args, { encoding: 'utf8', stdio: 'pipe' });
  const [few = 0, many = 0] = opened.split(' ').map(Number);
  const ratio = (many / few).toFixed(1);
  process.stdout.write(
    `${program}: ${few} ms after 100 commits, ${many} ms after 10,000: ${ratio} x\n`,
  );
}
