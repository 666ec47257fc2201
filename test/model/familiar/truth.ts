import type { SimulatedChain } from '../../../service/src/simulated/chain.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { unitsOf } from '../answers/world.ts';

/** The records of the first blocks of a simulated chain, by plain loops and without SQL. */
export interface Truth {
  readonly txs: readonly Tx[];
  /** Internal transactions. */
  readonly calls: readonly Call[];
  readonly moves: readonly Move[];
  readonly blocks: readonly Block[];
  /** The address and the token that queries name. */
  readonly address: string;
  readonly token: string;
  readonly methods: ReadonlyMap<string, string>;
}

export interface Tx {
  readonly hash: string;
  readonly block: number;
  readonly timeMs: number;
  readonly from: string;
  readonly to: string | null;
  readonly wei: bigint;
  readonly gasUsed: number;
  readonly gasPrice: bigint;
  readonly ok: boolean;
  readonly methodId: string | null;
}

export interface Call {
  readonly block: number;
  readonly from: string;
  readonly to: string;
  readonly wei: bigint;
  readonly type: string;
  readonly ok: boolean;
}

interface Move {
  readonly hash: string;
  readonly token: string;
  readonly standard: string;
  readonly symbol: string;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly whole: number;
  /** In the smallest unit; null where the token has no decimals. */
  readonly raw: bigint | null;
  readonly decimals: number;
}

interface Block {
  readonly number: number;
  readonly miner: string;
  readonly gasUsed: number;
  readonly gasLimit: number;
  readonly transactions: number;
  readonly baseFee: bigint;
}

export type Rows = unknown[][];

const text = (record: CanonicalRecord, column: string): string => String(record[column] ?? '');
const wei = (record: CanonicalRecord, column: string): bigint => unitsOf(text(record, column));

/** The truth about blocks 0 to `last`; `decimals` has the tokens that the tokens CSV names. */
export function truthOf(
  chain: SimulatedChain,
  last: number,
  named: Pick<Truth, 'address' | 'token' | 'methods'>,
  decimals: ReadonlyMap<string, number>,
): Truth {
  const all = Array.from({ length: last + 1 }, (_, height) => chain.recordsAt(height));
  return {
    ...named,
    txs: all.flatMap(({ transactions }) => transactions.map(txOf)),
    calls: all.flatMap(({ internal_transactions }) => internal_transactions.map(callOf)),
    moves: all.flatMap(({ token_transfers }) =>
      token_transfers.map((record) => moveOf(record, decimals.get(text(record, 'token_address')))),
    ),
    blocks: all.flatMap(({ blocks }) => blocks.map(blockOf)),
  };
}

function txOf(record: CanonicalRecord): Tx {
  return {
    hash: text(record, 'tx_hash'),
    block: Number(record['block_number']),
    timeMs: Number(record['block_time']),
    from: text(record, 'from_address'),
    to: text(record, 'to_address') || null,
    wei: wei(record, 'amount'),
    gasUsed: Number(record['gas_used']),
    gasPrice: BigInt(text(record, 'gas_price')),
    ok: record['tx_status'] === 'success',
    methodId: text(record, 'method_id') || null,
  };
}

function callOf(record: CanonicalRecord): Call {
  return {
    block: Number(record['block_number']),
    from: text(record, 'from_address'),
    to: text(record, 'to_address'),
    wei: wei(record, 'amount'),
    type: text(record, 'operation'),
    ok: record['tx_status'] === 'success',
  };
}

function moveOf(record: CanonicalRecord, decimals: number | undefined): Move {
  const units = wei(record, 'amount');
  return {
    hash: text(record, 'tx_hash'),
    token: text(record, 'token_address'),
    standard: text(record, 'token_standard'),
    symbol: text(record, 'symbol'),
    id: text(record, 'token_id'),
    from: text(record, 'from_address'),
    to: text(record, 'to_address'),
    whole: Number(record['amount']),
    raw: decimals === undefined ? null : units / 10n ** BigInt(18 - decimals),
    decimals: decimals ?? 0,
  };
}

function blockOf(record: CanonicalRecord): Block {
  return {
    number: Number(record['block_number']),
    miner: text(record, 'miner'),
    gasUsed: Number(record['gas_used']),
    gasLimit: Number(record['gas_limit']),
    transactions: Number(record['txn_count']),
    baseFee: wei(record, 'base_fee_per_gas'),
  };
}

export function dayOf({ timeMs }: { readonly timeMs: number }): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

export function feeOf({ gasUsed, gasPrice }: Tx): bigint {
  return BigInt(gasUsed) * gasPrice;
}

export function callsOf({ calls }: Truth): readonly Call[] {
  return calls;
}

export function movesOf({ moves }: Truth, standard: string): readonly Move[] {
  return moves.filter((move) => move.standard === standard);
}

/** Sums of a number by key, in the order in which keys appear. */
export function summed<V>(
  values: readonly V[],
  keyOf: (value: V) => string,
  numberOf: (value: V) => number,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const value of values) {
    sums.set(keyOf(value), (sums.get(keyOf(value)) ?? 0) + numberOf(value));
  }
  return [...sums];
}

/** The highest sums, and of equal ones the first keys in the alphabet. */
export function highest(sums: readonly [string, number][], count: number): Rows {
  return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, count);
}

/** A number of units as the nearest double. */
export function quotient(units: bigint, decimals: number): number {
  return Number(units) / 10 ** decimals;
}

const CALLED_IN_PLACE = ['delegatecall', 'callcode', 'staticcall'];

function gains({ txs, calls }: Truth): [address: string, wei: bigint][] {
  const moved = [
    ...txs.filter(({ ok }) => ok),
    ...calls.filter(({ ok, type }) => ok && !CALLED_IN_PLACE.includes(type)),
  ];
  return moved.flatMap(({ from, to, wei: amount }) => {
    const out: [string, bigint] = [from, -amount];
    return to === null ? [out] : [out, [to, amount] satisfies [string, bigint]];
  });
}

/** The wei that an address gained by transactions and calls, fees aside. */
export function paidTo(truth: Truth, address: string): bigint {
  return gains(truth).reduce((sum, [key, amount]) => (key === address ? sum + amount : sum), 0n);
}

/** The wei that every address gained, fees included, without zeros. */
export function balancesOf(truth: Truth): [address: string, wei: bigint][] {
  const sums = new Map<string, bigint>();
  const add = (address: string, amount: bigint) => {
    sums.set(address, (sums.get(address) ?? 0n) + amount);
  };
  for (const [address, amount] of gains(truth)) add(address, amount);
  const miners = new Map(truth.blocks.map(({ number, miner }) => [number, miner]));
  for (const tx of truth.txs) {
    add(tx.from, -feeOf(tx));
    add(miners.get(tx.block) ?? '', feeOf(tx));
  }
  return [...sums].filter(([, sum]) => sum !== 0n);
}
