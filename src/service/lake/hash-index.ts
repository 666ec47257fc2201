import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { Selection } from '../protocol/source.ts';
import { NAMES_SEVERAL, POSITION, type ServedDataset } from './columns.ts';
import { heightsSql, partsSql } from './conditions.ts';

/**
 * A hash index: record positions by the digests of a column's values, sorted. Records of a few
 * hashes or addresses are found without a full scan. Digest and check have 64 bits each, so a
 * collision of both can only be made on purpose.
 */
export function hashIndexTable(dataset: string, column: string): string {
  return identifier(`${dataset}.${column}`);
}

const digestSql = (value: string): string => `hash(${value})`;
const checkSql = (value: string): string => `hash('-' || ${value})`;

/** SQL that creates the empty table. */
export function createHashIndexSql({ name }: ServedDataset, column: string): string {
  return `CREATE TABLE ${hashIndexTable(name, column)}
    (digest UBIGINT, "check" UBIGINT, height BIGINT, place UINTEGER)`;
}

/**
 * SQL that indexes the records from a position on. A party is indexed under each of its addresses.
 */
export function addToHashIndexSql(of: ServedDataset, column: string, from: number): string {
  const added = (value: string, where: string): string =>
    `SELECT ${value} AS value, ${identifier(of.heightColumn)} AS height, ${POSITION} AS place
     FROM ${identifier(of.name)} WHERE ${POSITION} >= ${from} AND ${where}`;
  const plain = identifier(column);
  const values = [added(plain, `${plain} IS NOT NULL`)];
  if (of.parties.includes(column)) values.push(added(`unnest(${partsSql(column)})`, NAMES_SEVERAL));
  return `INSERT INTO ${hashIndexTable(of.name, column)}
    SELECT ${digestSql('value')} AS digest, ${checkSql('value')}, height, place
    FROM (${values.join(' UNION ALL ')}) ORDER BY digest, height`;
}

/**
 * SQL for the lowest height of the records that name each hash, by the hash's place in `values`.
 */
export function heightsOfSql(of: ServedDataset, values: readonly string[]): string {
  const rows = values.map((value, nth) => `(${nth}, ${digestSql(literal(value))})`).join(', ');
  const found = of.hashes.map(
    (column) =>
      `SELECT nth, height FROM ${hashIndexTable(of.name, column)} JOIN asked USING (digest)`,
  );
  return `WITH asked (nth, digest) AS (VALUES ${rows})
    SELECT nth, min(height) FROM (${found.join(' UNION ALL ')}) GROUP BY nth`;
}

/** Candidate positions of the selected records. */
export interface Candidates {
  /** SQL for the positions. */
  readonly sql: string;
  /** Whether the selection has no other conditions. Each position is then listed once. */
  readonly isAll: boolean;
}

/** Undefined for selections without hashes or addresses. */
export function candidatesOf(of: ServedDataset, asked: Selection): Candidates | undefined {
  const { keys, filters, bounds, oncePerKey } = asked;
  const namings = keys === undefined ? filters : [keys, ...filters];
  const naming = namings.find(({ columns }) => columns.every((each) => of.lookedUp.includes(each)));
  if (naming === undefined) return undefined;
  const values = naming.values.map(literal);
  const found = naming.columns.map(
    (column) => `SELECT place FROM ${hashIndexTable(of.name, column)}
      WHERE digest IN (${values.map(digestSql).join(', ')})
        AND "check" IN (${values.map(checkSql).join(', ')})
        AND ${heightsSql(of, asked, 'height')}`,
  );
  return {
    // Two columns, or two addresses of one party, may lead to the same record.
    sql: `SELECT DISTINCT place FROM (${found.join(' UNION ALL ')})`,
    isAll: namings.length === 1 && bounds.length === 0 && !(oncePerKey && keys !== undefined),
  };
}
