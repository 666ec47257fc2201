import { PART_BLOCKS } from '../../curate/rule/range-rows.ts';

/** Schema `known`: what views look up in coverage, in tables that are fast to join. */

/** The part of rows and intervals of lists with keys, which are not cut. */
const WHOLE = -1;

const CUT = `unnest(CASE WHEN key = '' THEN range(known.part_of(from_block),
  known.part_of(to_block) + 1) ELSE [${WHOLE}] END)`;

const PART_COLUMNS = [
  { name: 'key', type: 'VARCHAR', comment: 'Key; empty for lists of the whole chain' },
  { name: 'side', type: 'VARCHAR', comment: 'from, to or both; else NULL or empty' },
  {
    name: 'part',
    type: 'BIGINT',
    comment: `Height divided by ${PART_BLOCKS} for lists of the whole chain, else ${WHOLE}`,
  },
  { name: 'from_block', type: 'BIGINT', comment: 'First block of the interval' },
  { name: 'to_block', type: 'BIGINT', comment: 'Last block of the interval' },
  { name: 'status_rank', type: 'BIGINT', comment: '1 complete, 6 failed' },
];

/** Tables of the schema `known`, filled from `lake.coverage` and `lake.reach`. */
export const KNOWN_TABLES = [
  {
    name: 'reach_parts',
    comment: 'Best coverage of addresses and whole chains, in parts that rows find by equality',
    columns: [
      { name: 'dataset', type: 'VARCHAR', comment: 'Dataset' },
      {
        name: 'scope',
        type: 'VARCHAR',
        comment: 'Filters of the records, as column=value; or empty',
      },
      ...PART_COLUMNS,
    ],
    rowsSql: `SELECT dataset, scope, key, side, ${CUT} AS part, from_block, to_block, status_rank
      FROM lake.reach WHERE key_kind IN ('address', 'all')`,
  },
  {
    name: 'followed',
    comment: 'Addresses that were asked for by name',
    columns: [{ name: 'address', type: 'VARCHAR', comment: 'Address, in lower case' }],
    rowsSql: `SELECT DISTINCT key AS address FROM lake.coverage WHERE key_kind = 'address'`,
  },
] as const;
