import type { Asked } from './asked.ts';
import { type Cell, decimal, double, hasSucceeded, type Row } from './cells.ts';

export interface Sources {
  readonly transactions: readonly Row[];
  readonly internals: readonly Row[];
  readonly transfers: readonly Row[];
}

/** One address of one record, with what the record moved to it or from it. */
interface Leg {
  readonly leg: string;
  readonly source: string;
  readonly row: Row;
  readonly direction: 'in' | 'out';
  readonly counterparty: Cell;
  readonly amountText: Cell;
  /** NULL where this is unknown. */
  readonly moves: boolean | null;
  readonly symbol: Cell;
}

/** Calls that run code of an address, but move no value to it. */
const VALUELESS = ['delegatecall', 'staticcall', 'callcode'];

/** The rows of address_activity, by a plain loop over records and their parties. */
export function ledger({ transactions, internals, transfers }: Sources, asked: Asked): Row[] {
  const rows: Row[] = [];
  const add = (of: Omit<Leg, 'direction' | 'counterparty'>, hasRecipient = true): void => {
    const { from_address: from = null, to_address: to = null } = of.row;
    const out: Leg = { ...of, direction: 'out', counterparty: hasRecipient ? to : null };
    if (from !== null) rows.push(...legRow(from, out, asked));
    const incoming: Leg = { ...of, direction: 'in', counterparty: from };
    if (hasRecipient && to !== null) rows.push(...legRow(to, incoming, asked));
  };
  for (const row of transactions) {
    const { symbol = null, amount_text: amountText = null, tx_fee_text: fee = null } = row;
    const succeeded = row['succeeded'] ?? null;
    const moves = succeeded === null ? null : succeeded === 'true';
    add({ leg: 'value', source: 'transactions', row, amountText, moves, symbol });
    // No real transaction is pending, and all others have paid their fee.
    add({ leg: 'fee', source: 'transactions', row, amountText: fee, moves: true, symbol }, false);
  }
  for (const row of internals) {
    const source = 'internal_transactions';
    const { amount_text: amountText = null } = row;
    add({ leg: 'internal', source, row, amountText, moves: callMoves(row), symbol: null });
  }
  for (const row of transfers) {
    const { symbol = null, amount_text: amountText = null } = row;
    const moves = row['tx_status'] !== 'fail';
    add({ leg: 'token', source: 'token_transfers', row, amountText, moves, symbol });
  }
  return rows;
}

function callMoves({ operation, tx_status: status }: Row): boolean | null {
  if (VALUELESS.includes(operation ?? '') || status === 'fail') return false;
  return status === 'success' && operation != null ? true : null;
}

/** No row for an address that was not asked for, outside of whole blocks. */
function legRow(address: string, of: Leg, asked: Asked): Row[] {
  const { row, leg, direction, counterparty, amountText, symbol, source } = of;
  const height = Number(row['block_number']);
  const isWhole = asked.wholeBlocks.has(height);
  if (!isWhole && !asked.addresses.has(address) && !asked.holders.has(address)) return [];
  const asking = leg === 'token' ? asked.holders : asked.addresses;
  const known = height < asked.head ? 'complete' : 'provisional';
  const result: Row = {
    address,
    axis: 'primary',
    block_number: row['block_number'] ?? null,
    block_time: row['block_time'] ?? null,
    block_date: row['block_date'] ?? null,
    tx_hash: row['tx_hash'] ?? null,
    leg,
    direction,
    counterparty,
    symbol,
    token_address: leg === 'token' ? (row['token_address'] ?? null) : null,
    token_id: leg === 'token' ? (row['token_id'] ?? null) : null,
    token_standard: leg === 'token' ? (row['token_standard'] ?? null) : null,
    amount_text: amountText,
    amount_double: double(amountText),
    ...signed(of),
    tx_status: row['tx_status'] ?? null,
    succeeded: hasSucceeded(row['tx_status']),
    source,
    coverage_status: isWhole || asking.has(address) ? known : 'none',
  };
  return [result];
}

function signed({ moves, amountText, direction }: Leg): Row {
  const isZero = amountText !== null && Number(amountText) === 0;
  const sign = direction === 'out' ? '-' : '';
  const text = moves === false || isZero ? '0' : moves && amountText ? sign + amountText : null;
  return { signed_amount: decimalOf(text), signed_text: text, signed_double: double(text) };
}

function decimalOf(text: Cell): Cell {
  if (!text?.startsWith('-')) return decimal(text);
  const digits = decimal(text.slice(1));
  return digits === null ? null : `-${digits}`;
}
