import type { DuckDBValue } from '@duckdb/node-api';
import type { OpenWarehouse } from '../../load/query/stream.ts';
import { coverageSql, type Scope } from './certified-rows.ts';
import { CERTIFIED_COVERAGE, type Certificate } from './format.ts';

/** The statuses of the coverage, with the number of keys that have them. */
export async function coverageIn(
  warehouse: OpenWarehouse,
  scope: Scope,
  tables: Certificate['tables'],
): Promise<Certificate['coverage']> {
  const table = tables.find(({ name }) => name === CERTIFIED_COVERAGE);
  const hasEvidence = table?.columns.some(({ name }) => name === 'evidence') === true;
  const names = ['axis', 'dataset', 'endpoint', 'variant', 'side', 'key_kind', 'status'];
  const rows = await answer(
    warehouse,
    `SELECT ${names.join(', ')}, ${hasEvidence ? 'evidence' : 'NULL'}, count(DISTINCT key),
       min(from_block), max(to_block)
     FROM (${coverageSql(scope)}) GROUP BY ALL ORDER BY ALL`,
  );
  return rows.map((cells) => {
    const texts = cells.map((cell) => (cell === null ? null : String(cell)));
    const [axis, dataset, endpoint, variant, side, keyKind, status, evidence] = texts;
    const [keys, fromBlock, toBlock] = cells.slice(names.length + 1).map(Number);
    const proof = hasEvidence ? { evidence } : {};
    const list = { axis, dataset, endpoint, variant, side, keyKind, status };
    return { ...list, ...proof, keys, fromBlock, toBlock } as Certificate['coverage'][number];
  });
}

/** The rows of a small SELECT. */
export async function answer(warehouse: OpenWarehouse, sql: string): Promise<DuckDBValue[][]> {
  const rows: DuckDBValue[][] = [];
  const { chunks } = await (await warehouse.select({ sql })).read('*');
  for await (const chunk of chunks) rows.push(...chunk.getRows());
  return rows;
}
