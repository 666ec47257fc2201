import { activityOf } from './activity.ts';
import { type Known, type Marked, type Row, statusOf, type Text } from './known.ts';

/**
 * The rule of curated tables over rows in memory, written from the heads of sql/curated and the
 * documentation of the views. Slow and plain: it is the other side of a comparison.
 */

export interface CuratedModel {
  readonly transactions: readonly Row[];
  readonly internal_transactions: readonly Row[];
  readonly token_transfers: readonly Row[];
  readonly blocks: readonly Row[];
  readonly native_holders: readonly Row[];
  readonly address_activity: readonly Row[];
  readonly zone_transactions: readonly Row[];
  readonly zone_blocks: readonly Row[];
  readonly cross_chain_transfers: readonly Row[];
  readonly zone_address_activity: readonly Row[];
}

export function curatedModel(known: Known): CuratedModel {
  const transactions = joined(known, 'transactions', 'tx_hash');
  const statuses = new Map(
    transactions.map((row) => [
      `${row['block_number']} ${row['tx_hash']}`,
      row['tx_status'] ?? null,
    ]),
  );
  const statusIn = ({ row }: Marked): Text =>
    statuses.get(`${row['block_number']} ${row['tx_hash']}`) ?? null;
  const internals = shown(known, 'internal_transactions', 'tx_hash', INTERNAL_IDENTITY).map(
    (found) => {
      const failed = statusIn(found) === 'fail' ? 'fail' : null;
      return oneList(found, { tx_status: found.row['tx_status'] ?? failed });
    },
  );
  const transfers = shown(
    known,
    'token_transfers',
    'tx_hash',
    TRANSFER_IDENTITY,
    standardsOf(known),
  ).map((found) => oneList(found, { tx_status: found.row['tx_status'] ?? statusIn(found) }));
  const zone = joined(known, 'zone_transactions', 'tx_hash').map((row) => {
    const status = word(row['tx_status']);
    return { ...row, tx_status: status, succeeded: hasSucceeded(status) };
  });
  const crossings = shown(known, 'cross_chain_transfers', 'zone_tx_hash', CROSSING_IDENTITY).map(
    (found) => oneList(found, { cross_status: word(found.row['cross_status']) }),
  );
  const primary = { transactions, internal_transactions: internals, token_transfers: transfers };
  return {
    ...primary,
    blocks: joined(known, 'blocks', 'block_hash'),
    native_holders: known.rows('native_holders').map((found) => oneList(found, {})),
    address_activity: activityOf(known, primary),
    zone_transactions: zone,
    zone_blocks: joined(known, 'zone_blocks', 'block_hash'),
    cross_chain_transfers: crossings,
    zone_address_activity: activityOf(known, {
      zone_transactions: zone,
      cross_chain_transfers: crossings,
    }),
  };
}

const INTERNAL_IDENTITY = ['tx_hash', 'from_address', 'to_address', 'amount_text'];
const TRANSFER_IDENTITY = [...INTERNAL_IDENTITY, 'token_address', 'token_standard', 'token_id'];
const CROSSING_IDENTITY = [
  'zone_tx_hash',
  'main_tx_hash',
  'cross_type',
  'source_address',
  'target_address',
  'token_address',
  'token_id',
  'amount_text',
];

/** One row per hash: every field is that of the first list that has it. */
function joined(known: Known, dataset: string, hashColumn: string): Row[] {
  const groups = new Map<string, Marked[]>();
  for (const found of known.rows(dataset)) {
    const id = `${found.height} ${found.row[hashColumn]}`;
    groups.set(id, [...(groups.get(id) ?? []), found]);
  }
  return [...groups.values()].map((rows) => {
    const sorted = [...rows].sort(byPrecedence);
    const first = (column: string): Text => {
      return sorted.find(({ row }) => row[column] != null)?.row[column] ?? null;
    };
    const best = sorted[0];
    if (best === undefined) throw new Error('a group has no rows');
    const fields: Record<string, Text> = {};
    for (const column of Object.keys(best.row)) fields[column] = first(column);
    // A number is that of the text beside it, or NULL.
    for (const column of Object.keys(fields).filter((each) => each.endsWith('_text'))) {
      const number = column.slice(0, -'_text'.length);
      const served = sorted.find(({ row }) => row[column] != null);
      if (number in fields) fields[number] = served?.row[number] ?? null;
    }
    const statuses = sorted.map(({ row }) => row['tx_status']);
    const settled = statuses.find((status) => status != null && status !== 'pending');
    fields['tx_status'] = settled ?? first('tx_status');
    return {
      ...fields,
      block_date: dateOf(first('block_time')),
      list_position: first('_list_position'),
      succeeded: hasSucceeded(fields['tx_status'] ?? null),
      coverage_status: statusOf(Math.min(...rows.map(({ rank }) => rank))),
      sources: listText(rows.map(({ list }) => list.endpoint)),
    };
  });
}

function byPrecedence(a: Marked, b: Marked): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.list.endpointRank !== b.list.endpointRank) return a.list.endpointRank - b.list.endpointRank;
  const [one, other] = [a, b].map(({ row }) => row['_fetched_at'] ?? '');
  if (one !== other) return (one ?? '') > (other ?? '') ? -1 : 1;
  if (a.list !== b.list) return a.list.order < b.list.order ? -1 : 1;
  return Number(a.row['_occurrence']) - Number(b.row['_occurrence']);
}

/**
 * The rows of records without a key: those of a complete look-up alone, else every copy that the
 * best list has.
 */
function shown(
  known: Known,
  dataset: string,
  hashColumn: string,
  identity: readonly string[],
  standardOf: ReadonlyMap<string, string> = new Map(),
): Marked[] {
  const named = known.rows(dataset).map((found): Marked => {
    if (found.row['token_standard'] != null || standardOf.size === 0) return found;
    const standard = standardOf.get(found.row['token_address'] ?? '') ?? null;
    return { ...found, row: { ...found.row, token_standard: standard } };
  });
  const left = named.filter((found) => {
    const { row, height, list } = found;
    if (list.kind === 'transaction') return true;
    return !known.lookUps(dataset, row[hashColumn] ?? null, height).some((filters) => {
      const standard = filters['token_standard'];
      return standard === undefined || standard === row['token_standard'];
    });
  });
  const best = new Map<string, string>();
  const orderOf = ({ rank, list }: Marked): string => `${rank} ${list.order}`;
  const idOf = ({ row, height }: Marked): string =>
    JSON.stringify([height, ...identity.map((column) => row[column] ?? null)]);
  for (const found of left) {
    const known = best.get(idOf(found));
    if (known === undefined || orderOf(found) < known) best.set(idOf(found), orderOf(found));
  }
  return left.filter((found) => best.get(idOf(found)) === orderOf(found));
}

/** The one standard that transfers of a token have, of tokens whose transfers agree. */
function standardsOf(known: Known): ReadonlyMap<string, string> {
  const standards = new Map<string, Set<string>>();
  for (const { row } of known.rows('token_transfers')) {
    const token = row['token_address'];
    const standard = row['token_standard'];
    if (token == null || standard == null) continue;
    standards.set(token, (standards.get(token) ?? new Set()).add(standard));
  }
  const agreed = new Map<string, string>();
  for (const [token, found] of standards) {
    const [first, ...others] = found;
    if (first !== undefined && others.length === 0) agreed.set(token, first);
  }
  return agreed;
}

/** A row that comes from one list. */
function oneList({ row, rank, list }: Marked, more: Row): Row {
  const status = more['cross_status'] ?? more['tx_status'] ?? null;
  return {
    ...row,
    ...more,
    block_date: dateOf(row['block_time'] ?? row['zone_block_time'] ?? null),
    succeeded: hasSucceeded(status),
    occurrence: row['_occurrence'] ?? null,
    list_position: row['_list_position'] ?? null,
    coverage_status: statusOf(rank),
    sources: listText([list.endpoint]),
  };
}

function word(served: Text | undefined): Text {
  if (served === '0x1') return 'success';
  return served === '0x0' ? 'fail' : (served ?? null);
}

function hasSucceeded(status: Text): Text {
  if (status === 'success') return 'true';
  return status === 'fail' ? 'false' : null;
}

function dateOf(time: Text): Text {
  return time?.slice(0, 10) ?? null;
}

function listText(values: readonly string[]): string {
  return `[${[...new Set(values)].sort().join(', ')}]`;
}
