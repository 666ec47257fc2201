import { hexOf, Random } from './random.ts';

/**
 * A small chain in plain arrays: long empty stretches, blocks with many records, addresses that are
 * busy and addresses that hardly do anything, equal internal transactions, tokens of every type.
 */

export interface Placed {
  readonly height: number;
  /** Position within the chain: no two records of a kind share it. */
  readonly index: number;
  readonly hash: string;
}

export interface Transaction extends Placed {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly nonce: number;
  readonly state: 'success' | 'fail' | 'pending';
}

export interface Internal extends Placed {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly operation: string;
  readonly state: string;
}

export interface Transfer extends Placed {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly token: string;
  readonly type: TokenType;
  readonly tokenId: string;
}

export interface ZoneTransaction extends Placed {
  readonly from: string;
  readonly order: number;
}

export interface ZoneBlock extends Placed {
  readonly transactions: number;
}

export const TOKEN_TYPES = ['token_20', 'token_721', 'token_1155', 'token_10'] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** How much of what there is; heights are 0 to `head`. */
export interface ChainSize {
  readonly head: number;
  readonly addresses: number;
  /** Transactions of the followed addresses outside of bursts. */
  readonly transactions: number;
  /** Blocks with many transactions of one or few addresses. */
  readonly bursts: number;
  readonly burstRecords: number;
}

export const SMALL: ChainSize = {
  head: 14_999,
  addresses: 14,
  transactions: 320,
  bursts: 3,
  burstRecords: 160,
};

export interface Chain {
  readonly head: number;
  readonly zoneHead: number;
  readonly addresses: readonly string[];
  /** In order of height. */
  readonly transactions: readonly Transaction[];
  readonly internals: readonly Internal[];
  readonly transfers: readonly Transfer[];
  readonly zoneTransactions: readonly ZoneTransaction[];
  readonly zoneBlocks: readonly ZoneBlock[];
  /** Transactions that no block holds yet. */
  readonly pending: readonly Transaction[];
}

const GENESIS_MS = 1_700_000_000_000;
export const blockTime = (height: number): string => String(GENESIS_MS + height * 12_000);
export const blockHash = (height: number): string => hexOf(64, 'block', height);
export const zoneBlockTime = (height: number): string => String(GENESIS_MS + height * 100);
export const zoneBlockHash = (height: number): string => hexOf(64, 'zone block', height);

export function buildChain(seed: number, size: ChainSize = SMALL): Chain {
  const random = Random.keyed(seed, 'chain');
  const addresses = Array.from({ length: size.addresses }, (_, i) => hexOf(40, seed, 'address', i));
  const stranger = (): string => hexOf(40, seed, 'stranger', random.between(0, 400));
  // A few addresses do most of it, as everywhere.
  const active = (): string =>
    addresses[Math.floor(random.next() ** 3 * addresses.length)] ?? stranger();
  const other = (): string => (random.chance(0.25) ? active() : stranger());
  const planned = plannedHeights(random, size, addresses);
  const nonces = new Map<string, number>();
  const transactions: Transaction[] = [];
  const internals: Internal[] = [];
  const transfers: Transfer[] = [];
  for (const { height, followed, isBatch = false } of planned) {
    const index = transactions.length;
    const address = followed ?? active();
    const parties = random.chance(0.5) ? [address, other()] : [other(), address];
    const [from = address, to = address] = random.chance(0.03) ? [address, address] : parties;
    const nonce = nonces.get(from) ?? 0;
    nonces.set(from, nonce + 1);
    const hash = hexOf(64, seed, 'transaction', index);
    const state = random.chance(0.05) ? ('fail' as const) : ('success' as const);
    const amount = amountFrom(random);
    transactions.push({ height, index, hash, from, to, amount, nonce, state });
    addInternals(random, internals, { height, hash, address, other, isBatch });
    addTransfers(random, transfers, { height, hash, address, other, isBatch, seed });
  }
  const pending = addresses.slice(0, 3).map((from, i) => ({
    height: -1,
    index: transactions.length + i,
    hash: hexOf(64, seed, 'pending', i),
    from,
    to: stranger(),
    amount: '1',
    nonce: 100_000 + i,
    state: 'pending' as const,
  }));
  const { zoneTransactions, zoneBlocks, zoneHead } = zoneOf(seed, addresses);
  const { head } = size;
  const primary = { head, addresses, transactions, internals, transfers, pending };
  return { ...primary, zoneHead, zoneTransactions, zoneBlocks };
}

interface PlannedHeight {
  readonly height: number;
  /** The address that a burst is about. */
  readonly followed?: string;
  /** One transaction that makes more calls and transfers than a page holds. */
  readonly isBatch?: true;
}

/** Heights of all transactions, in order: some stretches hold nothing, some blocks hold many. */
function plannedHeights(
  random: Random,
  size: ChainSize,
  addresses: readonly string[],
): PlannedHeight[] {
  const { head } = size;
  const stretch = Math.floor(head / 12);
  const quiet = Array.from({ length: 3 }, () => random.between(0, head - stretch));
  const isQuiet = (height: number): boolean =>
    quiet.some((from) => height >= from && height < from + stretch);
  const heights: PlannedHeight[] = [];
  while (heights.length < size.transactions) {
    const height = random.between(1, head - 1);
    if (!isQuiet(height)) heights.push({ height });
  }
  for (let burst = 0; burst < size.bursts; burst += 1) {
    const height = random.between(2, head - 1);
    const count = random.between(Math.ceil(size.burstRecords / 2), size.burstRecords);
    // Every other burst is about one address, which so fills pages from one height alone.
    const followed = burst % 2 === 0 ? random.pick(addresses) : undefined;
    for (let i = 0; i < count; i += 1) {
      const at = random.chance(0.9) ? height : height - 1;
      heights.push({ height: at, ...(followed === undefined ? {} : { followed }) });
    }
    if (burst % 2 === 0) heights.push({ height, isBatch: true });
  }
  // The ends of windows, where one height more or less is asked for.
  for (let window = 10_000; window < head; window += 10_000) {
    for (let i = 0; i < 12; i += 1) heights.push({ height: window - 1 + (i % 3) });
  }
  return heights.sort((a, b) => a.height - b.height);
}

interface Context {
  readonly height: number;
  readonly hash: string;
  readonly address: string;
  readonly other: () => string;
  readonly isBatch: boolean;
}

function addInternals(random: Random, into: Internal[], context: Context) {
  const { height, hash, address, other, isBatch } = context;
  if (random.chance(0.6) && !isBatch) return;
  const calls = isBatch ? random.between(60, 110) : random.between(1, 3);
  for (let i = 0; i < calls; i += 1) {
    const operation = random.pick(['call', 'call', 'staticcall', 'create']);
    const amount = operation === 'staticcall' ? '0' : amountFrom(random);
    const parties = random.chance(0.5) ? [address, other()] : [other(), address];
    const [from = address, to = address] = parties;
    // A third of them come again, equal in every field.
    const copies = random.chance(0.3) ? random.between(2, 4) : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const index = into.length;
      into.push({ height, index, hash, from, to, amount, operation, state: 'success' });
    }
  }
}

function addTransfers(
  random: Random,
  into: Transfer[],
  { height, hash, address, other, isBatch, seed }: Context & { readonly seed: number },
) {
  if (random.chance(0.5) && !isBatch) return;
  const count = isBatch ? random.between(60, 130) : random.between(1, 3);
  for (let i = 0; i < count; i += 1) {
    const type = random.pick(['token_20', 'token_20', 'token_20', ...TOKEN_TYPES] as const);
    const token = hexOf(40, seed, type, random.between(0, 3));
    const tokenId = type === 'token_20' || type === 'token_10' ? '' : String(random.between(1, 99));
    const parties = random.chance(0.5) ? [address, other()] : [other(), address];
    const [from = address, to = address] = parties;
    const amount = type === 'token_721' ? '1' : amountFrom(random);
    const copies = random.chance(0.1) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const index = into.length;
      into.push({ height, index, hash, from, to, amount, token, type, tokenId });
    }
  }
}

function amountFrom(random: Random): string {
  const whole = random.between(0, 400);
  const part = random.between(1, 9);
  return random.chance(0.5) ? String(whole) : `${whole}.${part}`;
}

/** Zone blocks: every height has one, most are empty, some hold more than a page. */
function zoneOf(seed: number, addresses: readonly string[]) {
  const random = Random.keyed(seed, 'zone');
  const zoneHead = 2_999;
  const zoneTransactions: ZoneTransaction[] = [];
  const zoneBlocks: ZoneBlock[] = [];
  for (let height = 0; height <= zoneHead; height += 1) {
    const isFull = random.chance(0.002);
    const transactions = isFull
      ? random.between(40, 130)
      : random.chance(0.15)
        ? random.between(1, 4)
        : 0;
    for (let order = 0; order < transactions; order += 1) {
      const index = zoneTransactions.length;
      const hash = hexOf(64, seed, 'zone transaction', index);
      const stranger = hexOf(40, seed, 'zone stranger', random.between(0, 99));
      const from = random.chance(0.15) ? random.pick(addresses) : stranger;
      zoneTransactions.push({ height, index, hash, order, from });
    }
    zoneBlocks.push({ height, index: height, hash: zoneBlockHash(height), transactions });
  }
  return { zoneHead, zoneTransactions, zoneBlocks };
}
