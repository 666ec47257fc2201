/**
 * Independent readers must agree with windrow and with each other on every table of a lake.
 *
 *     npm run build && cd test/interop && npm ci
 *     python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && node run.mjs
 *
 * A lake is exported twice from a growing chain, so that its logs hold `remove` lines, and read by
 * deltalake, polars and ClickHouse. Then another engine compacts, checkpoints and vacuums a copy of
 * it: no reader may see a difference, and windrow must go on from the copy as from the original.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readLog, tableFolders } from './delta-log.mjs';
import { say, Tally } from './tally.mjs';
import { runAtHead, windrow, writePipeline } from './windrow.mjs';

const HEADS = [25_000, 31_000];
const LAST_HEAD = 36_000;
const TABLES = ['internal_transactions', 'token_transfers', 'transactions'];
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const here = import.meta.dirname;
const python = join(here, '.venv/bin/python');
const tally = new Tally();

const folder = await mkdtemp(join(tmpdir(), 'windrow-interop-'));
try {
  await compareAll(join(folder, 'original'), join(folder, 'copy'));
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  await rm(folder, { recursive: true, force: true });
}
tally.close();

async function compareAll(original, copy) {
  const pipeline = await writePipeline(folder);
  for (const head of HEADS) await runAtHead(head, pipeline, [original]);
  const before = await compareLake('as windrow wrote it', original, true);
  for (const [table, { removed }] of before.logs) {
    tally.holds(`${table}: its log holds remove lines`, removed > 0);
  }

  await cp(original, copy, { recursive: true });
  const done = await script(python, 'optimize_lake.py', copy);
  const after = await compareLake('after a foreign OPTIMIZE', copy, false);
  for (const [table, { operations }] of after.logs) {
    tally.holds(`${table}: another engine compacted it`, operations.includes('OPTIMIZE'));
    tally.holds(`${table}: compaction made fewer files`, done[table].into < done[table].compacted);
    tally.equal(`${table}: coverage is kept`, after.coverage[table], before.coverage[table]);
  }
  compareReaders('OPTIMIZE', after, before, (facts) => facts);

  const [untouched, optimized] = await runAtHead(LAST_HEAD, pipeline, [original, copy]);
  tally.equal('the next run plans the same', optimized.planned.slices, untouched.planned.slices);
  // Which of two groups lands a record that both list is chance; the sum is not.
  const grown = ({ actual }) => actual.rows - actual.rowsReplaced;
  tally.equal('the next run adds as many rows', grown(optimized), grown(untouched));
  const expected = await compareLake('a run later', original, true);
  const actual = await compareLake('a run later, on the optimized copy', copy, true);
  tally.equal('the next run leaves the same coverage', actual.coverage, expected.coverage);
  compareReaders('OPTIMIZE and a run', actual, expected, (facts) => facts.stableDigest);
}

/**
 * Every reader against windrow's log and status, and against the first reader. The warehouse shows
 * one version of a table's files, so it is read only where a run has just published it.
 */
async function compareLake(stage, root, hasWarehouse) {
  const logs = new Map();
  for (const [table, path] of await tableFolders(join(root, 'lake'))) {
    logs.set(table, await readLog(path));
  }
  const names = TABLES.map((name) => `MAINCHAIN/${name}`);
  tally.equal(`${stage}: the lake has its tables`, [...logs.keys()], names);
  const status = await windrow('status', '--data', root);
  const ours = Object.fromEntries(
    status.tables.map(({ chain, dataset, ...rest }) => [`${chain}/${dataset}`, rest]),
  );
  const fromPython = await script(python, 'read_lake.py', root);
  const fromClickHouse = await script(process.execPath, 'read-lake.mjs', root);
  const readers = { ...fromPython.readers, ...fromClickHouse.readers };
  for (const [table, log] of logs) {
    const label = `${stage}: ${table}`;
    compareLog(label, log, fromPython.log[table], ours[table]);
    const [first] = Object.values(readers);
    for (const [reader, tables] of Object.entries(readers)) {
      compareFacts(`${label} by ${reader}`, tables[table], log, first[table]);
    }
    if (hasWarehouse) await compareWarehouse(label, root, table, log, first[table]);
    say(`${label}: version ${log.version}, ${log.files.length} files, ${log.rows} rows`);
  }
  const coverage = Object.fromEntries(
    Object.entries(ours).map(([table, entry]) => [table, entry.coverage]),
  );
  return { logs, readers, coverage };
}

function compareLog(label, log, foreign, status) {
  tally.equal(`${label}: deltalake's version`, foreign?.version, log.version);
  tally.equal(`${label}: deltalake's files`, foreign?.files, log.files);
  tally.equal(`${label}: windrow's version`, status?.version, log.version);
  tally.equal(`${label}: windrow's files`, status?.files, log.files.length);
  tally.equal(`${label}: windrow's rows`, status?.rows, log.rows);
}

/** What windrow answers in SQL, against the first reader. */
async function compareWarehouse(label, root, table, log, first) {
  const names = Object.keys(log.columns);
  const counts = ['count(*)', ...names.map((name) => `count("${name}")`)];
  const sql = `SELECT [${counts.join(', ')}]::VARCHAR AS counts FROM lake.${table.split('/')[1]}`;
  const [answer] = await windrow('query', sql, '--data', root);
  const [rows, ...present] = JSON.parse(answer.counts);
  const nulls = Object.fromEntries(names.map((name, i) => [name, rows - present[i]]));
  tally.equal(`${label}: rows in windrow's warehouse`, rows, log.rows);
  tally.equal(`${label}: nulls in windrow's warehouse`, nulls, first.nulls);
}

function compareFacts(label, facts, log, first) {
  tally.equal(`${label}: rows`, facts?.rows, log.rows);
  tally.equal(`${label}: columns`, facts?.columns, log.columns);
  tally.equal(`${label}: heights`, facts?.ranges.block_number, log.blockNumbers);
  if (facts === first) return;
  for (const fact of ['nulls', 'ranges', 'sums', 'elements', 'digest']) {
    tally.equal(`${label}: ${fact}`, facts?.[fact], first?.[fact]);
  }
}

/** The same reader of two lakes, for every reader and table. */
function compareReaders(label, actual, expected, fact) {
  for (const [reader, tables] of Object.entries(expected.readers)) {
    for (const [table, facts] of Object.entries(tables)) {
      const found = actual.readers[reader]?.[table];
      tally.equal(
        `${label} changes nothing in ${table} for ${reader}`,
        found === undefined ? undefined : fact(found),
        fact(facts),
      );
    }
  }
}

/** Runs a script of this folder on a data root and returns the JSON it printed. */
async function script(program, name, root) {
  const { stdout } = await promisify(execFile)(program, [join(here, name), root], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return JSON.parse(stdout);
}
