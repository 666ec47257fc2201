import { createHash } from 'node:crypto';

/** The facts of a table that all readers report, as far as they are made in JavaScript. */

/** What differs between two lakes that were told the same: who fetched a row, when, in which slice. */
const PROVENANCE = ['_slice', '_fetched_at', '_run'];

/** Both digests of rows whose cells, as text, stand in the order of `names`. */
export function digests(names, rows) {
  const all = names.map((_, at) => at);
  const stable = all.filter((at) => !PROVENANCE.includes(names[at]));
  const whole = digest(rows, all);
  const hasAll = stable.length === all.length;
  return { digest: whole, stableDigest: hasAll ? whole : digest(rows, stable) };
}

/** The rows as a multiset: the sum of their digests, whatever order they come in. */
function digest(rows, positions) {
  let total = 0n;
  for (const row of rows) {
    const text = JSON.stringify(positions.map((at) => row[at]));
    total += BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
  }
  return BigInt.asUintN(256, total).toString(16).padStart(64, '0');
}

/** A double as its 64 bits, which no reader rounds. */
export function bitsOf(double) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Number(double));
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

/**
 * The rows of an answer as texts that do not depend on the reader: numbers without needless zeros,
 * times in microseconds since 1970, and the rows in one order, because NULL is first or last.
 */
export function answerOf(rows) {
  return rows.map((row) => JSON.stringify(row.map(answerCell))).sort();
}

function answerCell(cell) {
  if (cell === null) return null;
  const text = String(cell);
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(text)) return String(Date.parse(text) * 1000);
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

/** The columns of these kinds, in the order of their names. */
export function named(kinds, ...wanted) {
  return Object.keys(kinds)
    .sort()
    .filter((name) => wanted.includes(kinds[name].split('(')[0]));
}
