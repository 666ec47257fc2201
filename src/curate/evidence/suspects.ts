import { datasetNamed } from '../../catalogue/index.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { intervalsOf, isOfLookUps, type ListCoverage } from '../rule/list-coverage.ts';
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
  const { range } = entered;
  const narrowed: string[] = [];
  for (const compared of COMPARED) {
    const digests = pairsOf(entered, compared).flatMap(([one, other], pair) => [
      dueDigestSql(compared, one, other, range, `${pair} AS pair, sum(digest)`),
      dueDigestSql(compared, other, one, range, `${pair} AS pair, -sum(digest)`),
    ]);
    if (digests.length === 0) continue;
    narrowed.push(
      `SELECT DISTINCT ${literal(compared.dataset)} AS dataset, height
       FROM (${digests.join(' UNION ALL ')}) AS digests (pair, digest, height)
       GROUP BY pair, height
       HAVING sum(digest) <> 0`,
    );
  }
  if (narrowed.length === 0) return [];
  return [
    `CREATE OR REPLACE TEMP TABLE narrowed AS ${narrowed.join(' UNION ALL ')}`,
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

/** The sum of the digests of one list's records that the other list ought to hold, by height. */
function dueDigestSql(
  compared: Compared,
  one: ListCoverage,
  other: ListCoverage,
  range: Interval,
  sums: string,
): string {
  const { dataset, hash } = compared;
  const height = heightOf(compared);
  const { joins, isDue } = dueSql(compared, one.traits, other, range, height);
  return `SELECT ${sums}, height FROM (
    SELECT ${height} AS height, ${digestOf(compared)} AS digest
    FROM known.${identifier(dataset)} AS t ${joins}
    WHERE ${height} IN (FROM known.suspects_of(${literal(dataset)}))
      AND t._list = ${one.traits.number} AND t._status_rank = 1 AND t.${hash} IS NOT NULL
      AND ${isDue} AND ${scopeSql(compared, other.traits)}
  ) GROUP BY height`;
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

/** Joins and a condition that is true for records `t` that the complete list ought to hold. */
function dueSql(
  { hash, from, to, others = [] }: Compared,
  own: Traits,
  list: ListCoverage,
  range: Interval,
  height: string,
): { joins: string; isDue: string } {
  const { traits } = list;
  const cover = (alias: string, key: string, more = '') => `LEFT JOIN known.cover AS ${alias}
    ON ${alias}.list = ${traits.number} AND ${alias}.status_rank = 1 AND ${alias}.key = ${key}
    AND ${height} BETWEEN ${alias}.from_block AND ${alias}.to_block ${more}`;
  if (traits.keyKind === 'all') {
    const isWhole = intervalsOf(list).some((part) => {
      return part.status === 'complete' && part.from <= range.from && part.to >= range.to;
    });
    if (isWhole) return { joins: '', isDue: 'true' };
    const part = `AND d.part = known.part_of(${height})`;
    return { joins: cover('d', "''", part), isDue: 'd.list IS NOT NULL' };
  }
  if (traits.keyKind === 'address') {
    const columns = [traits.side === 'to' ? [] : [from], traits.side === 'from' ? [] : [to]].flat();
    const named = columns.filter((column) => column !== undefined);
    const joins = named.map((column, i) => cover(`d${i}`, `t.${identifier(column)}`));
    const found = named.map((_, i) => `d${i}.list IS NOT NULL`);
    // Of two lists of addresses, neither finds records that name several addresses by one of them.
    const isOfTwo = own.keyKind === 'address';
    const several = isOfTwo ? named.map((each) => `contains(t.${identifier(each)}, ',')`) : [];
    return { joins: joins.join('\n'), isDue: `(${[...found, ...several, 'false'].join(' OR ')})` };
  }
  const column = traits.keyKind === 'transaction' ? hash : 'token_address';
  if (column !== hash && !others.includes(column)) return { joins: '', isDue: 'false' };
  return { joins: cover('d', `t.${identifier(column)}`), isDue: 'd.list IS NOT NULL' };
}

/** True for records that the filters of the list let pass. */
function scopeSql({ others = [] }: Compared, traits: Traits): string {
  const filters = [...scopeOf(traits)].map(([column, value]) => {
    return others.includes(column) ? `t.${identifier(column)} = ${literal(value)}` : 'false';
  });
  return filters.length === 0 ? 'true' : filters.join(' AND ');
}
