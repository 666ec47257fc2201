import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { Selection } from '../protocol/source.ts';
import { NAMES_SEVERAL, POSITION, type ServedDataset } from './columns.ts';
import { heightsSql, partsSql } from './conditions.ts';

/**
 * Where the values of a column stand, sorted by their digests: what a few hashes or addresses have
 * is found without a scan of all records. A digest and its check have 64 bits each, so two values
 * that share both have to be made on purpose.
 */
export function placesTable(dataset: string, column: string): string {
  return identifier(`${dataset}.${column}`);
}

const digestSql = (value: string): string => `hash(${value})`;
const checkSql = (value: string): string => `hash('-' || ${value})`;

/** SQL that makes the table, empty. */
export function createPlacesSql({ name }: ServedDataset, column: string): string {
  return `CREATE TABLE ${placesTable(name, column)}
    (digest UBIGINT, "check" UBIGINT, height BIGINT, place UINTEGER)`;
}

/** SQL that adds the places from a position on. A party is found by each address it names. */
export function addPlacesSql(of: ServedDataset, column: string, from: number): string {
  const added = (value: string, where: string): string =>
    `SELECT ${value} AS value, ${identifier(of.heightColumn)} AS height, ${POSITION} AS place
     FROM ${identifier(of.name)} WHERE ${POSITION} >= ${from} AND ${where}`;
  const plain = identifier(column);
  const values = [added(plain, `${plain} IS NOT NULL`)];
  if (of.parties.includes(column)) values.push(added(`unnest(${partsSql(column)})`, NAMES_SEVERAL));
  return `INSERT INTO ${placesTable(of.name, column)}
    SELECT ${digestSql('value')} AS digest, ${checkSql('value')}, height, place
    FROM (${values.join(' UNION ALL ')}) ORDER BY digest, height`;
}

/** SQL for the lowest height of the records that each of these hashes names, by its place here. */
export function heightsOfSql(of: ServedDataset, values: readonly string[]): string {
  const rows = values.map((value, nth) => `(${nth}, ${digestSql(literal(value))})`).join(', ');
  const found = of.hashes.map(
    (column) => `SELECT nth, height FROM ${placesTable(of.name, column)} JOIN asked USING (digest)`,
  );
  return `WITH asked (nth, digest) AS (VALUES ${rows})
    SELECT nth, min(height) FROM (${found.join(' UNION ALL ')}) GROUP BY nth`;
}

/** Where the records may stand that are asked for. */
export interface Places {
  /** SQL for their positions. */
  readonly sql: string;
  /** Nothing but these names and the heights was asked: each place is listed once. */
  readonly isAll: boolean;
}

/** Undefined for questions that name neither hashes nor addresses. */
export function placesOf(of: ServedDataset, asked: Selection): Places | undefined {
  const { keys, filters, bounds, oncePerKey } = asked;
  const namings = keys === undefined ? filters : [keys, ...filters];
  const naming = namings.find(({ columns }) => columns.every((each) => of.lookedUp.includes(each)));
  if (naming === undefined) return undefined;
  const values = naming.values.map(literal);
  const found = naming.columns.map(
    (column) => `SELECT place FROM ${placesTable(of.name, column)}
      WHERE digest IN (${values.map(digestSql).join(', ')})
        AND "check" IN (${values.map(checkSql).join(', ')})
        AND ${heightsSql(of, asked, 'height')}`,
  );
  return {
    // Two columns, or two parts of one, may lead to one record.
    sql: `SELECT DISTINCT place FROM (${found.join(' UNION ALL ')})`,
    isAll: namings.length === 1 && bounds.length === 0 && !(oncePerKey && keys !== undefined),
  };
}
