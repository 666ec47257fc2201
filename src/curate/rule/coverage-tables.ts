import { DuckDBTimestampTZValue } from '@duckdb/node-api';
import type { CoverageEntry } from '../../coverage/coverage.ts';
import { isSameList, listKey } from '../../coverage/list.ts';
import { blocksIn } from '../../coverage/ranges.ts';
import type { LakeTable, TableColumn, TableVersion } from './lake-tables.ts';
import { type LandedList, type Traits, traitsOf } from './lists.ts';
import { type ListCoverage, type Reach, reachOf, statusRank } from './reach.ts';

/** The tables of coverage: lists, log entries, and the best status per key and interval. */
export function coverageTables(versions: readonly TableVersion[]): LakeTable[] {
  const lists = listCoverage(versions);
  return [listsTable(lists), coverageTable(lists), reachTable(reachOf(lists))];
}

/** The entries of every list, in the order of precedence of the lists. */
export function listCoverage(
  versions: readonly Pick<TableVersion, 'dataset' | 'coverage'>[],
): ListCoverage[] {
  const entriesOf = new Map<string, CoverageEntry[]>();
  const lists = new Map<string, LandedList>();
  for (const { dataset, coverage } of versions) {
    let last: { readonly list: LandedList; readonly entries: CoverageEntry[] } | undefined;
    for (const entry of coverage) {
      // Entries come list by list, and there may be very many of one list.
      if (last === undefined || !isSameList(last.list, entry)) {
        const list = { dataset, endpoint: entry.endpoint, variant: entry.variant };
        const id = idOf(list);
        last = { list, entries: entriesOf.get(id) ?? [] };
        entriesOf.set(id, last.entries);
        lists.set(id, list);
      }
      last.entries.push(entry);
    }
  }
  return traitsOf([...lists.values()]).map((traits) => ({
    traits,
    entries: entriesOf.get(idOf(traits)) ?? [],
  }));
}

function idOf(list: LandedList): string {
  return `${list.dataset} ${listKey(list)}`;
}

const LIST_COLUMNS: readonly TableColumn[] = [
  { name: 'dataset', type: 'VARCHAR', comment: 'Dataset its records are in' },
  { name: 'axis', type: 'VARCHAR', comment: 'primary or zone: the chain of its blocks' },
  { name: 'endpoint', type: 'VARCHAR', comment: 'Endpoint of the list' },
  { name: 'variant', type: 'VARCHAR', comment: 'Filters of its requests, or empty' },
  {
    name: 'key_kind',
    type: 'VARCHAR',
    comment: 'Kind of its keys: address, token, transaction, or all for lists without keys',
  },
  {
    name: 'side',
    type: 'VARCHAR',
    comment:
      'Which records of the address the list holds: from (sent), to (received) or both; ' +
      'NULL if the key is not a sender or recipient',
  },
  {
    name: 'scope',
    type: 'VARCHAR',
    comment:
      'Filters of its records, as column=value, or empty: lists of one dataset and ' +
      'scope replace each other',
  },
];

function listCells(traits: Traits) {
  const { dataset, axis, endpoint, variant, keyKind, side, scope } = traits;
  return [dataset, axis, endpoint, variant, keyKind, side ?? null, scope];
}

/** `lake.lists`: every list that has coverage, and the records that it can hold. */
export function listsTable(lists: readonly ListCoverage[]): LakeTable {
  return {
    name: 'lists',
    comment: 'One row per list (endpoint and variant) with coverage, and the records it can hold',
    columns: [
      { name: 'list', type: 'BIGINT', comment: 'Number of the list, in this warehouse alone' },
      ...LIST_COLUMNS,
      {
        name: 'list_kind',
        type: 'VARCHAR',
        comment: 'ranged, positional, by-key, snapshot or submission; NULL for unknown endpoints',
      },
      {
        name: 'endpoint_rank',
        type: 'BIGINT',
        comment: 'Precedence among the endpoints of the dataset: 1 comes first',
      },
    ],
    rows: lists.map(({ traits }) => [
      BigInt(traits.number),
      ...listCells(traits),
      traits.listKind ?? null,
      BigInt(traits.endpointRank),
    ]),
  };
}

const INTERVAL_COLUMNS: readonly TableColumn[] = [
  { name: 'from_block', type: 'BIGINT', comment: 'First block of the interval' },
  { name: 'to_block', type: 'BIGINT', comment: 'Last block of the interval' },
  { name: 'blocks', type: 'BIGINT', comment: 'Blocks in the interval, both ends included' },
  {
    name: 'status',
    type: 'VARCHAR',
    comment: 'complete, provisional, truncated, depth_limited, inconsistent or failed',
  },
  { name: 'status_rank', type: 'BIGINT', comment: 'The same as a number: 1 complete, 6 failed' },
  { name: 'reason', type: 'VARCHAR', comment: 'Reason, if the status alone is not enough' },
];

function intervalCells(entry: CoverageEntry) {
  return [
    BigInt(entry.from),
    BigInt(entry.to),
    BigInt(blocksIn(entry)),
    entry.status,
    BigInt(statusRank(entry.status)),
    entry.reason,
  ];
}

/** `lake.coverage`: every entry of every log, and the records that its list can hold. */
export function coverageTable(lists: readonly ListCoverage[]): LakeTable {
  return {
    name: 'coverage',
    comment: 'One row per list (endpoint and variant), key and interval of known status',
    columns: [
      { name: 'list', type: 'BIGINT', comment: 'Number of the list, from lake.lists' },
      ...LIST_COLUMNS,
      {
        name: 'key',
        type: 'VARCHAR',
        comment: 'Requested key; empty for lists of the whole chain',
      },
      ...INTERVAL_COLUMNS,
      { name: 'head', type: 'BIGINT', comment: 'Head of the chain when it was read; the oldest' },
      { name: 'read_at', type: 'TIMESTAMPTZ', comment: 'When it was read; the oldest time [UTC]' },
    ],
    severalIn: 'key',
    rows: lists.flatMap(({ traits, entries }) => {
      const list = [BigInt(traits.number), ...listCells(traits)];
      return equalButForKey(entries).map(([entry, keys]) => [
        ...list,
        keys,
        ...intervalCells(entry),
        BigInt(entry.head),
        new DuckDBTimestampTZValue(BigInt(Math.trunc(entry.readAtMs)) * 1000n),
      ]);
    }),
  };
}

/** Entries that differ in their key alone, as one of them with all keys: hashes are very many. */
function equalButForKey(
  entries: readonly CoverageEntry[],
): [entry: CoverageEntry, keys: string[]][] {
  const groups = new Map<string, [CoverageEntry, string[]]>();
  for (const entry of entries) {
    const { from, to, status, reason, head, readAtMs } = entry;
    const id = `${from} ${to} ${status} ${head} ${readAtMs} ${reason}`;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [entry, [entry.key]]);
    else group[1].push(entry.key);
  }
  return [...groups.values()];
}

/** `lake.reach`: the best status of every key and interval over all lists. */
function reachTable(reach: readonly Reach[]): LakeTable {
  return {
    name: 'reach',
    comment:
      'One row per dataset, scope, key, side and interval: the best status over all ' +
      'lists that replace each other. Look-ups by transaction are left out.',
    columns: [
      { name: 'dataset', type: 'VARCHAR', comment: 'Dataset' },
      {
        name: 'scope',
        type: 'VARCHAR',
        comment: 'Filters of the records, as column=value; or empty',
      },
      { name: 'key_kind', type: 'VARCHAR', comment: 'address, token, or all' },
      { name: 'key', type: 'VARCHAR', comment: 'Address or token; empty for the whole chain' },
      { name: 'side', type: 'VARCHAR', comment: 'from (sent) or to (received); else empty' },
      ...INTERVAL_COLUMNS,
      { name: 'endpoint', type: 'VARCHAR', comment: 'An endpoint with this status' },
      { name: 'variant', type: 'VARCHAR', comment: 'Filters of its requests, or empty' },
    ],
    rows: reach.map(({ dataset, scope, keyKind, key, side, entry }) => [
      dataset,
      scope,
      keyKind,
      key,
      side,
      ...intervalCells(entry),
      entry.endpoint,
      entry.variant,
    ]),
  };
}
