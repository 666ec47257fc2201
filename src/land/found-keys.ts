import { type DuckDBConnection, listValue } from '@duckdb/node-api';
import { datasetNamed, paramOf } from '../catalogue/index.ts';
import type { Coverage } from '../coverage/coverage.ts';
import { findList, isAskedByHash, type List } from '../coverage/list.ts';
import { contains, type Interval } from '../coverage/ranges.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';
import type { FoundKey } from '../plan/plan.ts';
import type { Lake } from './lake.ts';
import { tableColumns } from './rows/columns.ts';
import { namedKeysSql } from './rows/named-keys.ts';
import { scanSql } from './storage/scan.ts';
import { withScratch } from './storage/scratch.ts';
import { identifier, literal } from './storage/sql-text.ts';

type GivenKeys = Readonly<Record<string, readonly string[]>>;

/**
 * For each request of the pipeline with keys found in rows: these keys, each with the height of its
 * row, in order of height. Rows that only other pipelines requested are ignored. `coverage` is that
 * of the lake.
 */
export async function foundKeys(
  lake: Lake,
  pipeline: Pipeline,
  keys: GivenKeys,
  coverage: Coverage,
): Promise<ReadonlyMap<PipelineRequest, readonly FoundKey[]>> {
  const found = new Map<PipelineRequest, readonly FoundKey[]>();
  const looking = pipeline.requests.filter(({ foundIn }) => foundIn !== undefined);
  if (looking.length === 0) return found;
  return withScratch(async (connection) => {
    for (const request of looking) {
      found.set(
        request,
        await keysIn(blocksWanted(coverage, request), () => {
          return keysFor(connection, { lake, pipeline, keys, coverage }, request);
        }),
      );
    }
    return found;
  });
}

async function keysFor(
  connection: DuckDBConnection,
  { lake, pipeline, keys, coverage }: FoundIn,
  request: PipelineRequest,
): Promise<FoundKey[]> {
  const lookedUp = await lookedUpSql(connection, lake, request);
  const isComplete = new Map(
    request.lists.map((list) => [list.variant, coverage.completeIn(list)]),
  );
  const found = new Map<string, FoundKey>();
  for (const source of keySources(pipeline, request)) {
    const { keySet } = source.finder;
    const given = keySet === undefined ? undefined : (keys[keySet] ?? []);
    const rows = await rowsOf(connection, lake, { ...source, given, lookedUp });
    for (const [key, height, variants] of rows) {
      if (height <= (found.get(key)?.height ?? -1)) continue;
      // A look-up counts where its list is complete: damage, and a change of the chain that is not
      // recorded yet, show there.
      const lookedUpIn = variants?.split(VARIANT_END).filter((variant) => {
        return isComplete.get(variant)?.('', height);
      });
      found.set(key, { key, height, ...(lookedUpIn && { lookedUpIn }) });
    }
  }
  return [...found.values()].sort((a, b) => a.height - b.height || (a.key < b.key ? -1 : 1));
}

/** Ends the text of a variant, which never has one. */
const VARIANT_END = '\n';

/** SQL for the hashes in rows of a request's look-ups, with the variants of their lists. */
async function lookedUpSql(
  connection: DuckDBConnection,
  lake: Lake,
  { entry, dataset, lists: [list] }: PipelineRequest,
): Promise<string> {
  const [column] = paramOf(entry, 'keys')?.columns ?? [];
  const isLookUp = list !== undefined && isAskedByHash(list) && column !== undefined;
  const table = lake.table(dataset);
  const paths = isLookUp ? table.paths(await table.snapshot()) : [];
  if (column === undefined || paths.length === 0) return NOT_LOOKED_UP;
  return `SELECT ${identifier(column)} AS found,
      string_agg(DISTINCT _variant, ${literal(VARIANT_END)}) AS variants
    FROM (${await scanSql(connection, paths, tableColumns(dataset))})
    WHERE _endpoint = ${literal(entry.path)} GROUP BY found`;
}

const NOT_LOOKED_UP = 'SELECT NULL::VARCHAR AS found, NULL::VARCHAR AS variants WHERE false';

/** The places in which keys are found. */
interface FoundIn {
  readonly lake: Lake;
  readonly pipeline: Pipeline;
  readonly keys: GivenKeys;
  readonly coverage: Coverage;
}

/** Rows of one list in which a request finds keys. */
export interface KeySource {
  readonly finder: PipelineRequest;
  readonly list: List;
  /** The column with the keys. */
  readonly column: string;
  /** SQL condition for these rows of the table. */
  readonly condition: string;
}

/** The lists in which a request of the pipeline finds its keys; none for requests of given keys. */
export function keySources({ requests }: Pipeline, request: PipelineRequest): KeySource[] {
  const { foundIn } = request;
  const [column] = paramOf(request.entry, 'keys')?.columns ?? [];
  if (foundIn === undefined || column === undefined) return [];
  const { datasets, by, without } = foundIn;
  const sources: KeySource[] = [];
  for (const finder of requests) {
    if (finder.foundIn !== undefined || !datasets.includes(finder.dataset)) continue;
    for (const { entry, lists } of [finder, ...finder.alternatives]) {
      if (by?.includes(entry.path) === false) continue;
      // One list at a time: lists differ in the columns that hold the keys of a row.
      for (const list of lists) {
        const conditions = [
          `_endpoint = ${literal(list.endpoint)}`,
          `_variant = ${literal(list.variant)}`,
          `${identifier(column)} IS NOT NULL`,
          ...(without === undefined ? [] : [`${identifier(without)} IS NULL`]),
        ];
        sources.push({ finder, list, column, condition: conditions.join(' AND ') });
      }
    }
  }
  return sources;
}

/**
 * Blocks of the dataset with the status in `foundIn.at`; undefined for all blocks. Look-ups do not
 * count: their intervals have blocks of other transactions, too.
 */
function blocksWanted(
  coverage: Coverage,
  { dataset, foundIn }: PipelineRequest,
): Interval[] | undefined {
  if (foundIn?.at === undefined) return undefined;
  const lists = coverage.lists().flatMap((id) => findList(id) ?? []);
  const ofBlocks = lists.filter((list) => list.dataset.name === dataset && !isAskedByHash(list));
  return ofBlocks.flatMap((list) => {
    const entries = [...coverage.keysOf(list).openKeys()].flatMap((key) => coverage.of(list, key));
    return entries.filter(({ status }) => status === foundIn.at);
  });
}

/** The keys with a row in one of the blocks. Without blocks, the query is skipped. */
async function keysIn(
  blocks: readonly Interval[] | undefined,
  look: () => Promise<FoundKey[]>,
): Promise<FoundKey[]> {
  if (blocks?.length === 0) return [];
  const keys = await look();
  return keys.filter(({ height }) => blocks?.some((block) => contains(block, height)) ?? true);
}

interface Search extends KeySource {
  /** Keys that the finder requests; undefined for all keys. */
  readonly given: readonly string[] | undefined;
  /** SQL for the hashes that were looked up. */
  readonly lookedUp: string;
}

async function rowsOf(
  connection: DuckDBConnection,
  lake: Lake,
  search: Search,
): Promise<[key: string, height: number, variants: string | undefined][]> {
  const { finder, given, column, condition, lookedUp } = search;
  const table = lake.table(finder.dataset);
  const snapshot = await table.snapshot();
  const paths = table.paths(snapshot);
  if (paths.length === 0 || given?.length === 0) return [];
  const rows = await scanSql(connection, paths, tableColumns(finder.dataset));
  const height = identifier(datasetNamed(finder.dataset).heightColumn);
  const named = namedKeys(search);
  const isOfKeys =
    given === undefined || named === undefined
      ? ''
      : `SEMI JOIN (SELECT unnest($wanted) AS named) AS wanted USING (named)`;
  const reader = await connection.runAndReadAll(
    `SELECT found, max(height), any_value(variants) FROM (
       SELECT unnest(${namedKeysSql(finder.dataset, [column])}) AS found, height FROM (
         SELECT *, ${height} AS height, ${isOfKeys === '' ? 'NULL' : `unnest(${named})`} AS named
         FROM (${rows}) WHERE ${condition}
       ) ${isOfKeys}
     ) LEFT JOIN (${lookedUp}) USING (found) GROUP BY found`,
    isOfKeys === '' ? {} : { wanted: listValue([...(given ?? [])]) },
  );
  return reader.getRows().map(([key, at, variants]) => {
    return [String(key), Number(at), typeof variants === 'string' ? variants : undefined];
  });
}

/** SQL for the list of a row's keys; undefined for lists without keys. */
function namedKeys({ finder, list: { keyColumns } }: Search): string | undefined {
  return keyColumns && namedKeysSql(finder.dataset, keyColumns);
}
