import {
  type Aspect,
  addressesOf,
  type Known,
  NONE,
  type Row,
  rankOf,
  statusOf,
  type Text,
} from './known.ts';

/** The ledger of all exported addresses, as the head of sql/curated/address_activity.sql has it. */

/** Curated rows that records of a ledger come from, by table. */
type Sources = Readonly<Record<string, readonly Row[]>>;

interface Leg {
  readonly leg: string;
  readonly direction: 'in' | 'out';
  readonly source: string;
  readonly from: Text;
  readonly to: Text;
  readonly amountText: Text;
  readonly amount: Text;
  readonly status: Text;
  /** Of the record's own coverage. */
  readonly rank: number;
  /** Null where it is unknown whether the amount moved. */
  readonly moves: boolean | null;
  readonly height: number;
  readonly time: Text;
  readonly hash: Text;
  readonly values: Row;
  readonly symbol: Text;
  readonly token: Row;
}

const NO_TOKEN = { token_address: null, token_id: null, token_standard: null };
const BOTH = ['out', 'in'] as const;

export function activityOf(tables: Known, sources: Sources): Row[] {
  const raw = (table: string): readonly Row[] => sources[table] ?? [];
  const crossed = new Set(
    raw('cross_chain_transfers').map((row) => `${row['zone_block_number']} ${row['zone_tx_hash']}`),
  );
  const legs = [
    ...raw('transactions').flatMap(transactionLegs),
    ...raw('internal_transactions').flatMap((row) => internalLegs(row, raw('transactions'))),
    ...raw('token_transfers').flatMap(tokenLegs),
    ...raw('cross_chain_transfers').flatMap(crossingLegs),
    ...raw('zone_transactions').map((row) => zoneLeg(row, crossed)),
  ];
  return legs.flatMap((leg) => rowsOf(tables, leg));
}

function base(row: Row, source: string) {
  return {
    source,
    from: row['from_address'] ?? null,
    to: row['to_address'] ?? null,
    amountText: row['amount_text'] ?? null,
    amount: row['amount'] ?? null,
    status: row['tx_status'] ?? null,
    rank: rankOf(row['coverage_status']),
    height: Number(row['block_number']),
    time: row['block_time'] ?? null,
    hash: row['tx_hash'] ?? null,
    values: {},
    symbol: null,
    token: NO_TOKEN,
  };
}

function transactionLegs(row: Row): Leg[] {
  const core = { ...base(row, 'transactions'), symbol: row['symbol'] ?? null };
  const { status } = core;
  const moves = status === 'success' ? true : status === 'fail' ? false : null;
  const fee = {
    ...core,
    to: null,
    amountText: row['tx_fee_text'] ?? null,
    amount: row['tx_fee'] ?? null,
    moves: status === 'pending' ? null : true,
  };
  return [
    ...BOTH.map((direction) => ({ ...core, leg: 'value', direction, moves })),
    { ...fee, leg: 'fee', direction: 'out' },
  ];
}

/** Whether the call is its transaction itself, which only some services list. */
function isOutermost(row: Row, transactions: readonly Row[]): boolean {
  return transactions.some((one) => {
    const same = (column: string): boolean => one[column] != null && one[column] === row[column];
    const isOfParties =
      one['to_address'] == null || row['to_address'] == null || same('to_address');
    const isOfAmount = same('amount_text') || same('amount');
    return (
      row['from_is_contract'] !== 'true' &&
      ['block_number', 'tx_hash', 'from_address'].every(same) &&
      isOfParties &&
      isOfAmount
    );
  });
}

function internalLegs(row: Row, transactions: readonly Row[]): Leg[] {
  const core = base(row, 'internal_transactions');
  const operation = row['operation']?.toLowerCase();
  const isRunInPlace = ['delegatecall', 'staticcall', 'callcode'].includes(operation ?? '');
  const isKnown = core.status === 'success' && operation !== undefined;
  const isStill = isRunInPlace || core.status === 'fail' || isOutermost(row, transactions);
  const moves = isStill ? false : isKnown ? true : null;
  return BOTH.map((direction) => ({ ...core, leg: 'internal', direction, moves }));
}

function tokenLegs(row: Row): Leg[] {
  const core = { ...base(row, 'token_transfers'), ...tokenOf(row), symbol: row['symbol'] ?? null };
  // Only transactions that succeeded leave events.
  const moves = core.status === 'fail' ? false : core.status === 'pending' ? null : true;
  return BOTH.map((direction) => ({ ...core, leg: 'token', direction, moves }));
}

function tokenOf(row: Row): Pick<Leg, 'values' | 'token'> {
  const { token_address = null, token_id = null, token_standard = null } = row;
  return {
    values: { token_address, token_standard },
    token: { token_address, token_id, token_standard },
  };
}

function crossingLegs(row: Row): Leg[] {
  const { token } = tokenOf(row);
  const core = {
    ...base(row, 'cross_chain_transfers'),
    token,
    values: { token_address: row['token_address'] ?? null },
    from: row['source_address'] ?? null,
    to: row['target_address'] ?? null,
    status: row['cross_status'] ?? null,
    height: Number(row['zone_block_number']),
    time: row['zone_block_time'] ?? null,
    hash: row['zone_tx_hash'] ?? null,
  };
  const type = row['cross_type'] ?? '';
  const arrives = type === 'Deposit' && row['direction'] === 'MainToZone';
  const leaves = type.endsWith('Withdraw') && row['direction'] === 'ZoneToMain';
  const isKnown = arrives || leaves;
  const { status } = core;
  const moves = status === 'fail' ? false : status === 'success' && isKnown ? true : null;
  const directions = BOTH.filter((way) => !isKnown || (way === 'in') === arrives);
  return directions.map((direction) => ({ ...core, leg: 'cross_chain', direction, moves }));
}

function zoneLeg(row: Row, crossed: ReadonlySet<string>): Leg {
  const core = { ...base(row, 'zone_transactions'), to: null };
  const isCrossed = crossed.has(`${row['block_number']} ${row['tx_hash']}`);
  const isStill = core.status === 'fail' || core.amountText === null || isCrossed;
  return { ...core, leg: 'zone', direction: 'out', moves: isStill ? false : null };
}

function rowsOf(tables: Known, leg: Leg): Row[] {
  const isOut = leg.direction === 'out';
  const party = isOut ? leg.from : leg.to;
  const aspect: Aspect = { dataset: leg.source, height: leg.height, values: leg.values };
  return addressesOf(party).flatMap((address) => {
    const whole = tables.ofChain(aspect);
    if (!tables.followed.has(address) && whole > 2) return [];
    const rank = tables.ofAddress(aspect, address, isOut ? 'from' : 'to');
    return [rowOf(leg, address, Math.max(leg.rank, Math.min(rank, whole, NONE)))];
  });
}

function rowOf(leg: Leg, address: string, rank: number): Row {
  const isOut = leg.direction === 'out';
  return {
    address,
    axis: ['cross_chain', 'zone'].includes(leg.leg) ? 'zone' : 'primary',
    block_number: String(leg.height),
    block_time: leg.time,
    block_date: leg.time?.slice(0, 10) ?? null,
    tx_hash: leg.hash,
    leg: leg.leg,
    direction: leg.direction,
    counterparty: isOut ? leg.to : leg.from,
    symbol: leg.symbol,
    ...leg.token,
    amount_text: leg.amountText,
    signed_text: signedText(leg),
    tx_status: leg.status,
    succeeded: leg.status === 'success' ? 'true' : leg.status === 'fail' ? 'false' : null,
    source: leg.source,
    coverage_status: statusOf(rank),
  };
}

function signedText({ leg, direction, from, to, amount, amountText, moves }: Leg): Text {
  if (moves === false || (amount !== null && Number(amount) === 0)) return '0';
  const isOut = direction === 'out';
  // The one sender of a batch gives the whole amount.
  const parties = leg === 'cross_chain' && isOut ? [from] : [from, to];
  if (moves === null || amountText === null) return null;
  if (parties.some((party) => party?.includes(','))) return null;
  return isOut ? `-${amountText}` : amountText;
}
