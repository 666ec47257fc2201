import { datasetNamed } from '../../catalogue/index.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { isOfLookUps, type ListCoverage } from '../rule/list-coverage.ts';
import { scopeOf, type Traits } from '../rule/lists.ts';
import type { EnteredRange } from '../rule/range-planner.ts';

/**
 * Heights at which two complete lists do not hold the same records. Digests of the lists find them;
 * the checks that compare lists record by record read these heights alone.
 */

/** The columns by which the checks compare the records of a dataset. */
interface Compared {
  readonly dataset: string;
  readonly hash: string;
  readonly from: string;
  readonly to?: string;
  /** All other columns that tell one record of a transaction from another. */
  readonly others?: readonly string[];
  /** SQL for what copies of a record have in common beside its parties, token and amount. */
  readonly kind?: string;
}

const TOKEN = ['token_address', 'token_id', 'token_standard'];
const PARTIES = { from: 'from_address', to: 'to_address' };

const COMPARED: readonly Compared[] = [
  { dataset: 'transactions', hash: 'tx_hash', ...PARTIES },
  { dataset: 'internal_transactions', hash: 'tx_hash', ...PARTIES, others: ['amount_text'] },
  {
    dataset: 'token_transfers',
    hash: 'tx_hash',
    ...PARTIES,
    others: [...TOKEN, 'amount_text'],
    kind: 't.token_standard',
  },
  { dataset: 'zone_transactions', hash: 'tx_hash', from: 'from_address' },
  {
    dataset: 'cross_chain_transfers',
    hash: 'zone_tx_hash',
    from: 'source_address',
    to: 'target_address',
    others: [...TOKEN, 'amount_text', 'cross_type', 'main_tx_hash'],
    kind: "t.cross_type || coalesce(t.main_tx_hash, '')",
  },
];

/** The table of suspects. */
export const SUSPECTS_SQL = 'CREATE TABLE known.suspects (dataset VARCHAR, height BIGINT)';

/**
 * Steps that fill `known.suspects` with the heights of the range at which two lists differ in their
 * rows. Lists with equal rows lack nothing of each other, whatever they cover: so this reads no
 * coverage.
 */
export function compareSteps(entered: EnteredRange): string[] {
  const steps = ['DELETE FROM known.suspects'];
  for (const compared of COMPARED) {
    const pairs = pairsOf(entered, compared);
    if (pairs.length === 0) continue;
    const byHash = [...new Set(pairs.flat())]
      .filter(isOfLookUps)
      .map(({ traits }) => traits.number);
    const flags = byHash.map((list) => {
      // Hashes of 64 bits are joined faster than whole ones; a chance match only costs time.
      const short = `SELECT hash(key) FROM known.look_ups WHERE list = ${list}`;
      return `hash(t.${compared.hash}) IN (${short}) AS asked_${list}`;
    });
    const sums = byHash.map((list) => `sum(digest) FILTER (asked_${list}) AS digest_${list}`);
    const differing = pairs.map(([one, other]) => {
      const sum = `sum(CASE list WHEN ${one.traits.number} THEN ${digestFor(other)}
        ELSE -${digestFor(one)} END)`;
      return `SELECT height FROM temp.digests
        WHERE list IN (${one.traits.number}, ${other.traits.number})
        GROUP BY height HAVING coalesce(${sum}, 0) <> 0`;
    });
    steps.push(
      `CREATE OR REPLACE TEMP TABLE digests AS
       SELECT list, height, ${['sum(digest) AS digest', ...sums].join(', ')}
       FROM (
         SELECT ${['t._list AS list', `${heightOf(compared)} AS height`, ...flags].join(', ')},
           ${digestOf(compared)} AS digest
         FROM bare.${identifier(compared.dataset)} AS t
         WHERE t.${compared.hash} IS NOT NULL
       ) GROUP BY list, height`,
      `INSERT INTO known.suspects
       SELECT DISTINCT ${literal(compared.dataset)}, height
       FROM (${differing.join(' UNION ALL ')})`,
    );
  }
  return steps;
}

/** A list of look-ups is compared over the hashes that were looked up. */
function digestFor(list: ListCoverage): string {
  return isOfLookUps(list) ? `digest_${list.traits.number}` : 'digest';
}

/**
 * Steps that fill `known.compared` with the complete records of suspects at which one may be
 * missing, or have another number of copies, in another complete list that ought to hold it.
 */
export function comparedSteps(entered: EnteredRange): string[] {
  const compared = COMPARED.filter((table) => pairsOf(entered, table).length > 0);
  if (compared.length === 0) return [];
  return [
    `CREATE OR REPLACE TABLE known.compared AS ${compared.map(comparedSql).join(' UNION ALL ')}`,
    `CREATE OR REPLACE TEMP TABLE narrowed AS ${NARROWED_SQL}`,
    'DELETE FROM known.compared WHERE (dataset, height) NOT IN (FROM temp.narrowed)',
  ];
}

/** Pairs of lists that are complete somewhere in the range and can hold the same records. */
function pairsOf({ axis, lists: all, range }: EnteredRange, { dataset }: Compared) {
  if (datasetNamed(dataset).axis !== axis) return [];
  const lists = all.filter((list) => list.traits.dataset === dataset && isCompleteIn(list, range));
  return lists.flatMap((one, i) =>
    lists
      .slice(i + 1)
      .filter((other) => canShare(one.traits, other.traits))
      .map((other) => [one, other] as const),
  );
}

function isCompleteIn({ groups }: ListCoverage, range: Interval): boolean {
  return groups.some(({ parts }) =>
    parts.some((part) => part.status === 'complete' && overlaps(part, range)),
  );
}

/** False if the filters of the lists exclude each other. */
function canShare(one: Traits, other: Traits): boolean {
  const values = scopeOf(other);
  return [...scopeOf(one)].every(([column, value]) => (values.get(column) ?? value) === value);
}

/** The complete records of a dataset at its suspects, in columns that all datasets share. */
function comparedSql(compared: Compared): string {
  const { dataset, hash, from, to = '', others = [], kind = 'NULL' } = compared;
  const names = [from, to, ...TOKEN, 'amount_text'];
  const [sender, recipient, ...rest] = names.map((name) =>
    [from, to, ...others].includes(name) && name !== '' ? `t.${identifier(name)}` : 'NULL',
  );
  return `
    SELECT ${literal(dataset)} AS dataset, t._list AS list, t._key_kind AS list_kind,
      ${heightOf(compared)} AS height, t.${identifier(hash)} AS tx_hash,
      CAST(${sender} AS VARCHAR) AS from_address, CAST(${recipient} AS VARCHAR) AS to_address,
      ${rest.map((sql, i) => `CAST(${sql} AS VARCHAR) AS ${names[i + 2]}`).join(', ')},
      CAST(${kind} AS VARCHAR) AS kind, ${compared.others === undefined} AS is_transaction,
      ${digestOf(compared)} AS digest
    FROM known.${identifier(dataset)} AS t
    WHERE t._status_rank = 1 AND t.${identifier(hash)} IS NOT NULL AND ${heightOf(compared)} IN
      (SELECT height FROM known.suspects WHERE dataset = ${literal(dataset)})`;
}

/**
 * The suspects at which two lists differ in the records that each ought to hold. A query for each
 * pair of lists would be planned for minutes where lists are many.
 */
const NARROWED_SQL = `
  WITH complete AS MATERIALIZED (
    SELECT c.*, l.dataset, l.key_kind, l.side, l.scope
    FROM known.cover AS c JOIN lake.lists AS l USING (list)
    WHERE c.status_rank = 1
  ),
  records AS MATERIALIZED (
    SELECT dataset, list, height, digest, from_address AS sender,
      ['', 'token_address=' || token_address, 'token_standard=' || token_standard,
        'token_address=' || token_address || '&token_standard=' || token_standard] AS scopes,
      list_kind = 'address' AND contains(concat(from_address, ' ', to_address), ',') AS is_several,
      [
        {kind: 'address', other_side: 'to', key: from_address, part: -1},
        {kind: 'address', other_side: 'from', key: to_address, part: -1},
        {kind: 'token', other_side: '', key: token_address, part: -1},
        {kind: 'transaction', other_side: '', key: tx_hash, part: -1},
        {kind: 'all', other_side: '', key: '', part: known.part_of(height)}
      ] AS keys
    FROM known.compared
  ),
  due AS (
    SELECT r.dataset, r.list, c.list AS other, r.height, r.digest, r.scopes, c.scope
    FROM (SELECT *, unnest(keys, recursive := true) FROM records) AS r
    JOIN complete AS c
      ON c.dataset = r.dataset AND c.key = r.key AND c.key_kind = r.kind AND c.part = r.part
      AND r.height BETWEEN c.from_block AND c.to_block
    -- A record that a list ought to hold for both of its parties counts once.
    LEFT JOIN complete AS s
      ON r.other_side = 'from' AND s.list = c.list AND s.key = r.sender
      AND r.height BETWEEN s.from_block AND s.to_block
    WHERE c.side IS DISTINCT FROM r.other_side AND (s.list IS NULL OR c.side = 'to')
      AND NOT (r.is_several AND c.key_kind = 'address')
    UNION ALL
    -- Of two lists of addresses, neither finds records of several addresses by one of them.
    SELECT r.dataset, r.list, c.list, r.height, r.digest, r.scopes, c.scope
    FROM records AS r
    JOIN (SELECT DISTINCT dataset, list, scope FROM complete WHERE key_kind = 'address') AS c
      ON c.dataset = r.dataset AND r.is_several
  )
  SELECT DISTINCT dataset, height FROM due
  WHERE list <> other AND list_contains(scopes, scope)
  GROUP BY dataset, height, least(list, other), greatest(list, other)
  HAVING sum(CASE WHEN list < other THEN digest ELSE -digest END) <> 0`;

function heightOf({ dataset }: Compared): string {
  return `t.${identifier(datasetNamed(dataset).heightColumn)}`;
}

/**
 * 52 bits of the hash of a record. The same records, with the same copies, have the same sum in
 * both lists. That other records of one height have the same sum is as rare as a misread bit.
 */
function digestOf({ hash, from, to, others }: Compared): string {
  // A transaction is one by its hash, however lists spell its parties.
  const more = others === undefined ? [] : [from, ...(to === undefined ? [] : [to]), ...others];
  const columns = [hash, ...more].map((column) => `t.${identifier(column)}`);
  return `CAST(hash(${columns.join(', ')}) >> 12 AS BIGINT)`;
}
