import type { Axis } from '../../catalogue/entry.ts';
import { datasets } from '../../catalogue/index.ts';
import { EARLIEST_MS, LATEST_MS } from '../../catalogue/vocabulary.ts';
import { findList } from '../../coverage/list.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { ListCoverage } from './list-coverage.ts';
import type { Traits } from './lists.ts';
import { type EnteredRange, knownSql } from './range-planner.ts';
import type { JobStep } from './steps.ts';

/**
 * Facts that all records must give alike: a height has one block hash and one time, a block hash
 * has one height, and a transaction hash has one height, sender, recipient and nonce. Where rows of
 * complete lists contradict each other, all of them are in doubt. Only the time of a block is that
 * of the list of blocks, if it has the block. Hashes that differ from a block hash checkpoint are
 * wrong, because it was read from the chain. Impossible times are wrong, too.
 */

/** Facts of a transaction beside its height, and their columns. */
const OF_TRANSACTION = [
  { name: 'sender', column: 'from_address' },
  { name: 'recipient', column: 'to_address' },
  { name: 'nonce', column: 'nonce' },
] as const;

/** A key of a list with a row whose values other rows contradict. */
export interface Contradiction {
  readonly list: Traits;
  readonly key: string;
  readonly height: number;
  /** The height and the values, for analysts. */
  readonly reason: string;
}

/** A row of `temp.wrong`: the number of the list, the height, the key and the reason. */
export type WrongRow = readonly [number, number, string, string];

/** A dataset whose rows name blocks, and SQL for the columns of a row `t`; 'NULL' for none. */
interface BlockRows {
  readonly dataset: string;
  /** Number of the dataset among those of the axis. */
  readonly number: number;
  readonly height: string;
  readonly hash: string;
  readonly time: string;
  readonly txHash: string;
  /** Facts of the transaction, where every row is one. */
  readonly ofTransaction: readonly { readonly name: string; readonly value: string }[];
  readonly isBlock: boolean;
}

/**
 * Steps that fill `temp.wrong` with the contradictions among complete rows of a range. After them,
 * all rows of a height have one time in `known.<dataset>`: that of the block.
 */
export function contradictionSteps(entered: EnteredRange): JobStep[] {
  const rows = blockRows(entered.axis).filter(({ dataset }) => entered.rowsSql.has(dataset));
  const wrong =
    'CREATE OR REPLACE TEMP TABLE wrong (list BIGINT, height BIGINT, key VARCHAR, reason VARCHAR)';
  if (rows.length === 0) return [wrong];
  const facts = rows.map((table) => factsSql(entered, table)).join(' UNION ALL ');
  const views = rows.flatMap(({ dataset, height, time }) => {
    const rowsSql = entered.rowsSql.get(dataset);
    if (time === 'NULL' || rowsSql === undefined) return [];
    const column = time.slice('t.'.length);
    const query = `SELECT t.* REPLACE (coalesce(b.block_time, ${time}) AS ${column})
        FROM ${rowsSql} AS t LEFT JOIN known.block_times AS b ON b.height = ${height}`;
    return [knownSql(dataset, query)];
  });
  return [
    wrong,
    `CREATE OR REPLACE TEMP TABLE checkpoints AS ${checkpointsSql(entered, rows)}`,
    `CREATE OR REPLACE TEMP TABLE block_rows AS ${blockRowsSql(rows)}`,
    `CREATE OR REPLACE TEMP TABLE suspects AS ${SUSPECTS_SQL}`,
    {
      exists: 'FROM temp.suspects',
      ifFound: [
        `CREATE OR REPLACE TEMP TABLE facts AS ${facts}`,
        `CREATE OR REPLACE TABLE known.block_times AS ${BLOCK_TIMES_SQL}`,
        `INSERT INTO temp.wrong ${WRONG_SQL}`,
        ...views,
      ],
      ifNone: [],
    },
    'DROP TABLE temp.block_rows',
  ];
}

/** The contradictions in rows of `temp.wrong`. */
export function contradictionsIn(
  lists: readonly ListCoverage[],
  rows: readonly WrongRow[],
): Contradiction[] {
  return rows.flatMap(([number, height, key, reason]) => {
    const list = lists.find(({ traits }) => traits.number === number)?.traits;
    return list === undefined || findList(list) === undefined
      ? []
      : [{ list, height, key, reason }];
  });
}

/** The datasets of the axis whose rows name blocks. */
export function blockRows(axis: Axis): BlockRows[] {
  const ofBlocks = datasets.filter((dataset) => {
    return dataset.axis === axis && dataset.heightColumn.endsWith('block_number');
  });
  return ofBlocks.map(({ name: dataset, heightColumn, identity, isOnePerHeight }, number) => {
    const names = new Set(tableColumns(dataset).map(({ name }) => name));
    const prefix = heightColumn.slice(0, -'block_number'.length);
    const column = (name: string): string => {
      return names.has(prefix + name) ? `t.${identifier(prefix + name)}` : 'NULL';
    };
    // Of several addresses, lists may name some.
    const single = (name: string): string => {
      return `CASE WHEN NOT contains(${column(name)}, ',') THEN ${column(name)} END`;
    };
    return {
      dataset,
      number,
      height: column('block_number'),
      hash: column('block_hash'),
      time: column('block_time'),
      txHash: column('tx_hash'),
      ofTransaction: OF_TRANSACTION.filter((fact) => {
        return identity.includes('tx_hash') && names.has(fact.column);
      }).map(({ name, column: suffix }) => {
        return { name, value: suffix.endsWith('address') ? single(suffix) : column(suffix) };
      }),
      isBlock: isOnePerHeight === true,
    };
  });
}

/** Most of the time is that of decoding, so all columns are read once. Texts are hashed. */
function blockRowsSql(rows: readonly BlockRows[]): string {
  const all = rows.map((table) => {
    const { dataset, number, height, hash, time, txHash, ofTransaction } = table;
    const values = OF_TRANSACTION.map(({ name }) => {
      const value = ofTransaction.find((fact) => fact.name === name)?.value ?? 'NULL';
      return `${short(value)} AS ${name}`;
    });
    return `SELECT ${number} AS number, ${height} AS height,
        CAST(${time} AS TIMESTAMPTZ) AS block_time,
        ${short(hash)} AS block, ${short(txHash)} AS tx, ${values.join(', ')}
      FROM bare.${identifier(dataset)} AS t`;
  });
  return all.join(' UNION ALL ');
}

function short(value: string): string {
  if (value === 'NULL') return 'CAST(NULL AS UBIGINT)';
  return `CASE WHEN ${value} IS NOT NULL THEN hash(${value}) END`;
}

function differs(value: string): string {
  return `coalesce(min(${value}) <> max(${value}), false)`;
}

function isImpossible(time: string): string {
  const [from, to] = [EARLIEST_MS, LATEST_MS].map((ms) => literal(new Date(ms).toISOString()));
  return `coalesce(${time} NOT BETWEEN ${from} AND ${to}, false)`;
}

const differing = ['height', ...OF_TRANSACTION.map(({ name }) => name)].map(differs);

/** Heights with rows that differ, complete or not. */
const SUSPECTS_SQL = `
  WITH blocks AS (
    SELECT height, min(block) AS block, ${differs('block')} OR ${differs('block_time')}
      OR ${isImpossible('min(block_time)')} OR ${isImpossible('max(block_time)')} AS is_suspect
    FROM temp.block_rows GROUP BY height
  )
  SELECT DISTINCT height FROM (
    SELECT height FROM blocks WHERE is_suspect
    UNION ALL
    SELECT unnest(list(height)) FROM blocks WHERE block IS NOT NULL
    GROUP BY block HAVING count(*) > 1
    UNION ALL
    SELECT unnest(list(height)) FROM temp.block_rows WHERE tx IS NOT NULL
    GROUP BY tx HAVING ${differing.join(' OR ')}
    UNION ALL
    SELECT height FROM temp.block_rows JOIN temp.checkpoints USING (number, height)
    WHERE block <> hash(block_hash)
  )`;

function checkpointsSql(entered: EnteredRange, rows: readonly BlockRows[]): string {
  const all = rows.flatMap(({ dataset, number }) =>
    entered.checkpointsOf(dataset).map(({ height, hash }) => {
      return `(${number}, ${height}, ${literal(hash)})`;
    }),
  );
  const values = all.length === 0 ? `(-1, -1, '')` : all.join(', ');
  return `SELECT * FROM (VALUES ${values}) AS checkpoints (number, height, block_hash)`;
}

/**
 * The facts of rows at suspected heights: a `subject` has one right `value` of a `field`. A value
 * with a `fault` is wrong, whatever other rows say.
 */
function factsSql(entered: EnteredRange, rows: BlockRows): string {
  const { dataset, number, height, hash, time, txHash, ofTransaction, isBlock } = rows;
  const block = `CAST(${height} AS VARCHAR)`;
  const utc = `make_timestamp(epoch_us(CAST(${time} AS TIMESTAMPTZ)))`;
  const facts = [
    [
      'block hash',
      block,
      hash,
      `CASE WHEN c.block_hash <> ${hash} THEN 'not that of the checkpoint' END`,
    ],
    [
      'time',
      block,
      `strftime(${utc}, '%Y-%m-%dT%H:%M:%S.%gZ')`,
      `CASE WHEN ${isImpossible(`CAST(${time} AS TIMESTAMPTZ)`)} THEN 'impossible' END`,
    ],
    ['height of the block', hash, block],
    ['height of the transaction', txHash, block],
    ...ofTransaction.map(({ name, value }) => [`${name} of the transaction`, txHash, value]),
  ].map(([field = '', subject, value, fault = 'NULL']) => {
    const members = Object.entries({ field: literal(field), subject, value, fault });
    return `{${members.map(([name, sql]) => `${name}: CAST(${sql} AS VARCHAR)`).join(', ')}}`;
  });
  return `
    SELECT t._list AS list, t._status_rank AS status_rank, ${height} AS height,
      CAST(${time} AS TIMESTAMPTZ) AS block_time, ${isBlock} AS is_block,
      ${keysSql(entered, dataset)} AS keys, unnest([${facts.join(', ')}], recursive := true)
    FROM known.${identifier(dataset)} AS t
    LEFT JOIN temp.checkpoints AS c ON c.number = ${number} AND c.height = ${height}
    WHERE ${height} IN (FROM temp.suspects)`;
}

/** The keys of its list that a row may have landed for. */
function keysSql(entered: EnteredRange, dataset: string): string {
  const lists = entered.lists.filter(({ traits }) => traits.dataset === dataset);
  const cases = lists.map(({ traits }) => {
    const keys = (findList(traits)?.keyColumns ?? []).map((column) => {
      if (traits.keyKind !== 'address') return `[t.${identifier(column)}]`;
      return `addresses_in(t.${identifier(column)})`;
    });
    return `WHEN ${traits.number} THEN ${keys.length === 0 ? "['']" : keys.join(' || ')}`;
  });
  return cases.length === 0 ? "['']" : `CASE t._list ${cases.join(' ')} END`;
}

/** The time of every block that has several: that of the list of blocks, or of the best list. */
const BLOCK_TIMES_SQL = `
  SELECT height,
    arg_min(
      block_time, row(fault IS NOT NULL, status_rank > 2, NOT is_block, status_rank, block_time)
    ) AS block_time
  FROM temp.facts WHERE field = 'time' AND block_time IS NOT NULL
  GROUP BY height HAVING min(block_time) < max(block_time)`;

const WRONG_SQL = `
  WITH complete AS (
    FROM temp.facts WHERE status_rank = 1 AND subject IS NOT NULL AND value IS NOT NULL
  ),
  differing AS (
    SELECT field, subject, min(value) AS lowest, max(value) AS highest,
      CASE WHEN field = 'time' AND min(value) FILTER (is_block) = max(value) FILTER (is_block)
        THEN min(value) FILTER (is_block) END AS right_value
    FROM complete WHERE fault IS NULL
    GROUP BY field, subject HAVING lowest < highest
  ),
  wrong AS (
    SELECT *, field || ' is ' || value || ', which is ' || fault AS reason
    FROM complete WHERE fault IS NOT NULL
    UNION ALL
    SELECT c.*, field || ' is ' || value || ' here and '
      || CASE value WHEN lowest THEN highest ELSE lowest END || ' in another record'
    FROM complete AS c JOIN differing AS d USING (field, subject)
    WHERE fault IS NULL AND value IS DISTINCT FROM right_value
  )
  SELECT list, height, key, min('in block ' || height || ' the ' || reason) AS reason
  FROM (SELECT list, height, unnest(keys) AS key, reason FROM wrong)
  GROUP BY list, height, key ORDER BY list, height, key`;
