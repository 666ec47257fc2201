import type { RandomWords, SeedWords } from '../primitives/random.ts';
import { randomAddress, randomAt, wordAt } from '../primitives/random.ts';

/**
 * The addresses of the chain: some tens of busy senders, thousands of sparse senders, and
 * contracts. The schedule gives the senders and nonces of any height without reading earlier
 * heights. Every sender has the nonces 0, 1, 2, ... without gaps.
 */

const BUSY_SENDERS = 40;
/** Number of sparse senders, and of heights in one of their rounds; a power of two. */
const SPARSE_SENDERS = 6144;
const SPARSE_ROUND_BLOCKS = 8192;
const PLAIN_CONTRACTS = 24;

/** Streams of random words for the population. */
const STREAM = {
  busy: 1,
  sparse: 2,
  contract: 3,
  token: 4,
  shuffle: 5,
  bridge: 6,
  firstTurn: 100,
} as const;

type TokenStandard = 'token_20' | 'token_721' | 'token_1155' | 'token_10';

export interface Token {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly standard: TokenStandard;
  /** Decimal places; undefined for tokens with raw integers of any length as amounts. */
  readonly decimals: number | undefined;
}

/** One turn of a sender at a height. */
export interface Turn {
  readonly sender: string;
  readonly nonce: number;
  /** A busy sender's turn, not a sparse one's. */
  readonly isBusy: boolean;
}

export interface Population {
  readonly busy: readonly string[];
  readonly sparse: readonly string[];
  readonly contracts: readonly string[];
  readonly tokens: readonly Token[];
  /** The contract that holds the deposits to the zone chain. */
  readonly bridge: string;
  /** The signer of the bridge's payments. */
  readonly operator: string;
  isContract(address: string): boolean;
  /** The senders of this height, in order; a sender may have two turns. */
  turnsAt(height: number): Turn[];
  /** A random recipient: often a busy address, sometimes a new one. */
  recipient(random: RandomWords): string;
}

/** Two symbols would be formulas in a spreadsheet, because anyone can choose a symbol. */
const TOKENS: readonly Omit<Token, 'address'>[] = [
  { symbol: 'HAY', name: 'Hay', standard: 'token_20', decimals: 18 },
  { symbol: 'USDR', name: 'Rake Dollar', standard: 'token_20', decimals: 6 },
  { symbol: 'RAKE', name: 'Rake', standard: 'token_20', decimals: 8 },
  { symbol: 'CHAFF', name: 'Chaff', standard: 'token_20', decimals: undefined },
  { symbol: 'MEADOW', name: 'Meadow', standard: 'token_20', decimals: 18 },
  { symbol: '=SUM("A1")', name: '=1+1', standard: 'token_20', decimals: 0 },
  { symbol: 'BALE', name: 'Bales', standard: 'token_721', decimals: 0 },
  { symbol: 'Wíesé', name: 'Wíesé 🌾', standard: 'token_721', decimals: 0 },
  { symbol: 'SEED', name: 'Seed Bank', standard: 'token_1155', decimals: 0 },
  { symbol: '@TOOLS', name: 'Tools', standard: 'token_1155', decimals: 0 },
  { symbol: 'STRAW', name: 'Straw', standard: 'token_10', decimals: 6 },
  { symbol: 'LOAM', name: 'Loam', standard: 'token_10', decimals: undefined },
];

/** The busiest sender has a turn about every sixth block, the last busy one every 123rd. */
function roundBlocks(busyIndex: number): number {
  return 6 + 3 * busyIndex;
}

/** Every fourth busy sender sends two transactions in each of its turns. */
function turnsPerRound(busyIndex: number): number {
  return busyIndex % 4 === 3 ? 2 : 1;
}

/**
 * A permutation of a sparse round, different for every round. Multiplication by an odd number,
 * addition, and XOR of the upper bits into the lower are each one-to-one on 13 bits.
 */
function shuffled(place: number, salt: number): number {
  const mask = SPARSE_ROUND_BLOCKS - 1;
  let x = (Math.imul(place, 0x2c1b) + salt) & mask;
  x ^= x >>> 7;
  x = (Math.imul(x, 0x1d4d) + (salt >>> 13)) & mask;
  return x ^ (x >>> 6);
}

/** The population of a seed. */
export function populationOf(seed: SeedWords): Population {
  const named = (stream: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => randomAddress(randomAt(seed, stream, index)));
  const busy = named(STREAM.busy, BUSY_SENDERS);
  const sparse = named(STREAM.sparse, SPARSE_SENDERS);
  const contracts = named(STREAM.contract, PLAIN_CONTRACTS);
  const tokens = TOKENS.map((token, index) => ({
    ...token,
    address: randomAddress(randomAt(seed, STREAM.token, index)),
  }));
  const [bridge = '', operator = ''] = named(STREAM.bridge, 2);
  const contractSet = new Set([bridge, ...contracts, ...tokens.map((token) => token.address)]);

  const pick = (list: readonly string[], index: number): string => list[index] ?? '';
  const sparseTurn = (height: number): Turn[] => {
    const round = Math.floor(height / SPARSE_ROUND_BLOCKS);
    const salt = wordAt(seed, STREAM.shuffle, round);
    const index = shuffled(height % SPARSE_ROUND_BLOCKS, salt);
    return index < SPARSE_SENDERS
      ? [{ sender: pick(sparse, index), nonce: round, isBusy: false }]
      : [];
  };
  const busyTurns = (height: number, index: number): Turn[] => {
    const length = roundBlocks(index);
    const round = Math.floor(height / length);
    const turn = wordAt(seed, STREAM.firstTurn + index, round) % length;
    if (turn !== height % length) return [];
    const turns = turnsPerRound(index);
    return Array.from({ length: turns }, (_, nth) => ({
      sender: pick(busy, index),
      nonce: round * turns + nth,
      isBusy: true,
    }));
  };

  return {
    busy,
    sparse,
    contracts,
    tokens,
    bridge,
    operator,
    isContract: (address) => contractSet.has(address),
    turnsAt: (height) => [
      ...busy.flatMap((_, index) => busyTurns(height, index)),
      ...sparseTurn(height),
    ],
    recipient: (random) => {
      const kind = random.below(100);
      if (kind < 45) return pick(busy, skewed(random, busy.length));
      if (kind < 92) return pick(sparse, random.below(sparse.length));
      return randomAddress(random);
    },
  };
}

/** An index below `bound`, small ones far more often than large ones. */
export function skewed(random: RandomWords, bound: number): number {
  return Math.min(random.below(bound), random.below(bound), random.below(bound));
}
