import { rowTextSql } from '../../land/rows/row-text-sql.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { type QueryRow, rowsOf } from '../../load/query/query.ts';
import type { OpenWarehouse, PreparedSelect } from '../../load/query/stream.ts';
import {
  CERTIFIED_COVERAGE,
  type Certificate,
  type CertifiedTable,
  type UnsignedCertificate,
} from './format.ts';
import { MerkleTree } from './merkle-tree.ts';

/** The heights, and the address if there is one, that choose the rows of a certificate. */
export type Scope = Pick<UnsignedCertificate, 'address' | 'ranges'>;

/** A table of a certificate, before its rows are read. */
export type CertifiedShape = Pick<CertifiedTable, 'name' | 'axis' | 'heightColumn' | 'columns'>;

/** Names of the columns of a selection of rows that hold their texts and their leaves. */
export const ROW = '_row';
export const LEAF = '_leaf';

/** Columns that hold an address, or several separated by commas. */
export function addressColumns(columns: CertifiedTable['columns']): string[] {
  return columns.map(({ name }) => name).filter((name) => name.endsWith('address'));
}

/** The rows of a table within a scope, in the order of their leaves; `where` narrows them. */
export async function certifiedRows(
  warehouse: OpenWarehouse,
  table: CertifiedShape,
  scope: Scope,
  where?: string,
): Promise<PreparedSelect> {
  const text = rowTextSql(table.columns);
  const sql = `SELECT ${table.columns.map(({ name }) => identifier(name)).join(', ')},
      ${text} AS ${ROW}, sha256('\\x00'::BLOB || encode(${text})) AS ${LEAF}
    FROM (${table.name === CERTIFIED_COVERAGE ? coverageSql(scope) : tableSql(table, scope)})`;
  return warehouse.select({ sql }, { order: [LEAF], ...(where === undefined ? {} : { where }) });
}

function tableSql({ name, axis, heightColumn, columns }: CertifiedShape, scope: Scope): string {
  const range = axis === null ? undefined : scope.ranges[axis];
  if (range === undefined || heightColumn === null) throw new Error(`${name} has no heights`);
  const sql = `SELECT * FROM ${name.split('.').map(identifier).join('.')}
    WHERE ${identifier(heightColumn)} BETWEEN ${range.from} AND ${range.to}`;
  const { address } = scope;
  if (address === null) return sql;
  const isIn = (column: string): string =>
    `list_contains(string_split(${identifier(column)}, ','), ${literal(address)})`;
  return `${sql} AND (${addressColumns(columns).map(isIn).join(' OR ')})`;
}

/** Rows of coverage that meet the certified heights, cut at them. */
function coverageSql({ ranges, address }: Scope): string {
  const ends = Object.entries(ranges).map(([axis, { from, to }]) => {
    return `(${literal(axis)}, ${from}, ${to})`;
  });
  return `SELECT c.* REPLACE (greatest(from_block, first) AS from_block,
      least(to_block, last) AS to_block)
    FROM ${CERTIFIED_COVERAGE} AS c
    JOIN (VALUES ${ends.join(', ')}) AS ranges(axis, first, last) USING (axis)
    WHERE from_block <= last AND to_block >= first
      ${address === null ? '' : `AND key IN ('', ${literal(address)})`}`;
}

/** The Merkle tree over all rows. `watch` gets each leaf with its index. */
export async function treeOf(
  rows: PreparedSelect,
  watch?: (leaf: string, index: number) => void,
): Promise<MerkleTree> {
  const tree = new MerkleTree();
  for await (const chunk of (await rows.read(LEAF)).chunks) {
    for (const leaf of chunk.getColumnValues(0) as readonly string[]) {
      watch?.(leaf, tree.leaves);
      tree.add(leaf);
    }
  }
  return tree;
}

/** The texts of all rows. */
export async function rowTexts(rows: PreparedSelect): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of (await rows.read(ROW)).chunks) {
    texts.push(...(chunk.getColumnValues(0) as readonly string[]));
  }
  return texts;
}

/** The statuses of the coverage, with the number of keys that have them. */
export async function coverageIn(
  warehouse: OpenWarehouse,
  scope: Scope,
  tables: Certificate['tables'],
): Promise<Certificate['coverage']> {
  const table = tables.find(({ name }) => name === CERTIFIED_COVERAGE);
  const hasEvidence = table?.columns.some(({ name }) => name === 'evidence') === true;
  return answer(
    warehouse,
    `SELECT axis, dataset, endpoint, variant, side, key_kind AS "keyKind", status,
       ${hasEvidence ? 'evidence,' : ''} count(DISTINCT key) AS keys,
       min(from_block) AS "fromBlock", max(to_block) AS "toBlock"
     FROM (${coverageSql(scope)}) GROUP BY ALL ORDER BY ALL`,
  );
}

/** The rows of a small SELECT, which names its columns as the members of a `Row`. */
export async function answer<Row>(warehouse: OpenWarehouse, sql: string): Promise<Row[]> {
  const selection = await warehouse.select({ sql });
  const names = selection.columns.map(({ name }) => name);
  const rows: QueryRow[] = [];
  for await (const chunk of (await selection.read('*')).chunks) rows.push(...rowsOf(chunk, names));
  return rows as Row[];
}
