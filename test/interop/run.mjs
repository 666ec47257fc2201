/**
 * Independent readers must agree with windrow and with each other on every table of a lake.
 *
 *     npm run build && cd test/interop && npm ci
 *     python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
 *     bash install-duckdb.sh && node run.mjs
 *
 * A lake is exported twice from a growing chain, so that its logs hold `remove` lines, and read by
 * deltalake, polars, ClickHouse and three releases of DuckDB: its raw and its curated tables, and
 * the answers to questions about the curated ones. Then windrow merges and deletes the files of a
 * copy. Another engine compacts, checkpoints and vacuums another copy, and z-orders its curated
 * tables. No reader may see a difference, and windrow must go on from this copy as from the
 * original.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLog, tableFolders } from './delta-log.mjs';
import { answerOf } from './facts.mjs';
import { answersOfWindrow, questionsAbout } from './questions.mjs';
import { mergedDocument, optimize, readerTasks, runTasks } from './readers.mjs';
import { CURATED_TABLES, TABLES } from './tables.mjs';
import { say, Tally } from './tally.mjs';
import { readWarehouse } from './warehouse.mjs';
import { runAtHead, windrow, writePipeline } from './windrow.mjs';

const HEADS = [29_090, 29_110];
const LAST_HEAD = 29_125;

const tally = new Tally();

const folder = await mkdtemp(join(tmpdir(), 'windrow-interop-'));
try {
  await compareAll(join(folder, 'original'), join(folder, 'copy'), join(folder, 'maintained'));
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  await rm(folder, { recursive: true, force: true });
}
tally.close();

async function compareAll(original, copy, maintained) {
  const pipeline = await writePipeline(folder);
  for (const head of HEADS) await runAtHead(head, pipeline, [original]);
  const before = await compareLake('as windrow wrote it', original);
  for (const [table, { removed }] of before.logs) {
    const { isReplaced } = TABLES.get(table);
    tally.equal(`${table}: its log holds remove lines`, removed > 0, isReplaced);
  }

  await cp(original, maintained, { recursive: true });
  await compareMaintained(maintained, before);

  await cp(original, copy, { recursive: true });
  const done = await optimize(copy, 'lake');
  await windrow('load', '--data', copy);
  const rearranged = await optimize(copy, 'curated');
  const refused = await windrow('query', 'FROM transactions', '--data', copy).catch(String);
  tally.holds('a query names the way out of vacuumed tables', /windrow load/.test(refused));
  await windrow('load', '--data', copy);
  const after = await compareLake('after a foreign OPTIMIZE', copy);
  for (const [table, { operations }] of after.logs) {
    tally.holds(`${table}: another engine compacted it`, operations.includes('OPTIMIZE'));
    tally.holds(`${table}: compaction made fewer files`, done[table].into < done[table].compacted);
    tally.holds(`${table}: another engine deleted files`, done[table].deleted > 0);
    tally.equal(`${table}: coverage is kept`, after.coverage[table], before.coverage[table]);
  }
  for (const [table, { operations }] of after.curatedLogs) {
    const { zOrdered, deleted } = rearranged[table];
    tally.holds(`curated ${table}: another engine z-ordered it`, operations.includes('OPTIMIZE'));
    tally.holds(`curated ${table}: another engine deleted files`, zOrdered > 0 && deleted > 0);
  }
  const ledger = after.curatedLogs.get('MAINCHAIN/address_activity');
  tally.holds('a z-ordered table has several files', ledger.files.length > 1);
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
  await compareRebuilt(copy, actual);
}

/** A lake after windrow has merged its small files and deleted all others, against that before. */
async function compareMaintained(root, before) {
  const { done } = await windrow('maintain', '--retain', '0d', '--data', root);
  const { merged, written } = done.merges;
  tally.holds('windrow maintain merges files', merged > 2 * written && written > 0);
  tally.holds('windrow maintain deletes files', done.deletes.files > merged);
  const after = await compareLake('after windrow maintain', root);
  for (const [table, { files, operations }] of after.logs) {
    const known = before.logs.get(table);
    const isMerged = operations.includes('OPTIMIZE');
    tally.equal(`${table}: merges leave fewer files`, files.length < known.files.length, isMerged);
    tally.equal(`${table}: coverage is kept`, after.coverage[table], before.coverage[table]);
  }
  compareReaders('windrow maintain', after, before, (facts) => facts);
  tally.equal('windrow maintain changes no curated table', after.curated, before.curated);
  const { damaged, tables } = await windrow('verify', '--data', root);
  tally.equal('windrow maintain leaves no damage', damaged, []);
  tally.equal(
    'windrow maintain leaves no other file',
    tables.flatMap(({ orphans }) => orphans),
    [],
  );
}

/** The curated tables that the runs have left against those of a full rebuild. */
async function compareRebuilt(root, { curated, curatedLogs }) {
  await windrow('load', '--full', '--data', root);
  const rebuilt = await readWarehouse(root, 'curated', columnsOf(curatedLogs));
  for (const [table, digest] of Object.entries(curated)) {
    const found = rebuilt.get(nameOf(table))?.digest;
    tally.equal(`a full rebuild does not change curated ${table}`, found, digest);
  }
}

/**
 * Every reader against windrow's log and status, and against the first reader. The warehouse shows
 * one version of a table's files, so it must have been published after the newest one.
 */
async function compareLake(stage, root) {
  const logs = await logsIn(join(root, 'lake'), TABLES);
  const curatedLogs = await logsIn(join(root, 'curated'), CURATED_TABLES);
  tally.equal(`${stage}: the lake has its tables`, [...logs.keys()], [...TABLES.keys()]);
  const names = [...CURATED_TABLES.keys()];
  tally.equal(`${stage}: the curated tables are there`, [...curatedLogs.keys()], names);
  const questions = await questionsAbout(root);
  const readers = await readerTasks(root, questions.readers);
  const results = await runTasks([
    ...readers,
    () => readWarehouse(root, 'lake', columnsOf(logs)),
    () => readWarehouse(root, 'curated', columnsOf(curatedLogs)),
    () => answersOfWindrow(root, questions.windrow),
    () => windrow('status', '--data', root),
  ]);
  const found = mergedDocument(results.slice(0, readers.length));
  const [inSql, curatedInSql, answers, status] = results.slice(readers.length);
  const ours = Object.fromEntries(
    status.tables.map(({ chain, dataset, ...rest }) => [`${chain}/${dataset}`, rest]),
  );
  compareTables({ stage, stated: TABLES, logs, found: found.lake, inSql });
  compareTables({
    stage: `${stage}: curated`,
    stated: CURATED_TABLES,
    logs: curatedLogs,
    found: found.curated,
    inSql: curatedInSql,
  });
  for (const [table, log] of logs) {
    const label = `${stage}: ${table}`;
    tally.equal(`${label}: windrow's version`, ours[table]?.version, log.version);
    tally.equal(`${label}: windrow's files`, ours[table]?.files, log.files.length);
    tally.equal(`${label}: windrow's rows`, ours[table]?.rows, log.rows);
  }
  compareAnswers(stage, answers, found.answers);
  const coverage = Object.fromEntries(
    Object.entries(ours).map(([table, entry]) => [table, sorted(entry.coverage)]),
  );
  const [first] = Object.values(found.curated.readers);
  const curated = Object.fromEntries(
    Object.entries(first).map(([table, { digest }]) => [table, digest]),
  );
  return { logs, curatedLogs, readers: found.lake.readers, coverage, curated };
}

/** Every reader of the tables of a layer against their logs, the warehouse and the first reader. */
function compareTables({ stage, stated, logs, found, inSql }) {
  const [first] = Object.values(found.readers);
  for (const [table, log] of logs) {
    const label = `${stage}: ${table}`;
    compareLog(label, log, found.log[table]);
    for (const [reader, tables] of Object.entries(found.readers)) {
      compareFacts(`${label} by ${reader}`, stated.get(table), tables[table], log, first[table]);
    }
    compareWarehouse(label, inSql.get(nameOf(table)), log, first[table]);
    say(`${label}: version ${log.version}, ${log.files.length} files, ${log.rows} rows`);
  }
}

/** The answers of every reader against those of windrow. */
function compareAnswers(stage, answers, found) {
  for (const [name, rows] of answers) {
    const expected = answerOf(rows);
    tally.holds(`${stage}: ${name}: windrow finds rows`, expected.length > 0);
    for (const [reader, given] of Object.entries(found)) {
      tally.equal(`${stage}: ${name}, asked of ${reader}`, answerOf(given[name] ?? []), expected);
    }
  }
}

/** The logs of the tables below a folder of chains. */
async function logsIn(place, stated) {
  const logs = new Map();
  for (const [table, path] of await tableFolders(place)) {
    logs.set(table, await readLog(path, stated.get(table)?.heightColumn));
  }
  return logs;
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
