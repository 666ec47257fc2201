/**
 * Independent readers must agree with windrow and with each other on every table of a lake.
 *
 *     npm run build && cd test/interop && npm ci
 *     python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
 *     bash install-duckdb.sh && node run.mjs
 *
 * A lake is exported twice from a growing chain, so that its logs hold `remove` lines, and read by
 * deltalake, polars, ClickHouse and three releases of DuckDB: its raw and its curated tables, and
 * the answers to questions about the curated ones. Then another engine compacts, checkpoints and vacuums a copy of
 * it: no reader may see a difference, and windrow must go on from the copy as from the original.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readLog, tableFolders } from './delta-log.mjs';
import { answerOf } from './facts.mjs';
import { questionsAbout } from './questions.mjs';
import { CURATED_TABLES, TABLES } from './tables.mjs';
import { say, Tally } from './tally.mjs';
import { readWarehouse } from './warehouse.mjs';
import { runAtHead, windrow, writePipeline } from './windrow.mjs';

const HEADS = [29_090, 29_110];
const LAST_HEAD = 29_125;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const here = import.meta.dirname;
const python = join(here, '.venv/bin/python');
/** Releases of DuckDB, each in a folder of its own. */
const releases = join(here, '.venv/duckdb');
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
  const before = await compareLake('as windrow wrote it', original);
  for (const [table, { removed }] of before.logs) {
    const { isReplaced } = TABLES.get(table);
    tally.equal(`${table}: its log holds remove lines`, removed > 0, isReplaced);
  }

  await cp(original, copy, { recursive: true });
  const done = await script(python, 'optimize_lake.py', copy);
  await windrow('load', '--data', copy);
  const after = await compareLake('after a foreign OPTIMIZE', copy);
  for (const [table, { operations }] of after.logs) {
    tally.holds(`${table}: another engine compacted it`, operations.includes('OPTIMIZE'));
    tally.holds(`${table}: compaction made fewer files`, done[table].into < done[table].compacted);
    tally.holds(`${table}: another engine deleted files`, done[table].deleted > 0);
    tally.equal(`${table}: coverage is kept`, after.coverage[table], before.coverage[table]);
  }
  compareReaders('OPTIMIZE', after, before, (facts) => facts);
  tally.equal('OPTIMIZE changes no curated table', after.curated, before.curated);
  const { damaged, tables } = await windrow('verify', '--data', copy);
  tally.equal('a foreign OPTIMIZE is no damage', damaged, []);
  const isCounted = ({ unprovenEntries }) => unprovenEntries.length > 0;
  tally.holds('its entries are counted as unproven', tables.some(isCounted));

  const [untouched, optimized] = await runAtHead(LAST_HEAD, pipeline, [original, copy]);
  tally.equal('the next run plans the same', optimized.planned.slices, untouched.planned.slices);
  // Which of two groups lands a record that both list is chance; the sum is not.
  const grown = ({ actual }) => actual.rows - actual.rowsReplaced;
  tally.equal('the next run adds as many rows', grown(optimized), grown(untouched));
  const expected = await compareLake('a run later', original);
  const actual = await compareLake('a run later, on the optimized copy', copy);
  for (const [table, { rows }] of actual.logs) {
    tally.holds(`${table}: the next run adds rows`, rows > before.logs.get(table).rows);
  }
  tally.equal('the next run leaves the same coverage', actual.coverage, expected.coverage);
  const covered = await windrow('verify', '--data', copy);
  tally.equal('a run on top of it is no damage', covered.damaged, []);
  compareReaders('OPTIMIZE and a run', actual, expected, (facts) => facts.stableDigest);
  tally.equal('OPTIMIZE and a run change no curated table', actual.curated, expected.curated);
}

/**
 * Every reader against windrow's log and status, and against the first reader. The warehouse shows
 * one version of a table's files, so it must have been published after the newest one.
 */
async function compareLake(stage, root) {
  const place = join(root, 'lake');
  const logs = await logsIn(place, TABLES);
  tally.equal(`${stage}: the lake has its tables`, [...logs.keys()], [...TABLES.keys()]);
  const status = await windrow('status', '--data', root);
  const ours = Object.fromEntries(
    status.tables.map(({ chain, dataset, ...rest }) => [`${chain}/${dataset}`, rest]),
  );
  const { readers, log: foreign } = await readAll(place);
  const inSql = await readWarehouse(root, 'lake', columnsOf(logs));
  for (const [table, log] of logs) {
    const label = `${stage}: ${table}`;
    compareLog(label, log, foreign[table]);
    tally.equal(`${label}: windrow's version`, ours[table]?.version, log.version);
    tally.equal(`${label}: windrow's files`, ours[table]?.files, log.files.length);
    tally.equal(`${label}: windrow's rows`, ours[table]?.rows, log.rows);
    const [first] = Object.values(readers);
    for (const [reader, tables] of Object.entries(readers)) {
      compareFacts(`${label} by ${reader}`, TABLES.get(table), tables[table], log, first[table]);
    }
    compareWarehouse(label, inSql.get(nameOf(table)), log, first[table]);
    say(`${label}: version ${log.version}, ${log.files.length} files, ${log.rows} rows`);
  }
  const coverage = Object.fromEntries(
    Object.entries(ours).map(([table, entry]) => [table, sorted(entry.coverage)]),
  );
  const curated = await compareCurated(stage, root);
  return { logs, readers, coverage, curated };
}

/** Every reader of the curated tables against their logs, the warehouse and the first reader. */
async function compareCurated(stage, root) {
  const place = join(root, 'curated');
  const logs = await logsIn(place, CURATED_TABLES);
  const names = [...CURATED_TABLES.keys()];
  tally.equal(`${stage}: the curated tables are there`, [...logs.keys()], names);
  const questions = await questionsAbout(root);
  const file = join(folder, 'questions.json');
  await writeFile(file, JSON.stringify(questions.sql));
  const { readers, log: foreign, answers } = await readAll(place, file);
  const inSql = await readWarehouse(root, 'curated', columnsOf(logs));
  const [first] = Object.values(readers);
  for (const [table, log] of logs) {
    const label = `${stage}: curated ${table}`;
    const stated = CURATED_TABLES.get(table);
    compareLog(label, log, foreign[table]);
    for (const [reader, tables] of Object.entries(readers)) {
      compareFacts(`${label} by ${reader}`, stated, tables[table], log, first[table]);
    }
    compareWarehouse(label, inSql.get(nameOf(table)), log, first[table]);
    say(`${label}: version ${log.version}, ${log.files.length} files, ${log.rows} rows`);
  }
  for (const [name, sql] of Object.entries(questions.windrow)) {
    const rows = await windrow('query', sql, '--data', root);
    const expected = answerOf(rows.map((row) => Object.values(row)));
    tally.holds(`${stage}: ${name}: windrow finds rows`, expected.length > 0);
    for (const [reader, found] of Object.entries(answers)) {
      tally.equal(`${stage}: ${name}, asked of ${reader}`, answerOf(found[name] ?? []), expected);
    }
  }
  return Object.fromEntries(Object.entries(first).map(([table, { digest }]) => [table, digest]));
}

/** The logs of the tables below a folder of chains. */
async function logsIn(place, stated) {
  const logs = new Map();
  for (const [table, path] of await tableFolders(place)) {
    logs.set(table, await readLog(path, stated.get(table)?.heightColumn));
  }
  return logs;
}

/** All readers of a folder of chains, and their answers to the questions of a file. */
async function readAll(place, ...questions) {
  const documents = await Promise.all([
    script(python, 'read_lake.py', place, ...questions),
    script(process.execPath, 'read-lake.mjs', place, ...questions),
  ]);
  for (const release of (await readdir(releases)).sort()) {
    const env = { ...process.env, PYTHONPATH: join(releases, release) };
    documents.push(await scriptIn(env, python, 'read_duckdb.py', place, ...questions));
  }
  const merged = (key) => Object.assign({}, ...documents.map((document) => document[key]));
  return { readers: merged('readers'), answers: merged('answers'), log: merged('log') };
}

function nameOf(table) {
  return table.split('/')[1];
}

function columnsOf(logs) {
  return new Map([...logs].map(([table, { columns }]) => [nameOf(table), columns]));
}

/** Lists in one order: in which their slices came in is chance. */
function sorted(lists) {
  return lists.map((list) => JSON.stringify(list)).sort();
}

function compareLog(label, log, foreign) {
  tally.equal(`${label}: deltalake's version`, foreign?.version, log.version);
  tally.equal(`${label}: deltalake's files`, foreign?.files, log.files);
}

function compareFacts(label, { heightColumn }, facts, log, first) {
  tally.equal(`${label}: rows`, facts?.rows, log.rows);
  tally.equal(`${label}: columns`, facts?.columns, log.columns);
  tally.equal(`${label}: heights`, facts?.ranges[heightColumn], log.heights);
  if (facts === first) return;
  for (const fact of ['nulls', 'ranges', 'sums', 'elements', 'digest']) {
    tally.equal(`${label}: ${fact}`, facts?.[fact], first?.[fact]);
  }
}

/** What windrow answers in SQL, against the first reader. */
function compareWarehouse(label, facts, log, first) {
  tally.equal(`${label}: rows in windrow's warehouse`, facts?.rows, log.rows);
  for (const fact of ['nulls', 'ranges', 'elements', 'digest']) {
    tally.equal(`${label}: ${fact} in windrow's warehouse`, facts?.[fact], first?.[fact]);
  }
  // A sum there has no needless zeros.
  const sums = Object.entries(first?.sums ?? {}).map(([name, sum]) => [name, shortest(sum)]);
  tally.equal(`${label}: sums in windrow's warehouse`, facts?.sums, Object.fromEntries(sums));
}

function shortest(sum) {
  return sum === null ? null : sum.replace(/(\.[0-9]*?)0+$/, '$1').replace(/\.$/, '');
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

/** Runs a script of this folder and returns the JSON it printed. */
function script(program, name, ...args) {
  return scriptIn(process.env, program, name, ...args);
}

async function scriptIn(env, program, name, ...args) {
  const { stdout } = await promisify(execFile)(program, [join(here, name), ...args], {
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return JSON.parse(stdout);
}
