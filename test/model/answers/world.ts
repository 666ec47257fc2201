import type { Executed, SimulatedChain } from '../../../service/src/simulated/chain.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';

/**
 * What an export of some addresses holds, by plain loops over the movements that the simulated chain
 * computed: no SQL, no view and no curated table.
 */

/** A movement of one address. */
export interface Leg {
  readonly address: string;
  readonly axis: 'primary' | 'zone';
  readonly block: number;
  readonly timeMs: number;
  readonly hash: string;
  readonly leg: 'value' | 'fee' | 'internal' | 'token' | 'zone' | 'cross_chain';
  readonly direction: 'in' | 'out';
  readonly counterparty: string | null;
  readonly symbol: string | null;
  readonly token: string | null;
  readonly tokenId: string | null;
  readonly standard: string | null;
  readonly text: string | null;
  /** Gain or loss in units of 10^-18; null where no record says it. */
  readonly units: bigint | null;
  readonly succeeded: boolean | null;
}

export interface Exported {
  readonly chain: SimulatedChain;
  readonly addresses: readonly string[];
  /** Last blocks of both chains; the first ones are 0. */
  readonly last: number;
  readonly lastZone: number;
}

export interface World extends Exported {
  readonly labels: ReadonlyMap<string, string>;
  readonly transactions: readonly CanonicalRecord[];
  readonly internals: readonly CanonicalRecord[];
  readonly transfers: readonly CanonicalRecord[];
  readonly crossings: readonly CanonicalRecord[];
  readonly legs: readonly Leg[];
}

type Base = Pick<Leg, 'axis' | 'block' | 'timeMs' | 'hash'>;
type Rest = Omit<Leg, 'address' | 'direction' | 'counterparty' | keyof Base>;

const PLACES = 18;
const NATIVE = { token: null, tokenId: null, standard: null };

/** A cell of a record as text. */
export function textIn(record: CanonicalRecord, column: string): string | null {
  const cell = record[column] ?? null;
  return cell === null ? null : String(cell);
}

function partiesOf(value: unknown): string[] {
  return String(value ?? '')
    .split(',')
    .filter((part) => part !== '');
}

/** The records that address lists and their look-ups return, and the legs of the addresses. */
export function worldOf(source: Exported, labels: ReadonlyMap<string, string>): World {
  const ours = new Set(source.addresses);
  const named = (...values: unknown[]) => values.flatMap(partiesOf).some((name) => ours.has(name));
  const transactions: CanonicalRecord[] = [];
  const internals: CanonicalRecord[] = [];
  const transfers: CanonicalRecord[] = [];
  const legs: Leg[] = [];
  for (let height = 0; height <= source.last; height += 1) {
    for (const entry of source.chain.executedAt(height).executed) {
      const { transaction } = entry;
      const calls = entry.internal.map(({ record }) => record);
      const isCalled = calls.some((call) => named(call['from_address'], call['to_address']));
      if (isCalled || named(transaction['from_address'], transaction['to_address'])) {
        transactions.push(transaction);
      }
      if (isCalled) internals.push(...calls);
      for (const { record } of entry.transfers) {
        if (named(record['from_address'], record['to_address'])) transfers.push(record);
      }
      legs.push(...legsOf(entry, height));
    }
  }
  const crossings: CanonicalRecord[] = [];
  for (let height = 0; height <= source.lastZone; height += 1) {
    const records = source.chain.zone.recordsAt(height);
    const crossed = new Set(records.cross_chain_transfers.map((record) => record['zone_tx_hash']));
    for (const record of records.cross_chain_transfers) {
      const { from_address, to_address, source_address, target_address } = record;
      if (named(from_address, to_address, source_address, target_address)) crossings.push(record);
      legs.push(...crossingLegs(record, height));
    }
    for (const record of records.zone_transactions) {
      legs.push(actionLeg(record, height, crossed.has(record['tx_hash'] ?? null)));
    }
  }
  const ourLegs = legs.filter(({ address }) => ours.has(address));
  return { ...source, labels, transactions, internals, transfers, crossings, legs: ourLegs };
}

function twoSided(
  base: Base,
  record: CanonicalRecord,
  units: bigint | null,
  rest: Omit<Rest, 'units'>,
) {
  const [from, to] = [textIn(record, 'from_address'), textIn(record, 'to_address')];
  const minus = units === null ? null : -units;
  return [
    ...partiesOf(from).map(
      (address): Leg => ({
        ...base,
        ...rest,
        address,
        direction: 'out',
        counterparty: to || null,
        units: minus,
      }),
    ),
    ...partiesOf(to).map(
      (address): Leg => ({
        ...base,
        ...rest,
        address,
        direction: 'in',
        counterparty: from || null,
        units,
      }),
    ),
  ];
}

function legsOf(entry: Executed, block: number): Leg[] {
  const { transaction, failed, sender } = entry;
  const succeeded = !failed;
  const timeMs = Number(transaction['block_time']);
  const base: Base = { axis: 'primary', block, timeMs, hash: textIn(transaction, 'tx_hash') ?? '' };
  const symbol = textIn(transaction, 'symbol');
  const fee: Leg = {
    ...base,
    ...NATIVE,
    address: sender,
    leg: 'fee',
    direction: 'out',
    counterparty: null,
    symbol,
    text: textIn(transaction, 'tx_fee'),
    units: -entry.feeWei,
    succeeded,
  };
  const text = textIn(transaction, 'amount');
  const value = { ...NATIVE, leg: 'value', symbol, text, succeeded } as const;
  const legs = [fee, ...twoSided(base, transaction, failed ? 0n : entry.amountWei, value)];
  for (const { record, movedWei } of entry.internal) {
    const call = { ...NATIVE, leg: 'internal', symbol: null, succeeded } as const;
    const rest = { ...call, text: textIn(record, 'amount') };
    legs.push(...twoSided(base, record, failed ? 0n : movedWei, rest));
  }
  for (const { record, units } of entry.transfers) {
    legs.push(
      ...twoSided(base, record, units, {
        leg: 'token',
        symbol: textIn(record, 'symbol'),
        token: textIn(record, 'token_address'),
        tokenId: textIn(record, 'token_id'),
        standard: textIn(record, 'token_standard'),
        text: textIn(record, 'amount'),
        succeeded,
      }),
    );
  }
  return legs;
}

function crossingLegs(record: CanonicalRecord, block: number): Leg[] {
  const isDeposit = record['cross_type'] === 'Deposit';
  const succeeded = record['cross_status'] === '0x1';
  const source = textIn(record, 'source_address');
  const target = textIn(record, 'target_address');
  const units = succeeded ? unitsOf(textIn(record, 'amount') ?? '0') : 0n;
  const rest = {
    axis: 'zone',
    block,
    timeMs: Number(record['zone_block_time']),
    hash: textIn(record, 'zone_tx_hash') ?? '',
    leg: 'cross_chain',
    symbol: null,
    token: textIn(record, 'token_address'),
    tokenId: textIn(record, 'token_id'),
    standard: textIn(record, 'token_standard'),
    text: textIn(record, 'amount'),
    succeeded,
  } as const;
  return isDeposit
    ? partiesOf(target).map((address) => {
        return { ...rest, address, direction: 'in', counterparty: source, units };
      })
    : partiesOf(source).map((address) => {
        return { ...rest, address, direction: 'out', counterparty: target, units: -units };
      });
}

function actionLeg(record: CanonicalRecord, block: number, isCrossing: boolean): Leg {
  const text = textIn(record, 'amount') || null;
  const succeeded = record['tx_status'] === '0x1';
  return {
    ...NATIVE,
    address: textIn(record, 'from_address') ?? '',
    axis: 'zone',
    block,
    timeMs: Number(record['block_time']),
    hash: textIn(record, 'tx_hash') ?? '',
    leg: 'zone',
    direction: 'out',
    counterparty: null,
    symbol: null,
    text,
    units: !succeeded || text === null || isCrossing ? 0n : null,
    succeeded,
  };
}

/** An amount in units of 10^-18. */
export function unitsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -units : units;
}

/** Units of 10^-18 as a decimal text without needless zeros. */
export function textOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  const whole = digits.slice(0, -PLACES);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export function sumOf(units: readonly (bigint | null)[]): bigint {
  return units.reduce((sum: bigint, unit) => sum + (unit ?? 0n), 0n);
}

export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** The values in groups of equal keys, in the order in which the keys appear. */
export function grouped<V>(values: readonly V[], keyOf: (value: V) => readonly unknown[]) {
  const groups = new Map<string, { key: readonly unknown[]; rows: V[] }>();
  for (const value of values) {
    const key = keyOf(value);
    const text = JSON.stringify(key);
    const group = groups.get(text) ?? { key, rows: [] };
    group.rows.push(value);
    groups.set(text, group);
  }
  return [...groups.values()];
}

/** The greatest text; null of none. */
export function greatest(texts: readonly (string | null)[]): string | null {
  return texts.reduce((a, b) => (b !== null && (a === null || b > a) ? b : a), null);
}

/** The value at a share of sorted numbers, between two of them in proportion. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

/** One whole token, in units of 10^-18. */
export const ONE = 10n ** 18n;

/** Whether the one piece of an id was there before: the first block that tells it says so. */
export function hadOneBefore(legs: readonly Leg[]): boolean {
  const blocks = grouped(legs, ({ block }) => [block]).map(({ key, rows }) => {
    const isToItself = rows.every(({ address, counterparty }) => address === counterparty);
    const net = sumOf(rows.map(({ units }) => units));
    return { block: Number(key[0]), net, had: net === -ONE || isToItself };
  });
  blocks.sort((a, b) => a.block - b.block);
  return blocks.find(({ had, net }) => had || net === ONE)?.had ?? false;
}
