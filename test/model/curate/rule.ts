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

export function curatedModel(tables: Known): CuratedModel {
  const transactions = joined(tables, 'transactions', 'tx_hash');
  const statuses = new Map(
    transactions.map((row) => [
      `${row['block_number']} ${row['tx_hash']}`,
      row['tx_status'] ?? null,
    ]),
  );
  const statusIn = ({ row }: Marked): Text =>
    statuses.get(`${row['block_number']} ${row['tx_hash']}`) ?? null;
  const internals = shown(tables, INTERNALS).map((record) => {
    const failed = statusIn(record) === 'fail' ? 'fail' : null;
    return oneList(record, { tx_status: record.row['tx_status'] ?? failed });
  });
  const transfers = shown(tables, TRANSFERS, standardsOf(tables)).map((record) =>
    oneList(record, { tx_status: record.row['tx_status'] ?? statusIn(record) }),
  );
  const zone = joined(tables, 'zone_transactions', 'tx_hash').map((row) => {
    const status = word(row['tx_status']);
    return { ...row, tx_status: status, succeeded: hasSucceeded(status) };
  });
  const crossings = shown(tables, CROSSINGS).map((record) =>
    oneList(record, { cross_status: word(record.row['cross_status']) }),
  );
  const primary = { transactions, internal_transactions: internals, token_transfers: transfers };
  return {
    ...primary,
    blocks: joined(tables, 'blocks', 'block_hash'),
    native_holders: tables.rows('native_holders').map((record) => oneList(record, {})),
    address_activity: activityOf(tables, primary),
    zone_transactions: zone,
    zone_blocks: joined(tables, 'zone_blocks', 'block_hash'),
    cross_chain_transfers: crossings,
    zone_address_activity: activityOf(tables, {
      zone_transactions: zone,
      cross_chain_transfers: crossings,
    }),
  };
}

/** Records without a key. */
interface Unkeyed {
  readonly dataset: string;
  readonly hashColumn: string;
  /** Records of two lists that are equal in these are one. */
  readonly identity: readonly string[];
  /** Fields that not every list has; a number follows its text. */
  readonly fields: readonly string[];
  /** A field of the identity that the service fills in later. */
  readonly half?: string;
}

const CALL_IDENTITY = ['tx_hash', 'from_address', 'to_address', 'amount_text'];
const INTERNALS: Unkeyed = {
  dataset: 'internal_transactions',
  hashColumn: 'tx_hash',
  identity: CALL_IDENTITY,
  fields: [
    'operation',
    'tx_status',
    'block_hash',
    'symbol',
    'tx_fee_text',
    'token_address',
    'token_id',
    'method_id',
  ],
};
const TRANSFERS: Unkeyed = {
  dataset: 'token_transfers',
  hashColumn: 'tx_hash',
  identity: [...CALL_IDENTITY, 'token_address', 'token_standard', 'token_id'],
  fields: ['tx_status', 'method_id', 'tx_fee_text'],
};
const CROSSINGS: Unkeyed = {
  dataset: 'cross_chain_transfers',
  hashColumn: 'zone_tx_hash',
  half: 'main_tx_hash',
  identity: [
    'zone_tx_hash',
    'main_tx_hash',
    'cross_type',
    'source_address',
    'target_address',
    'token_address',
    'token_id',
    'amount_text',
  ],
  fields: [
    'cross_id',
    'zone_event_index',
    'zone_block_hash',
    'batch_detail',
    'update_time',
    'published_block_number',
  ],
};

/** One row per hash: every field is that of the first list that has it. */
function joined(tables: Known, dataset: string, hashColumn: string): Row[] {
  const groups = new Map<string, Marked[]>();
  for (const record of tables.rows(dataset)) {
    const id = `${record.height} ${record.row[hashColumn]}`;
    groups.set(id, [...(groups.get(id) ?? []), record]);
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
    for (const column of Object.keys(fields).filter((name) => name.endsWith('_text'))) {
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
  const [left, right] = [a, b].map(({ row }) => row['_values'] ?? '');
  if (left !== right) return (left ?? '') < (right ?? '') ? -1 : 1;
  return Number(a.row['_occurrence']) - Number(b.row['_occurrence']);
}

/** A row as the best list has it, with what other lists say of its record. */
interface Shown extends Marked {
  readonly blockPosition: Text;
  /** The endpoints of all lists that hold the record. */
  readonly endpoints: readonly string[];
}

/**
 * The rows of records without a key: those of a complete look-up alone, else every copy that the
 * best list has.
 */
function shown(
  tables: Known,
  table: Unkeyed,
  standardOf: ReadonlyMap<string, string> = new Map(),
): Shown[] {
  const { dataset, hashColumn } = table;
  const groups = new Map<string, Marked[]>();
  tables.rows(dataset).forEach((record, nth) => {
    const named = asPiece(withStandard(record, standardOf));
    const isNamed = named.row[hashColumn] != null;
    const identity = table.identity.map((column) => named.row[column] ?? null);
    // Without a hash nothing says that two rows are one.
    const id = JSON.stringify([named.height, ...identity, isNamed ? '' : nth]);
    groups.set(id, [...(groups.get(id) ?? []), named]);
  });
  const halves = halvesOf(tables.rows(dataset), table);
  return [...groups.values()].flatMap((alike) => {
    const left = alike.filter((record) => {
      const { isLate, isLookUpOlder } = halves(record);
      return !isLate && (isLookUpOlder || !isReplaced(tables, table, record));
    });
    const orders = left.map(orderOf).sort();
    const best = left.filter((record) => orderOf(record) === orders[0]);
    return best.map((record) => ({
      ...withFields(record, alike, table),
      blockPosition: placeInBlock(record, alike),
      endpoints: alike.map(({ list }) => list.endpoint),
    }));
  });
}

interface Halves {
  /** The row lacks its half, and another list has those of all crossings like this one. */
  readonly isLate: boolean;
  /** A look-up lacks a half that the list of the row has. */
  readonly isLookUpOlder: boolean;
}

/** What lists say of the later half of rows that are equal in the rest of their identity. */
function halvesOf(rows: readonly Marked[], table: Unkeyed): (record: Marked) => Halves {
  const { half, hashColumn, identity } = table;
  const rest = identity.filter((column) => column !== half);
  const idOf = ({ row, height }: Marked): string =>
    JSON.stringify([height, ...rest.map((column) => row[column] ?? null)]);
  const groups = new Map<string, Marked[]>();
  for (const row of rows) groups.set(idOf(row), [...(groups.get(idOf(row)) ?? []), row]);
  return (record) => {
    if (half === undefined) return { isLate: false, isLookUpOlder: false };
    const alike = groups.get(idOf(record)) ?? [];
    const isOlder = (one: Marked): boolean =>
      one.row[hashColumn] != null &&
      alike.some(({ row, list }) => list.order === one.list.order && row[half] == null);
    return {
      isLate: record.row[half] == null && alike.some((one) => one.rank <= 2 && !isOlder(one)),
      isLookUpOlder:
        record.rank <= 2 &&
        !isOlder(record) &&
        alike.some((one) => one.list.kind === 'transaction' && isOlder(one)),
    };
  };
}

const orderOf = ({ rank, list }: Marked): string => `${rank} ${list.order}`;

function withStandard(record: Marked, standardOf: ReadonlyMap<string, string>): Marked {
  if (record.row['token_standard'] != null || standardOf.size === 0) return record;
  const standard = standardOf.get(record.row['token_address'] ?? '') ?? null;
  return { ...record, row: { ...record.row, token_standard: standard } };
}

/** A token_721 without an amount is one piece. */
function asPiece(record: Marked): Marked {
  const { token_standard: standard, amount_text: text, amount } = record.row;
  const isNone = text == null || (amount != null && Number(amount) === 0);
  if (standard !== 'token_721' || !isNone) return record;
  return { ...record, row: { ...record.row, amount_text: '1', amount: `1.${'0'.repeat(18)}` } };
}

/** Whether a complete look-up of the transaction says what it has. */
function isReplaced(tables: Known, { dataset, hashColumn }: Unkeyed, record: Marked): boolean {
  const { row, height, list } = record;
  if (list.kind === 'transaction') return false;
  return tables.lookUps(dataset, row[hashColumn] ?? null, height).some((filters) => {
    const standard = filters['token_standard'];
    return standard === undefined || standard === row['token_standard'];
  });
}

/** Whether all lists that hold a record are complete, or all are provisional. */
function areWhole(alike: readonly Marked[]): boolean {
  return [1, 2].some((rank) => alike.every((record) => record.rank === rank));
}

/** The one value of a column among the rows that have one; null if they differ. */
function agreedOn(alike: readonly Marked[], column: string): Text {
  const values = new Set(alike.flatMap(({ row }) => row[column] ?? []));
  const [value = null] = values;
  return values.size === 1 ? value : null;
}

/** Fields that the row lacks, from the other rows of its record. */
function withFields(record: Marked, alike: readonly Marked[], { fields }: Unkeyed): Marked {
  if (!areWhole(alike)) return record;
  const row: Record<string, Text> = { ...record.row };
  for (const column of fields) {
    if (row[column] != null) continue;
    row[column] = agreedOn(alike, column);
    const number = column.slice(0, -'_text'.length);
    if (column.endsWith('_text') && row[column] != null) row[number] = agreedOn(alike, number);
  }
  return { ...record, row };
}

function placeInBlock(record: Marked, alike: readonly Marked[]): Text {
  const isOfBlock = ({ list }: Marked): boolean => list.kind === 'all';
  if (isOfBlock(record)) return record.row['_list_position'] ?? null;
  return areWhole(alike) ? agreedOn(alike.filter(isOfBlock), '_list_position') : null;
}

/** The one standard that transfers of a token have, of tokens whose transfers agree. */
function standardsOf(tables: Known): ReadonlyMap<string, string> {
  const standards = new Map<string, Set<string>>();
  for (const { row } of tables.rows('token_transfers')) {
    const token = row['token_address'];
    const standard = row['token_standard'];
    if (token == null || standard == null) continue;
    standards.set(token, (standards.get(token) ?? new Set()).add(standard));
  }
  const agreed = new Map<string, string>();
  for (const [token, names] of standards) {
    const [first, ...others] = names;
    if (first !== undefined && others.length === 0) agreed.set(token, first);
  }
  return agreed;
}

/** A row that comes from one list. */
function oneList(record: Marked & Partial<Shown>, more: Row): Row {
  const { row, rank, list, blockPosition = null, endpoints = [list.endpoint] } = record;
  const status = more['cross_status'] ?? more['tx_status'] ?? null;
  return {
    ...row,
    ...more,
    block_date: dateOf(row['block_time'] ?? row['zone_block_time'] ?? null),
    succeeded: hasSucceeded(status),
    occurrence: row['_occurrence'] ?? null,
    list_position: row['_list_position'] ?? null,
    block_position: blockPosition,
    coverage_status: statusOf(rank),
    sources: listText(endpoints),
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
