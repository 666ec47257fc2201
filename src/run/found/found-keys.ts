import {
  type DuckDBConnection,
  DuckDBListValue,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import { datasetNamed, paramOf } from '../../catalogue/index.ts';
import type { Coverage } from '../../coverage/coverage.ts';
import { findList, isAskedByHash, type List } from '../../coverage/list.ts';
import { contains, type Interval } from '../../coverage/ranges.ts';
import type { Lake } from '../../land/lake.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { landedSql } from '../../land/rows/landed-look-ups.ts';
import { namedKeysSql } from '../../land/rows/named-keys.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { scanSql } from '../../land/storage/scan.ts';
import { withScratch } from '../../land/storage/scratch.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { PipelineRequest } from '../../pipeline/requests.ts';
import type { DoneKeys, FoundKey, HeadsByAxis } from '../../plan/plan.ts';

type GivenKeys = Readonly<Record<string, readonly string[]>>;

/** The keys that requests of a pipeline find in rows. */
export interface KeysInRows {
  /** In order of height, each with the height of its row. */
  readonly rowKeys: ReadonlyMap<PipelineRequest, readonly FoundKey[]>;
  /** The keys that are not among these, because all lists of their request have looked them up. */
  readonly done: ReadonlyMap<PipelineRequest, readonly DoneKeys[]>;
}

/** The places in which keys are found. */
interface FoundIn {
  readonly lake: Lake;
  readonly pipeline: Pipeline;
  readonly keys: GivenKeys;
  readonly coverage: Coverage;
  /** With heads, keys below the safe height that are looked up are only counted. */
  readonly heads?: HeadsByAxis | undefined;
}

/** The keys of each request with keys found in rows, of this pipeline alone, and begun look-ups. */
export async function foundKeys(options: FoundIn): Promise<KeysInRows> {
  const rowKeys = new Map<PipelineRequest, readonly FoundKey[]>();
  const done = new Map<PipelineRequest, readonly DoneKeys[]>();
  const looking = options.pipeline.requests.filter(({ foundIn }) => foundIn !== undefined);
  if (looking.length === 0) return { rowKeys, done };
  return withScratch(async (connection) => {
    for (const request of looking) {
      const blocks = blocksWanted(options.coverage, request);
      const inRows = blocks?.length === 0 ? NONE : await keysFor(connection, options, request);
      const isWanted = ({ height }: { readonly height: number }): boolean =>
        blocks?.some((block) => contains(block, height)) ?? true;
      const begun = begunLookUps(options, request, inRows.keys);
      const keys = [...begun, ...inRows.keys.filter(isWanted)];
      rowKeys.set(request, keys.sort(byHeight));
      done.set(request, inRows.done.filter(isWanted));
    }
    return { rowKeys, done };
  });
}

const byHeight = (a: FoundKey, b: FoundKey): number => a.height - b.height;

/**
 * Hashes below the safe height whose look-ups are not complete, and which no row names: those of
 * transactions that left the chain before their blocks were final. They are looked up, so that
 * their rows go.
 */
function begunLookUps(
  { coverage, heads }: FoundIn,
  { entry, lists }: PipelineRequest,
  named: readonly FoundKey[],
): FoundKey[] {
  const safe = heads?.[entry.axis]?.safe ?? 0;
  const rowKeys = new Set(['', ...named.map(({ key }) => key)]);
  return lists.filter(isAskedByHash).flatMap((list) => {
    const hashes = [...coverage.keysOf(list).openKeys()].filter((key) => !rowKeys.has(key));
    return hashes.flatMap((key) => {
      const open = coverage.get(list, key).filter(({ status }) => status !== 'complete');
      const height = open.reduce((lowest, { from }) => Math.min(lowest, from), safe);
      return height < safe ? [{ key, height, lookedUpIn: [] }] : [];
    });
  });
}

const NO_END = Number.MAX_SAFE_INTEGER;
const NONE = { keys: [], done: [] };

async function keysFor(
  connection: DuckDBConnection,
  options: FoundIn,
  request: PipelineRequest,
): Promise<{ readonly keys: readonly FoundKey[]; readonly done: readonly DoneKeys[] }> {
  const { lake, pipeline, keys: keySets, coverage, heads } = options;
  const values: Record<string, DuckDBValue> = {};
  const sources: string[] = [];
  for (const source of keySources(pipeline, request)) {
    const { keySet } = source.finder;
    const keys = keySet === undefined ? undefined : (keySets[keySet] ?? []);
    const name = `wanted_${sources.length}`;
    const rows = await rowsOf(connection, lake, source, keys && { name, keys });
    if (rows === undefined) continue;
    sources.push(rows);
    if (keys !== undefined && rows.includes(`$${name}`)) values[name] = listValue(keys);
  }
  if (sources.length === 0) return NONE;
  const { lists, entry } = request;
  const isLookUp = lists.every((list) => isAskedByHash(list));
  // Keys of other lists, and all keys without heads, are returned.
  const safe = (isLookUp && heads?.[entry.axis]?.safe) || 0;
  const entered = lists.flatMap((list) => [...coverage.keysOf(list).keys()]);
  const open = [
    `SELECT *, NULL AS variant FROM found WHERE height >= ${safe}`,
    'SELECT *, NULL FROM found SEMI JOIN (SELECT unnest($entered) AS found) USING (found)',
  ];
  for (const list of lists.filter(isAskedByHash)) {
    const lookUps = await lake.table(list.dataset.name).lookUpRows(list);
    await localDisk.fetch(lookUps.paths);
    // A row completes the look-up at all heights.
    const isRow = 'to_block IS NULL';
    open.push(
      `SELECT *, ${literal(list.variant)} FROM found ANTI JOIN (
         SELECT hash, if(${isRow}, 0, from_block) AS low, if(${isRow}, ${NO_END}, to_block) AS high
         FROM (${landedSql(lookUps, list)})
       ) ON hash = found AND height BETWEEN low AND high`,
    );
  }
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE found AS
     SELECT found, max(height) AS height FROM (${sources.join(' UNION ALL ')}) GROUP BY found`,
    values,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE open AS
     SELECT found, any_value(height) AS height, list(DISTINCT variant) AS variants
     FROM (${open.join(' UNION ALL ')}) GROUP BY found`,
    { entered: listValue(entered) },
    { entered: LIST(VARCHAR) },
  );
  const isComplete = new Map(lists.map((list) => [list.variant, coverage.completeIn(list)]));
  // A look-up counts where its list is complete: damage, and a change of the chain that is not
  // recorded yet, show there.
  const lookedUpAt = (height: number, variants: readonly unknown[]): string[] =>
    [...isComplete].flatMap(([variant, isCompleteAt]) => {
      return !variants.includes(variant) && isCompleteAt('', height) ? [variant] : [];
    });
  const counts = await connection.runAndReadAll(
    'SELECT height, count(*) FROM found ANTI JOIN open USING (found) GROUP BY height',
  );
  const done = counts.getRows().map(([height, count]) => {
    return { height: Number(height), keys: Number(count) };
  });
  if (done.some(({ height }) => lookedUpAt(height, []).length < lists.length))
    return keysFor(connection, { ...options, heads: undefined }, request);
  const rows = await connection.runAndReadAll('FROM open ORDER BY height, found');
  const keys = rows.getRows().map(([key, at, variants]): FoundKey => {
    const height = Number(at);
    const others = variants instanceof DuckDBListValue ? variants.items : [];
    return {
      key: String(key),
      height,
      ...(isLookUp && { lookedUpIn: lookedUpAt(height, others) }),
    };
  });
  return { keys, done };
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
    const entries = [...coverage.keysOf(list).openKeys()].flatMap((key) => coverage.get(list, key));
    return entries.filter(({ status }) => status === foundIn.at);
  });
}

/** SQL for the keys in rows of a source, with their heights; undefined if there are none. */
async function rowsOf(
  connection: DuckDBConnection,
  lake: Lake,
  source: KeySource,
  filter: { readonly name: string; readonly keys: readonly string[] } | undefined,
): Promise<string | undefined> {
  const { finder, column, condition, list } = source;
  const table = lake.table(finder.dataset);
  const paths = table.paths(await table.snapshot());
  if (paths.length === 0 || filter?.keys.length === 0) return undefined;
  const rows = await scanSql(connection, paths, tableColumns(finder.dataset));
  const height = identifier(datasetNamed(finder.dataset).heightColumn);
  const named = list.keyColumns && namedKeysSql(finder.dataset, list.keyColumns);
  const isOfKeys =
    filter === undefined || named === undefined
      ? ''
      : `SEMI JOIN (SELECT unnest($${filter.name}) AS named) AS wanted USING (named)`;
  return `SELECT unnest(${namedKeysSql(finder.dataset, [column])}) AS found, height FROM (
      SELECT *, ${height} AS height, ${isOfKeys === '' ? 'NULL' : `unnest(${named})`} AS named
      FROM (${rows}) WHERE ${condition}
    ) ${isOfKeys}`;
}
