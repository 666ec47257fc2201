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
}

const TOKEN = ['token_address', 'token_id', 'token_standard'];
const PARTIES = { from: 'from_address', to: 'to_address' };

const COMPARED: readonly Compared[] = [
  { dataset: 'transactions', hash: 'tx_hash', ...PARTIES },
  { dataset: 'internal_transactions', hash: 'tx_hash', ...PARTIES, others: ['amount_text'] },
  { dataset: 'token_transfers', hash: 'tx_hash', ...PARTIES, others: [...TOKEN, 'amount_text'] },
  { dataset: 'zone_transactions', hash: 'tx_hash', from: 'from_address' },
  {
    dataset: 'cross_chain_transfers',
    hash: 'zone_tx_hash',
    from: 'source_address',
    to: 'target_address',
    others: [...TOKEN, 'amount_text', 'cross_type', 'main_tx_hash'],
  },
];

/** The table of suspects, and the macro through which queries read it. */
export const SUSPECTS_SQL = `
  CREATE TABLE known.suspects (dataset VARCHAR, height BIGINT);
  CREATE MACRO known.suspects_of(name) AS TABLE
    SELECT height FROM known.suspects WHERE dataset = name`;

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
    const asked = byHash.map((list) => {
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
         SELECT ${['t._list AS list', `${heightOf(compared)} AS height`, ...asked].join(', ')},
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
 * Steps that leave of the suspects the heights at which a record of one complete list may be
 * missing, or have another number of copies, in another complete list that ought to hold it.
 */
export function narrowSteps(entered: EnteredRange): string[] {
  const narrowed = COMPARED.filter((compared) => pairsOf(entered, compared).length > 0);
  if (narrowed.length === 0) return [];
  return [
    `CREATE OR REPLACE TEMP TABLE narrowed AS ${narrowed.map(narrowedSql).join(' UNION ALL ')}`,
    'DELETE FROM known.suspects',
    'INSERT INTO known.suspects FROM temp.narrowed',
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

/**
 * The suspects at which two lists differ in the records that each ought to hold. A query for each
 * pair of lists would be planned for minutes where lists are many.
 */
function narrowedSql(compared: Compared): string {
  const { dataset, hash, from, to, others = [] } = compared;
  const names = [from, to ?? '', 'token_address', 'token_standard'];
  const [sender, recipient, token, standard] = names.map((name) =>
    [from, to, ...others].includes(name) ? `t.${identifier(name)}` : 'NULL',
  );
  const isSeveral = `contains(concat(${sender}, ' ', ${recipient}), ',')`;
  return `
    SELECT DISTINCT ${literal(dataset)} AS dataset, height FROM (
      WITH complete AS MATERIALIZED (
        SELECT c.*, l.key_kind, l.side, l.scope
        FROM known.cover AS c JOIN lake.lists AS l USING (list)
        WHERE c.status_rank = 1 AND l.dataset = ${literal(dataset)}
      ),
      records AS MATERIALIZED (
        SELECT t._list AS list, ${heightOf(compared)} AS height, ${digestOf(compared)} AS digest,
          ${sender} AS sender, ['', 'token_address=' || ${token}, 'token_standard=' || ${standard},
            'token_address=' || ${token} || '&token_standard=' || ${standard}] AS scopes,
          t._key_kind = 'address' AND ${isSeveral} AS is_several,
          [
            {kind: 'address', other_side: 'to', key: ${sender}, part: -1},
            {kind: 'address', other_side: 'from', key: ${recipient}, part: -1},
            {kind: 'token', other_side: '', key: ${token}, part: -1},
            {kind: 'transaction', other_side: '', key: t.${identifier(hash)}, part: -1},
            {kind: 'all', other_side: '', key: '', part: known.part_of(${heightOf(compared)})}
          ] AS keys
        FROM known.${identifier(dataset)} AS t
        WHERE ${heightOf(compared)} IN (FROM known.suspects_of(${literal(dataset)}))
          AND t._status_rank = 1 AND t.${identifier(hash)} IS NOT NULL
      ),
      due AS (
        SELECT r.list, c.list AS other, r.height, r.digest, r.scopes, c.scope
        FROM (SELECT *, unnest(keys, recursive := true) FROM records) AS r
        JOIN complete AS c
          ON c.key = r.key AND c.key_kind = r.kind AND c.part = r.part
          AND r.height BETWEEN c.from_block AND c.to_block
        -- A record that a list ought to hold for both of its parties counts once.
        LEFT JOIN complete AS s
          ON r.other_side = 'from' AND s.list = c.list AND s.key = r.sender
          AND r.height BETWEEN s.from_block AND s.to_block
        WHERE c.side IS DISTINCT FROM r.other_side AND (s.list IS NULL OR c.side = 'to')
          AND NOT (r.is_several AND c.key_kind = 'address')
        UNION ALL
        -- Of two lists of addresses, neither finds records of several addresses by one of them.
        SELECT r.list, c.list, r.height, r.digest, r.scopes, c.scope
        FROM records AS r
        JOIN (SELECT DISTINCT list, scope FROM complete WHERE key_kind = 'address') AS c
          ON r.is_several
      )
      SELECT height FROM due
      WHERE list <> other AND list_contains(scopes, scope)
      GROUP BY height, least(list, other), greatest(list, other)
      HAVING sum(CASE WHEN list < other THEN digest ELSE -digest END) <> 0
    )`;
}

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
