import { type Column, column } from '../../catalogue/entry.ts';
import { type CoverageEntry, STATUSES } from '../../coverage/coverage.ts';
import { blocksIn } from '../../coverage/ranges.ts';
import { COVERAGE_COLUMNS, coverageRows } from '../../land/coverage-index.ts';
import type { LakeTable, TableVersion } from './lake-tables.ts';
import { type ListCoverage, listCoverage } from './list-coverage.ts';
import { type Reach, reachOf, statusRank } from './reach.ts';

/** The tables of coverage: lists, and the best status per key and interval. */
export function coverageTables(versions: readonly TableVersion[]): LakeTable[] {
  const lists = listCoverage(versions);
  return [listsTable(lists), reachTable(reachOf(lists))];
}

const LIST_COLUMNS: readonly Column[] = [
  column('dataset', 'VARCHAR', 'Dataset its records are in'),
  column('axis', 'VARCHAR', 'primary or zone: the chain of its blocks'),
  column('endpoint', 'VARCHAR', 'Endpoint of the list'),
  column('variant', 'VARCHAR', 'Filters of its requests, or empty'),
  column(
    'key_kind',
    'VARCHAR',
    'Kind of its keys: address, token, transaction, or all for lists without keys',
  ),
  column(
    'side',
    'VARCHAR',
    'Which records of the address the list holds: from (sent), to (received) or both; ' +
      'NULL if the key is not a sender or recipient',
  ),
  column(
    'scope',
    'VARCHAR',
    'Filters of its records, as column=value, or empty: lists of one dataset and ' +
      'scope replace each other',
  ),
];

/** `lake.lists`: every list that has coverage, and the records that it can hold. */
export function listsTable(lists: readonly ListCoverage[]): LakeTable {
  return {
    name: 'lists',
    comment: 'One row per list (endpoint and variant) with coverage, and the records it can hold',
    columns: [
      column('list', 'BIGINT', 'Number of the list, in this warehouse alone'),
      ...LIST_COLUMNS,
      column(
        'list_kind',
        'VARCHAR',
        'ranged, positional, by-key, snapshot or submission; NULL for unknown endpoints',
      ),
      column(
        'endpoint_rank',
        'BIGINT',
        'Precedence among the endpoints of the dataset: 1 comes first',
      ),
    ],
    rows: lists.map(({ traits }) => {
      const { number, dataset, axis, endpoint, variant, keyKind, side, scope, listKind } = traits;
      const cells = [
        BigInt(number),
        dataset,
        axis,
        endpoint,
        variant,
        keyKind,
        side ?? null,
        scope,
      ];
      return [...cells, listKind ?? null, BigInt(traits.endpointRank)];
    }),
  };
}

const INTERVAL_COLUMNS: readonly Column[] = [
  column('from_block', 'BIGINT', 'First block of the interval'),
  column('to_block', 'BIGINT', 'Last block of the interval'),
  column('blocks', 'BIGINT', 'Blocks in the interval, both ends included'),
  column(
    'status',
    'VARCHAR',
    'complete, provisional, truncated, depth_limited, inconsistent or failed',
  ),
  column('status_rank', 'BIGINT', 'The same as a number: 1 complete, 6 failed'),
  column('reason', 'VARCHAR', 'Reason, if the status alone is not enough'),
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

/**
 * `lake.coverage`: every interval of every key, with the records that its list can hold. Its rows
 * are those of the coverage tables on disk, which `files.coverage` shows.
 */
export const COVERAGE_VIEW = {
  name: 'coverage',
  comment: 'One row per list (endpoint and variant), key and interval of known status',
  columns: [
    { name: 'list', comment: 'Number of the list, from lake.lists' },
    ...LIST_COLUMNS,
    { name: 'key', comment: 'Requested key; empty for lists of the whole chain' },
    ...INTERVAL_COLUMNS,
    { name: 'head', comment: 'Head of the chain when it was read; the oldest' },
    { name: 'read_at', comment: 'When it was read; the oldest time [UTC]' },
  ],
  sql: `SELECT ${['list', ...LIST_COLUMNS.map(({ name }) => name)].map((name) => `l.${name}`)},
      c.key, c.from_block, c.to_block, c.to_block - c.from_block + 1 AS blocks, c.status,
      list_position([${STATUSES.map((status) => `'${status}'`)}], c.status) AS status_rank,
      c.reason, c.head, c.read_at
    FROM files.coverage AS c JOIN lake.lists AS l USING (dataset, endpoint, variant)`,
} as const;

/** The rows of the coverage tables on disk, for a warehouse that cannot read these. */
export function coveredTable(versions: readonly TableVersion[]): LakeTable {
  return {
    name: COVERAGE_VIEW.name,
    comment: '',
    columns: COVERAGE_COLUMNS,
    rows: versions.flatMap(({ dataset, coverage }) => coverageRows(dataset, coverage)),
  };
}

/** `lake.reach`: the best status of every key and interval over all lists. */
function reachTable(reach: readonly Reach[]): LakeTable {
  return {
    name: 'reach',
    comment:
      'One row per dataset, scope, key, side and interval: the best status over all ' +
      'lists that replace each other. Look-ups by transaction are left out.',
    columns: [
      column('dataset', 'VARCHAR', 'Dataset'),
      column('scope', 'VARCHAR', 'Filters of the records, as column=value; or empty'),
      column('key_kind', 'VARCHAR', 'address, token, or all'),
      column('key', 'VARCHAR', 'Address or token; empty for the whole chain'),
      column('side', 'VARCHAR', 'from (sent) or to (received); else empty'),
      ...INTERVAL_COLUMNS,
      column('endpoint', 'VARCHAR', 'An endpoint with this status'),
      column('variant', 'VARCHAR', 'Filters of its requests, or empty'),
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
