import type { CanonicalRecord } from '../catalogue/record.ts';
import type { Place } from './movements.ts';
import { nativeText } from './native.ts';
import type { Population } from './population.ts';
import { populationOf } from './population.ts';
import type { SeedWords } from './random.ts';
import { randomAt, randomHash, seedWords, wordAt } from './random.ts';
import type { Executed } from './transactions.ts';
import { execute } from './transactions.ts';

export type SimulatedDataset =
  | 'blocks'
  | 'transactions'
  | 'internal_transactions'
  | 'token_transfers';

/**
 * All records of one height, by the name of their dataset, in the order they happened. There is
 * exactly one block.
 */
export type BlockRecords = Readonly<Record<SimulatedDataset, readonly CanonicalRecord[]>>;

/**
 * A chain that exists by computation alone. What stands at a height depends on the seed and the
 * height, never on the head or the clock: a chain with a larger head is the same chain, grown.
 */
export interface SimulatedChain {
  readonly seed: string;
  /** The newest height; the first one is 0. */
  readonly head: number;
  readonly shortName: string;
  readonly fullName: string;
  /** The records of any height from 0 up; above the head, what it will hold once it is there. */
  recordsAt(height: number): BlockRecords;
  /**
   * The `count` best known addresses of the seed: the busy senders from the busiest down, then the
   * contracts, then senders of a few transactions each. At most 6,000.
   */
  addresses(count: number): readonly string[];
}

export interface SimulatedChainOptions {
  /** Any text. */
  readonly seed: string;
  /** The newest height, a whole number from 0 up. */
  readonly head: number;
  readonly shortName?: string;
  readonly fullName?: string;
}

const GENESIS_TIME_MS = Date.UTC(2024, 0, 1);
const BLOCK_TIME_MS = 12_000;
const BLOCK_GAS_LIMIT = 30_000_000;
/** The base fee stays for so many blocks. */
const FEE_STEP_BLOCKS = 16;
const VALIDATORS = 12;
const MAX_ADDRESSES = 6000;
const STREAM = { block: 11, time: 12, fee: 13, validator: 14, root: 15 } as const;

/** The chain of a seed up to a head. Throws a RangeError for a head that is no height. */
export function simulatedChain(options: SimulatedChainOptions): SimulatedChain {
  const { seed, head, shortName = 'MAINCHAIN', fullName = 'Simulated chain' } = options;
  if (!Number.isSafeInteger(head) || head < 0) throw new RangeError(`${head} is not a height`);
  const words = seedWords(seed);
  const people = populationOf(words);
  const validators = Array.from({ length: VALIDATORS }, (_, index) =>
    randomHash(randomAt(words, STREAM.validator, index)).slice(0, 42),
  );
  const known = [
    ...people.busy,
    ...people.contracts,
    ...people.tokens.map((token) => token.address),
    ...people.sparse,
  ].slice(0, MAX_ADDRESSES);

  return {
    seed,
    head,
    shortName,
    fullName,
    recordsAt: (height) => {
      const { place, executed, baseFeeWei } = heightOf(words, people, height);
      const miner = validators[wordAt(words, STREAM.validator, height) % VALIDATORS] ?? '';
      const root = randomHash(randomAt(words, STREAM.root, height));
      const names = { shortName, fullName, miner, root };
      return {
        blocks: [blockRecord(place, executed, baseFeeWei, names)],
        transactions: executed.map((each) => each.transaction),
        internal_transactions: executed.flatMap((each) => each.internal),
        token_transfers: executed.flatMap((each) => each.transfers),
      };
    },
    addresses: (count) => {
      if (count > known.length) throw new RangeError(`only ${known.length} addresses are known`);
      return known.slice(0, count);
    },
  };
}

interface Height {
  readonly place: Place;
  readonly executed: readonly Executed[];
  readonly baseFeeWei: bigint;
}

function heightOf(words: SeedWords, people: Population, height: number): Height {
  const random = randomAt(words, STREAM.block, height);
  const place = {
    height,
    hash: randomHash(random),
    time: String(blockTimeMs(words, height)),
  };
  const step = wordAt(words, STREAM.fee, Math.floor(height / FEE_STEP_BLOCKS));
  const baseFeeWei = BigInt(2_000_000_000 + step * 5);
  const executed = people
    .turnsAt(height)
    .map((turn) => execute(people, random, place, turn, baseFeeWei));
  return { place, executed, baseFeeWei };
}

/** Twelve seconds a block, up to two early or late, in whole seconds: always later than before. */
function blockTimeMs(words: SeedWords, height: number): number {
  const lateSeconds = (wordAt(words, STREAM.time, height) % 5) - 2;
  return GENESIS_TIME_MS + (height + 1) * BLOCK_TIME_MS + lateSeconds * 1000;
}

interface BlockNames {
  readonly fullName: string;
  readonly shortName: string;
  readonly miner: string;
  readonly root: string;
}

/** The block's own record, added up from what was executed in it. Averages are cut, not rounded. */
function blockRecord(
  place: Place,
  executed: readonly Executed[],
  baseFeeWei: bigint,
  names: BlockNames,
): CanonicalRecord {
  let amountWei = 0n;
  let feeWei = 0n;
  let tipWei = 0n;
  let gasUsed = 0;
  let internal = 0;
  for (const each of executed) {
    amountWei += each.amountWei;
    feeWei += each.feeWei;
    if (each.tipWei > tipWei) tipWei = each.tipWei;
    gasUsed += each.gasUsed;
    internal += each.internal.length;
  }
  const count = executed.length;
  return {
    chain_full_name: names.fullName,
    chain_short_name: names.shortName,
    block_hash: place.hash,
    block_number: String(place.height),
    validator: names.miner,
    block_time: place.time,
    amount: nativeText(amountWei),
    txn_count: String(count),
    txn_internal: String(internal),
    block_size: String(600 + 190 * count + 40 * internal),
    mine_reward: '2',
    total_fee: nativeText(feeWei),
    fee_symbol: 'NATIVE',
    avg_fee: count === 0 ? '0' : nativeText(feeWei / BigInt(count)),
    ommer_blocks: '0',
    merkle_root: names.root,
    gas_used: String(gasUsed),
    gas_limit: String(BLOCK_GAS_LIMIT),
    gas_avg_price: gasUsed === 0 ? '0' : nativeText(feeWei / BigInt(gasUsed)),
    block_state: 'done',
    burnt: nativeText(baseFeeWei * BigInt(gasUsed)),
    miner: names.miner,
    difficulty: '0',
    block_nonce: '0x0000000000000000',
    // Would depend on the head, and so is not told.
    confirmations: null,
    tips: nativeText(tipWei),
    base_fee_per_gas: nativeText(baseFeeWei),
  };
}
