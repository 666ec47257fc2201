import type { KeyKind } from '../catalogue/entry.ts';
import { kindOfKey, wordsOfDataset } from '../catalogue/index.ts';
import { type Interval, normalise, subtract } from '../coverage/ranges.ts';
import {
  type Changes,
  EVERY_HEIGHT,
  EVERYTHING,
  type KeyedChange,
  listedHeights,
} from '../land/delta/changed-heights.ts';
import { append, declared } from '../land/storage/appending.ts';
import { identifier } from '../land/storage/sql-text.ts';
import { CURATED_TABLES, type CuratedTable } from './curated-tables.ts';
import { joinToCount } from './heights/chunks.ts';
import type { MadeFrom } from './made-from.ts';
import { type RawVersion, versionKey } from './raw-versions.ts';
import { heightsAmong } from './rule/heights-among.ts';
import { keyKindOf } from './rule/lists.ts';
import type { RangePlanner } from './rule/range-planner.ts';
import { withinSql } from './rule/range-rows.ts';

/**
 * The heights and keys of raw tables that changed since one of the curated tables was made from
 * them. Everything has changed if a raw table is not the one that it was made from.
 */
export async function changedSince(
  raw: readonly RawVersion[],
  former: readonly MadeFrom[],
): Promise<Changes> {
  const heights: Interval[] = [];
  const keyed: KeyedChange[] = [];
  for (const table of raw) {
    const versions = versionsIn(former, table);
    if (versions === undefined) return EVERYTHING;
    const changes = await table.changedSince(Math.min(...versions));
    // After a crash between two commits, only the older of the tables has the rows of older keys.
    const isTorn = new Set(versions).size > 1;
    heights.push(...(isTorn ? listedHeights(changes) : changes.heights));
    keyed.push(...changes.keyed.filter(({ kind }) => !isTorn || kind === 'transaction'));
  }
  return { heights: normalise(heights), keyed };
}

/** The versions of the raw table; undefined if one was made from another table of its name. */
function versionsIn(former: readonly MadeFrom[], table: RawVersion): number[] | undefined {
  const tableKey = versionKey(table);
  const isOther = former
    .flatMap((made) => [...made])
    .some(([key, at]) => key.startsWith(`${table.dataset}/`) && key !== tableKey && at >= 0);
  return isOther ? undefined : former.map((made) => made.get(tableKey) ?? -1);
}

/**
 * The addresses that may be followed or forgotten since: those without coverage apart from that
 * which changed. Ledgers show them at every height whose rows name them.
 */
export async function followedSince(
  raw: readonly RawVersion[],
  former: readonly MadeFrom[],
): Promise<Changes> {
  const changed = new Set<string>();
  const kept = new Set<string>();
  for (const table of raw) {
    const versions = versionsIn(former, table);
    if (versions === undefined) return EVERYTHING;
    const { heights, keyed } = await table.changedSince(Math.min(...versions));
    // Other programs may have changed any coverage.
    if (heights.some(({ to }) => to === EVERY_HEIGHT[0]?.to)) return EVERYTHING;
    const intervalsByKey = new Map<string, Interval[]>();
    for (const { kind, keys, from, to } of keyed) {
      for (const key of kind === 'address' ? keys : []) {
        const intervals = intervalsByKey.get(key) ?? [];
        intervals.push({ from, to });
        intervalsByKey.set(key, intervals);
      }
    }
    for (const { keys, parts, ...list } of table.coverage) {
      if (keyKindOf({ dataset: table.dataset, ...list }) !== 'address') continue;
      for (const key of keys) {
        const intervals = intervalsByKey.get(key) ?? [];
        if (parts.some((part) => subtract(part, intervals).length > 0)) kept.add(key);
      }
    }
    for (const key of intervalsByKey.keys()) changed.add(key);
  }
  const keys = [...changed].filter((key) => !kept.has(key));
  const change = { kind: 'address', keys, hasRemovals: false } as const;
  return { heights: [], keyed: EVERY_HEIGHT.map((all) => ({ ...change, ...all })) };
}

/**
 * These changes, with the keys of intervals where any key counts: `isSmall` tells the intervals
 * whose rows are fewer than finding the rows of keys is worth.
 */
export function withSmallIntervals(
  { heights, keyed }: Changes,
  isSmall: (interval: Interval) => boolean,
): Changes {
  const listed = keyed.filter(({ kind }) => kind !== 'transaction');
  const small = normalise(listed).filter(isSmall);
  const isIn = ({ kind, from }: KeyedChange): boolean =>
    kind !== 'transaction' &&
    small.some((interval) => from >= interval.from && from <= interval.to);
  return {
    heights: normalise([...heights, ...small]),
    keyed: keyed.filter((change) => !isIn(change)),
  };
}

/** Conditions on heights in one query. More heights than changed only cost time. */
const MAX_CONDITIONS = 100;

/**
 * The heights at which curated rows of the planner's axis may differ, given the changes of the raw
 * tables of the axis (`changes`) and of the transactions of the primary chain (`others`).
 */
export async function dirtyHeights(
  planner: RangePlanner,
  changes: Changes,
  others: Changes,
): Promise<readonly Interval[]> {
  const removals = normalise(changes.keyed.filter(({ hasRemovals }) => hasRemovals));
  const within = withinSql('height', joinToCount(removals, MAX_CONDITIONS));
  const evidence = CURATED_TABLES.find((table) => table.axis === planner.axis && table.isEvidence);
  // Evidence may be of raw rows that are gone, and that no curated row has shown.
  const shown = `SELECT DISTINCT height FROM stored.${evidence?.name} WHERE ${within}`;
  const named = await heightsOfKeys(planner, changes.keyed);
  const changed = normalise([...changes.heights, ...named, ...(await heightsIn(planner, shown))]);
  const more =
    planner.axis === 'primary'
      ? await ofStandards(planner, changed)
      : await ofCrossings(planner, others);
  return normalise([...changed, ...more]);
}

/** The heights at which `lake` or `stored` rows of the tables name the keys in their intervals. */
async function heightsOfKeys(
  planner: RangePlanner,
  keyed: readonly KeyedChange[],
  tables = CURATED_TABLES.filter(({ axis }) => axis === planner.axis),
): Promise<Interval[]> {
  const heights: Interval[][] = [];
  for (const kind of new Set(keyed.map((change) => change.kind))) {
    const changes = keyed.filter((change) => change.kind === kind);
    await fillKeys(planner, changes);
    const within = joinToCount(normalise(changes), MAX_CONDITIONS);
    const isByHash = kind === 'transaction';
    const isLost = changes.some(({ hasRemovals }) => hasRemovals);
    const rows = isByHash ? rowsOfHashes(planner, tables) : rowsOfKeys(planner, kind, tables);
    const relations = (await rows)
      .filter(({ relation }) => isLost || !relation.startsWith('stored.'))
      .map(({ relation, height, key }) => {
        const isNamed = `${key} IN (SELECT key FROM temp.changed_keys) OR contains(${key}, ',')`;
        const isIn = withinSql(height, within);
        return `SELECT ${height} AS height, ${key} AS keys FROM ${relation}
          WHERE ${isIn} AND (${isNamed})`;
      });
    if (relations.length === 0) continue;
    const sql = `SELECT DISTINCT height
      FROM (SELECT height, unnest(string_split(keys, ',')) AS key
        FROM (${relations.join(' UNION ALL ')})) AS rows
      JOIN temp.changed_keys AS c
        ON c.key = rows.key AND rows.height BETWEEN c.from_block AND c.to_block`;
    heights.push(await heightsIn(planner, sql));
  }
  return normalise(heights.flat());
}

const CHANGES = [
  { name: 'keys', type: 'VARCHAR[]' },
  { name: 'from_block', type: 'BIGINT' },
  { name: 'to_block', type: 'BIGINT' },
] as const;

async function fillKeys(planner: RangePlanner, changes: readonly KeyedChange[]): Promise<void> {
  const { connection } = planner.session;
  await connection.run(`CREATE OR REPLACE TEMP TABLE changes (${declared(CHANGES)})`);
  const cells = changes.map(({ keys, from, to }) => [keys, BigInt(from), BigInt(to)]);
  await append(connection, 'changes', CHANGES, cells);
  await connection.run(`CREATE OR REPLACE TEMP TABLE changed_keys AS
    SELECT unnest(keys) AS key, from_block, to_block FROM temp.changes`);
}

/** SQL for the keys that the rows of a relation name. */
interface KeysOfRows {
  readonly relation: string;
  readonly height: string;
  /** The column of one key, or of several separated by commas. */
  readonly key: string;
}

/** Rows as they are now, and as they were when each of the curated tables was written last. */
async function rowsOfHashes(
  planner: RangePlanner,
  tables: readonly CuratedTable[],
): Promise<KeysOfRows[]> {
  const rows: KeysOfRows[] = [];
  for (const table of tables) {
    const { name, hashColumn: key, heightColumn: height } = table;
    if (key === undefined) continue;
    rows.push({ relation: `stored.${name}`, height, key });
    if (await planner.addRaw(name)) rows.push({ relation: `lake.${name}`, height, key });
  }
  return rows;
}

/** Rows of addresses and tokens. Ledgers and journeys name the keys of their records. */
async function rowsOfKeys(
  planner: RangePlanner,
  kind: KeyKind,
  tables: readonly CuratedTable[],
): Promise<KeysOfRows[]> {
  const rows: KeysOfRows[] = [];
  for (const table of tables) {
    const { name, heightColumn: height } = table;
    if (!(await planner.addRaw(name))) continue;
    const words = wordsOfDataset(name).filter(({ column }) => kindOfKey(column) === kind);
    for (const relation of [`lake.${name}`, `stored.${name}`]) {
      const described = await planner.session.connection.runAndReadAll(`DESCRIBE ${relation}`);
      const present = new Set(described.getRows().map(([column]) => String(column)));
      for (const word of words.filter(({ column }) => present.has(column))) {
        rows.push({ relation, height, key: identifier(word.column) });
      }
    }
  }
  return rows;
}

/**
 * Heights of transfers without a token standard whose token has others at changed heights: these
 * transfers take their standard from other transfers of the token.
 */
async function ofStandards(
  planner: RangePlanner,
  changed: readonly Interval[],
): Promise<Interval[]> {
  const within = (await heightsAmong(planner.session.connection, 'dirty', changed))('block_number');
  return heightsIn(
    planner,
    `SELECT DISTINCT block_number FROM lake.token_transfers
     WHERE token_standard IS NULL AND token_address IN (
       SELECT token_address FROM lake.token_transfers WHERE ${within}
       UNION
       SELECT token_address FROM stored.token_transfers WHERE ${within}
     )`,
  );
}

/**
 * Heights of cross-chain transfers whose leg of the primary chain may have changed: it is another
 * one, its hash was looked up, or its sender has other coverage. Those that do not name the block
 * of their leg are always among them.
 */
async function ofCrossings(planner: RangePlanner, changes: Changes): Promise<Interval[]> {
  const { heights, keyed } = changes;
  const legs = CURATED_TABLES.filter(({ name }) => name === 'transactions');
  const changed = normalise([...heights, ...(await heightsOfKeys(planner, keyed, legs))]);
  const within = (await heightsAmong(planner.session.connection, 'dirty', changed))(
    'main_block_number',
  );
  await fillKeys(planner, keyed);
  const named = ['from_address', 'source_address'].map(
    (column) => `SELECT zone_block_number FROM lake.cross_chain_transfers
      JOIN temp.changed_keys ON key = ${column}
        AND main_block_number BETWEEN from_block AND to_block`,
  );
  return heightsIn(
    planner,
    `SELECT DISTINCT zone_block_number FROM (
       SELECT zone_block_number FROM lake.cross_chain_transfers
       WHERE main_tx_hash IS NOT NULL AND (
         main_block_number IS NULL OR ${within}
         OR main_tx_hash IN (SELECT key FROM temp.changed_keys)
       )
       UNION ALL ${named.join(' UNION ALL ')}
       UNION ALL
       SELECT zone_block_number FROM stored.cross_chain_journeys AS journeys
       ANTI JOIN stored.transactions AS legs
         ON legs.tx_hash = journeys.main_tx_hash
         AND legs.block_number = journeys.main_block_number
       WHERE main_leg_found
     )`,
  );
}

export async function heightsIn({ session }: RangePlanner, sql: string): Promise<Interval[]> {
  const rows = (await session.connection.runAndReadAll(sql)).getRows();
  return normalise(rows.map(([height]) => ({ from: Number(height), to: Number(height) })));
}
