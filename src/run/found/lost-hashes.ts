import type { DuckDBConnection } from '@duckdb/node-api';
import { endpointAt, paramOf } from '../../catalogue/index.ts';
import { LOOK_UP_ENDPOINTS } from '../../coverage/list.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import type { DeltaTable } from '../../land/rows/table.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { keySources } from './found-keys.ts';

/** A table and its forgotten rows. */
export interface LosingTable {
  readonly table: DeltaTable;
  /** SQL for all its rows. */
  readonly rows: string;
  /** SQL condition for the forgotten rows. */
  readonly gone: string;
}

/** The hashes in forgotten rows that an endpoint may have looked up. */
export interface LostHashes {
  /** No remaining row explains their look-ups. */
  readonly gone: ReadonlySet<string>;
  readonly kept: ReadonlySet<string>;
}

/**
 * The hashes in forgotten rows, by the endpoints of look-ups. A lake does not record the rows from
 * which a run took a hash, so the pipelines explain their look-ups. Without a pipeline that
 * requests an endpoint, any row that names a hash explains it, except rows of look-ups.
 */
export async function lostHashes(
  connection: DuckDBConnection,
  tables: readonly LosingTable[],
  pipelines: readonly Pipeline[],
): Promise<ReadonlyMap<string, LostHashes>> {
  const endpoints = new Map<string, LostHashes>();
  // Endpoints with the same key column and the same explaining rows have the same hashes.
  const cache = new Map<string, LostHashes>();
  for (const endpoint of LOOK_UP_ENDPOINTS) {
    const [column] = paramOf(endpointAt(endpoint), 'keys')?.columns ?? [];
    if (column === undefined) continue;
    const candidates = tables
      .filter(({ table: { dataset } }) => {
        return tableColumns(dataset.name).some(({ name }) => name === column);
      })
      .map((losingTable) => {
        const explaining = explainingRows(endpoint, losingTable.table.dataset.name, pipelines);
        return { ...losingTable, explaining: explaining ?? NOT_LOOKED_UP };
      });
    const id = JSON.stringify([column, candidates.map(({ explaining }) => explaining)]);
    const hashes = cache.get(id) ?? (await hashesIn(connection, candidates, identifier(column)));
    cache.set(id, hashes);
    endpoints.set(endpoint, hashes);
  }
  return endpoints;
}

async function hashesIn(
  connection: DuckDBConnection,
  tables: readonly (LosingTable & { readonly explaining: string })[],
  name: string,
): Promise<LostHashes> {
  if (tables.length === 0) return { gone: new Set(), kept: new Set() };
  const named = tables.map(({ rows, gone, explaining }) => {
    return `SELECT ${name} AS hash, (${gone}) IS TRUE AS is_gone,
      (${explaining}) IS TRUE AND NOT is_gone AS explains FROM (${rows})`;
  });
  // Read twice, because the hashes of a whole lake need much memory.
  const reader = await connection.runAndReadAll(
    `WITH named AS NOT MATERIALIZED (${named.join(' UNION ALL ')}),
       lost AS (SELECT DISTINCT hash FROM named WHERE is_gone)
     SELECT hash, bool_or(explains) FROM named SEMI JOIN lost USING (hash) GROUP BY hash`,
  );
  const [gone, kept] = [new Set<string>(), new Set<string>()];
  for (const [hash, isKept] of reader.getRows()) (isKept ? kept : gone).add(String(hash));
  return { gone, kept };
}

const NOT_LOOKED_UP = `_endpoint NOT IN (${LOOK_UP_ENDPOINTS.map(literal).join(', ')})`;

/**
 * SQL condition for the rows of a dataset from which the pipelines take keys for an endpoint;
 * undefined if none of them requests it. Addresses do not matter: a row of an address that only
 * another pipeline requests explains the look-up, too.
 */
function explainingRows(
  endpoint: string,
  dataset: string,
  pipelines: readonly Pipeline[],
): string | undefined {
  const sources = pipelines.flatMap((pipeline) => {
    const lookingUp = pipeline.requests.filter(({ entry }) => entry.path === endpoint);
    return lookingUp.flatMap((request) => keySources(pipeline, request));
  });
  if (sources.length === 0) return undefined;
  const uses = sources.filter(({ finder }) => finder.dataset === dataset);
  return uses.length === 0 ? 'false' : uses.map(({ condition }) => `(${condition})`).join(' OR ');
}
