import { bitsOf, digests, named } from './facts.mjs';
import { windrow } from './windrow.mjs';

/**
 * What windrow answers in SQL about the tables of a schema, in the words of the other readers.
 * `kindsOf` maps each table to the kinds of its columns. All are asked in one query; `flags` are
 * more flags of `windrow query`.
 */
export async function readWarehouse(root, schema, kindsOf, ...flags) {
  const parts = [...kindsOf].map(([table, kinds]) => sqlFor(schema, table, columnsIn(kinds)));
  const sql = parts.join('\nUNION ALL\n');
  const answers = await windrow('query', sql, '--data', root, ...flags);
  const facts = answers.map((answer) => {
    const { dataset } = answer;
    return [dataset, factsOf(answer, columnsIn(kindsOf.get(dataset)))];
  });
  return new Map(facts);
}

function columnsIn(kinds) {
  return {
    kinds,
    names: Object.keys(kinds).sort(),
    ranged: named(kinds, 'integer', 'timestamp', 'date'),
    summed: named(kinds, 'decimal'),
    listed: named(kinds, 'list'),
  };
}

function sqlFor(schema, dataset, { kinds, names, ranged, summed, listed }) {
  const cells = names.map((name) => spelled(`"${name}"`, kinds[name]));
  return `SELECT '${dataset}' AS dataset, count(*) AS rows,
      ${texts(names.map((name) => `count(*) - count("${name}")`))} AS nulls,
      ${texts(ranged.map((name) => spelled(`min("${name}")`, kinds[name])))} AS lows,
      ${texts(ranged.map((name) => spelled(`max("${name}")`, kinds[name])))} AS highs,
      ${texts(summed.map((name) => `exact_sum("${name}")`))} AS sums,
      ${texts(listed.map((name) => `coalesce(sum(len("${name}")), 0)`))} AS elements,
      list([${cells.join(', ')}]) AS cells
    FROM ${schema}.${dataset}`;
}

function factsOf(answer, { kinds, names, ranged, summed, listed }) {
  const rows = answer.cells.map((row) => row.map((cell, at) => told(cell, kinds[names[at]])));
  const by = (columns, value) => Object.fromEntries(columns.map((name, i) => [name, value(i)]));
  return {
    rows: Number(answer.rows),
    nulls: by(names, (i) => Number(answer.nulls[i])),
    ranges: by(ranged, (i) => [answer.lows[i], answer.highs[i]]),
    sums: by(summed, (i) => answer.sums[i]),
    elements: by(listed, (i) => Number(answer.elements[i])),
    ...digests(names, rows),
  };
}

function told(cell, kind) {
  if (cell === null) return null;
  if (kind === 'double') return bitsOf(cell);
  return kind.startsWith('list') ? JSON.parse(cell) : cell;
}

/** A list of texts; of no values, an empty one. */
function texts(values) {
  return `[${values.map((value) => `CAST(${value} AS VARCHAR)`).join(', ')}]::VARCHAR[]`;
}

/** SQL for a cell as text that does not depend on the reader. */
function spelled(value, kind) {
  if (kind.startsWith('timestamp')) return `CAST(epoch_us(${value}) AS VARCHAR)`;
  if (kind.startsWith('list')) return `CAST(to_json(${value}) AS VARCHAR)`;
  return `CAST(${value} AS VARCHAR)`;
}
