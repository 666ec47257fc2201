import { type DuckDBConnection, listValue } from '@duckdb/node-api';
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
  const gone = new Set<string>();
  const kept = new Set<string>();
  for (const table of tables) {
    const reader = await connection.runAndReadAll(
      `SELECT DISTINCT ${name} FROM (${table.rows}) WHERE ${name} IS NOT NULL AND (${table.gone})`,
    );
    for (const [hash] of reader.getRows()) gone.add(String(hash));
  }
  for (const table of tables) {
    if (gone.size === 0) break;
    const reader = await connection.runAndReadAll(
      `SELECT DISTINCT ${name} FROM (${table.rows})
       SEMI JOIN (SELECT unnest($lost) AS ${name}) AS lost USING (${name})
       WHERE (${table.explaining}) AND (${table.gone}) IS NOT TRUE`,
      { lost: listValue([...gone]) },
    );
    for (const [hash] of reader.getRows()) {
      gone.delete(String(hash));
      kept.add(String(hash));
    }
  }
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
