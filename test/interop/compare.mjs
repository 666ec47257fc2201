import { join } from 'node:path';
import { answerOf } from './answers.mjs';
import { readLog, tableFolders } from './delta-log.mjs';
import { answersOfWindrow } from './questions.mjs';
import { mergedDocument, runTasks } from './readers.mjs';
import { CURATED_TABLES, TABLES } from './tables.mjs';
import { say } from './tally.mjs';
import { readWarehouse } from './warehouse.mjs';
import { windrow } from './windrow.mjs';

const NO_QUESTIONS = { readers: {}, windrow: {} };

/**
 * Compares what independent readers, windrow's warehouse and its logs say of the tables of a lake.
 * `readersOf(root, questions)` returns a task per program that reads a data root;
 * `questionsAbout(root)` the questions that readers and windrow answer.
 */
export class LakeComparison {
  #tally;
  #readersOf;
  #questionsAbout;

  constructor(tally, readersOf, questionsAbout = async () => NO_QUESTIONS) {
    this.#tally = tally;
    this.#readersOf = readersOf;
    this.#questionsAbout = questionsAbout;
  }

  /**
   * Every reader against windrow's log and status, and against the first reader. The warehouse
   * shows one version of a table's files, so it must have been published after the newest one.
   */
  async lake(stage, root, readersOf = this.#readersOf) {
    const tally = this.#tally;
    const logs = await logsIn(join(root, 'lake'), TABLES);
    const curatedLogs = await logsIn(join(root, 'curated'), CURATED_TABLES);
    tally.equal(`${stage}: the lake has its tables`, [...logs.keys()], [...TABLES.keys()]);
    const names = [...CURATED_TABLES.keys()];
    tally.equal(`${stage}: the curated tables are there`, [...curatedLogs.keys()], names);
    const questions = await this.#questionsAbout(root);
    const readers = await readersOf(root, questions.readers);
    const results = await runTasks([
      ...readers,
      () => readWarehouse(root, { lake: columnsOf(logs), curated: columnsOf(curatedLogs) }),
      () => answersOfWindrow(root, questions.windrow),
      () => windrow('status', '--data', root),
    ]);
    const merged = mergedDocument(results.slice(0, readers.length));
    const [inSql, answers, status] = results.slice(readers.length);
    const ours = Object.fromEntries(
      status.tables.map(({ chain, dataset, ...rest }) => [`${chain}/${dataset}`, rest]),
    );
    this.#tables({ stage, stated: TABLES, logs, actual: merged.lake, inSql: inSql.lake });
    this.#tables({
      stage: `${stage}: curated`,
      stated: CURATED_TABLES,
      logs: curatedLogs,
      actual: merged.curated,
      inSql: inSql.curated,
    });
    for (const [table, log] of logs) {
      const label = `${stage}: ${table}`;
      tally.equal(`${label}: windrow's version`, ours[table]?.version, log.version);
      tally.equal(`${label}: windrow's files`, ours[table]?.files, log.files.length);
      tally.equal(`${label}: windrow's rows`, ours[table]?.rows, log.rows);
    }
    this.#answers(stage, answers, merged.answers);
    const coverage = Object.fromEntries(
      Object.entries(ours).map(([table, entry]) => [table, sorted(entry.coverage)]),
    );
    const [first] = Object.values(merged.curated.readers);
    const curated = Object.fromEntries(
      Object.entries(first).map(([table, { digest }]) => [table, digest]),
    );
    return { logs, curatedLogs, readers: merged.lake.readers, coverage, curated };
  }

  /** The same reader of two lakes, for every table and every reader of the first one. */
  readers(label, actual, expected, fact) {
    for (const [reader, tables] of Object.entries(actual.readers)) {
      for (const [table, facts] of Object.entries(tables)) {
        const title = `${label} changes nothing in ${table} for ${reader}`;
        this.#tally.equal(title, fact(facts), fact(expected.readers[reader][table]));
      }
    }
  }

  /** The curated tables that the runs have left against those of a full rebuild. */
  async rebuilt(root, { curated, curatedLogs }) {
    await windrow('load', '--full', '--data', root);
    const rebuilt = await readWarehouse(root, { curated: columnsOf(curatedLogs) });
    for (const [table, digest] of Object.entries(curated)) {
      const digestAgain = rebuilt.curated.get(nameOf(table))?.digest;
      this.#tally.equal(`a full rebuild does not change curated ${table}`, digestAgain, digest);
    }
  }

  /** Every reader of a layer's tables against their logs, the warehouse and the first reader. */
  #tables({ stage, stated, logs, actual, inSql }) {
    const [first] = Object.values(actual.readers);
    for (const [table, log] of logs) {
      const label = `${stage}: ${table}`;
      for (const [reader, tables] of Object.entries(actual.log)) {
        this.#tally.equal(`${label}: version by ${reader}`, tables[table]?.version, log.version);
        this.#tally.equal(`${label}: files by ${reader}`, tables[table]?.files, log.files);
      }
      for (const [reader, tables] of Object.entries(actual.readers)) {
        const { heightColumn } = stated.get(table);
        this.facts(`${label} by ${reader}`, heightColumn, tables[table], log, first[table]);
      }
      this.warehouse(label, inSql.get(nameOf(table)), log, first[table]);
      say(`${label}: version ${log.version}, ${log.files.length} files, ${log.rows} rows`);
    }
  }

  /** The answers of every reader against those of windrow. */
  #answers(stage, answers, actual) {
    for (const [name, rows] of answers) {
      const expected = answerOf(rows);
      this.#tally.holds(`${stage}: ${name}: windrow finds rows`, expected.length > 0);
      for (const [reader, replies] of Object.entries(actual)) {
        const label = `${stage}: ${name}, asked of ${reader}`;
        this.#tally.equal(label, answerOf(replies[name] ?? []), expected);
      }
    }
  }

  /** What a reader says of a table, against its log and the first reader. */
  facts(label, heightColumn, facts, log, first) {
    this.#tally.equal(`${label}: rows`, facts?.rows, log.rows);
    this.#tally.equal(`${label}: columns`, facts?.columns, log.columns);
    this.#tally.equal(`${label}: heights`, facts?.ranges[heightColumn], log.heights);
    if (facts !== first) this.#tally.equal(`${label}: digest`, facts?.digest, first?.digest);
  }

  /** What windrow answers in SQL, against the first reader. */
  warehouse(label, facts, log, first) {
    this.#tally.equal(`${label}: rows in windrow's warehouse`, facts?.rows, log.rows);
    this.#tally.equal(`${label}: digest in windrow's warehouse`, facts?.digest, first?.digest);
  }
}

/** The logs of the tables below a folder of chains; `versionsOf` names older versions of tables. */
export async function logsIn(place, stated, versions = {}) {
  const logs = new Map();
  for (const [table, path] of await tableFolders(place)) {
    logs.set(table, await readLog(path, stated.get(table)?.heightColumn, versions[table]));
  }
  return logs;
}

export function nameOf(table) {
  return table.split('/')[1];
}

/** The kinds of the columns of these tables, by their names without a chain. */
export function columnsOf(logs) {
  return new Map([...logs].map(([table, { columns }]) => [nameOf(table), columns]));
}

/** Lists in one order: in which their slices came in is chance. */
function sorted(lists) {
  return lists.map((list) => JSON.stringify(list)).sort();
}
