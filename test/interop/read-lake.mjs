/**
 * Reads every table of a data root with ClickHouse and prints what it saw.
 *
 *     node read-lake.mjs DATA_ROOT QUESTIONS
 *
 * The answer is one JSON document of the shape that read_lake.py prints. ClickHouse follows the log
 * with the Delta kernel, reads the Parquet with a reader of its own, and computes what it reports;
 * only the digests are made here, from the cells it prints.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Session } from 'chdb';
import { tableFolders } from './delta-log.mjs';
import { bitsOf, digests, named } from './facts.mjs';

const [folder, questions] = process.argv.slice(2);
const asked = JSON.parse(await readFile(questions, 'utf8'));
const root = resolve(folder);
// Embedded ClickHouse reads no file outside the folder it was started in.
process.chdir(root);
const session = new Session();

/** Rows of a query, each a list of cells. */
function rows(sql) {
  return session
    .query(sql, 'JSONCompactEachRow')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** ClickHouse's name of a type, as the kind that all readers report. */
function kindOf(type) {
  const bare = type.replace(/^Nullable\((.*)\)$/, '$1');
  const list = /^Array\((.*)\)$/.exec(bare);
  if (list !== null) return `list(${kindOf(list[1])})`;
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(bare);
  if (decimal !== null) return `decimal(${decimal[1]},${decimal[2]})`;
  // It keeps no zone with a column: a DateTime64 is an instant, counted from the epoch in UTC.
  if (bare === 'DateTime64(6)') return 'timestamp(UTC)';
  const plain = {
    Int64: 'integer',
    Bool: 'boolean',
    String: 'text',
    Float64: 'double',
    Date: 'date',
    Date32: 'date',
  };
  return plain[bare] ?? bare;
}

function scaleOf(decimal) {
  return Number(/,(\d+)\)$/.exec(decimal)[1]);
}

/** SQL for a cell as text that does not depend on the reader. */
function spelled(name, kind) {
  if (kind.startsWith('decimal')) return `toDecimalString(${name}, ${scaleOf(kind)})`;
  if (kind.startsWith('timestamp')) return `toString(toUnixTimestamp64Micro(${name}))`;
  if (kind.startsWith('list')) return name;
  return `toString(${name})`;
}

/** It has no NULL lists: an empty one stands for it, and windrow writes no empty list. */
function isNull(name, kind) {
  return kind.startsWith('list') ? `empty(${name})` : `${name} IS NULL`;
}

function told(cell, kind) {
  if (Array.isArray(cell) && cell.length === 0) return null;
  return kind === 'double' && cell !== null ? bitsOf(cell) : cell;
}

/** Rows of the answer to a question; a table is named without its chain. */
function answerTo(sql, folders) {
  const places = [...folders].map(([name, folder]) => [name.split('/')[1], folder]);
  const tables = places.map(([name, folder]) => {
    return `${name} AS (SELECT * FROM deltaLakeLocal('${folder}'))`;
  });
  return rows(`WITH ${tables.join(', ')} ${sql}`);
}

function factsOf(folder) {
  const table = `deltaLakeLocal('${folder}')`;
  const kinds = Object.fromEntries(
    rows(`DESCRIBE TABLE ${table}`).map(([name, type]) => [name, kindOf(type)]),
  );
  const names = Object.keys(kinds).sort();
  const computed = (of, sql) => {
    if (of.length === 0) return {};
    const [found] = rows(`SELECT ${of.map(sql).join(', ')} FROM ${table}`);
    return Object.fromEntries(of.map((name, i) => [name, found[i]]));
  };
  const cells = rows(
    `SELECT ${names.map((name) => spelled(name, kinds[name])).join(', ')} FROM ${table}`,
  );
  return {
    rows: Number(rows(`SELECT count() FROM ${table}`)[0][0]),
    columns: kinds,
    nulls: computed(names, (name) => `toUInt32(countIf(${isNull(name, kinds[name])}))`),
    ranges: computed(named(kinds, 'integer', 'timestamp', 'date'), (name) => {
      return `[${spelled(`min(${name})`, kinds[name])}, ${spelled(`max(${name})`, kinds[name])}]`;
    }),
    // A sum of Decimal(38, 18) wraps around without a word: it is made in 76 digits.
    sums: computed(named(kinds, 'decimal'), (name) => {
      return spelled(`sum(toDecimal256(${name}, ${scaleOf(kinds[name])}))`, kinds[name]);
    }),
    elements: computed(named(kinds, 'list'), (name) => `toUInt32(sum(length(${name})))`),
    ...digests(
      names,
      cells.map((row) => row.map((cell, at) => told(cell, kinds[names[at]]))),
    ),
  };
}

const [[version]] = rows('SELECT version()');
const reader = `ClickHouse ${version}`;
const curated = await tableFolders(join(root, 'curated'));
const document = {
  lake: layerOf(await tableFolders(join(root, 'lake'))),
  curated: layerOf(curated),
};
// As in standard SQL: times with their zone, no NULL of another type, sums of nothing are NULL.
session.query("SET date_time_output_format = 'iso', output_format_json_quote_decimals = 1");
session.query('SET join_use_nulls = 1, aggregate_functions_null_for_empty = 1');
const answers = {};
for (const [name, sql] of Object.entries(asked)) answers[name] = answerTo(sql, curated);
session.close();
process.stdout.write(`${JSON.stringify({ ...document, answers: { [reader]: answers } })}\n`);

function layerOf(folders) {
  const tables = [...folders].map(([name, folder]) => [name, factsOf(folder)]);
  return { readers: { [reader]: Object.fromEntries(tables) } };
}
