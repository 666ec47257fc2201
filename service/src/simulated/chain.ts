import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { blockRecord, type ExecutedBlock, executeBlock, wordsAt } from './blocks.ts';
import { type Bridge, bridgeOf } from './bridge/bridge.ts';
import { allocationOf, tokenAllocationsOf } from './holders.ts';
import { deployedCode } from './primary/contracts.ts';
import { branchesOf, type Fork, standingForks } from './primary/forks.ts';
import { type Population, populationOf, type Token } from './primary/population.ts';
import { randomAt, randomHash, type SeedWords, seedWords, wordAt } from './primitives/random.ts';
import { type SimulatedZone, zoneOf } from './zone.ts';

export type { Moved } from './balances.ts';
export { settle } from './balances.ts';
export type { ExecutedBlock } from './blocks.ts';
export { doubleText, MOST_HOLDERS, NATIVE_ALLOCATION_WEI } from './holders.ts';
export { NATIVE_TOKEN_ADDRESS } from './primary/assets.ts';
export type { Fork } from './primary/forks.ts';
export { firstDifference } from './primary/forks.ts';
export { TOKEN_PLACES } from './primary/movements.ts';
export type { Token } from './primary/population.ts';
export type { Executed } from './primary/transactions.ts';
export {
  BLOB_GAS,
  BLOB_GAS_PRICE_WEI,
  keccakHex,
  MAX_BLOB_FEE_WEI,
  SIMULATED_CHAIN_ID,
} from './primitives/raw-transactions.ts';
export type { SimulatedZone, ZoneBlockRecords, ZoneDataset } from './zone.ts';

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
 * A computed chain with its zone chain. The records of a height depend on the seed, the start of
 * the zone chain, the forks and the height, but not on the head or the clock, so a chain with a
 * higher head has the same blocks below.
 */
export interface SimulatedChain {
  readonly seed: string;
  /** The newest height; the first one is 0. */
  readonly head: number;
  readonly shortName: string;
  readonly fullName: string;
  /** The forks that no later fork replaces entirely, in order of height. */
  readonly forks: readonly Fork[];
  /**
   * The chain with this fork added. Blocks below the fork do not change, nor does the zone chain.
   * The primary leg of every crossing changes only in its block hash.
   */
  forked(fork: Fork): SimulatedChain;
  /** The records of any height from 0 up, including heights above the head. */
  recordsAt(height: number): BlockRecords;
  /**
   * The transactions of these records, in their order, with their raw bytes and exact movements,
   * which records do not have.
   */
  executedAt(height: number): ExecutedBlock;
  /** The tokens of the primary chain. */
  readonly tokens: readonly Token[];
  isContract(address: string): boolean;
  /**
   * The code at the address, hex with 0x; undefined if it is unknown. The first contracts in
   * `addresses` have the code of `SIMULATED_CONTRACTS`.
   */
  codeAt(address: string): string | undefined;
  /**
   * The `count` best known addresses of the seed: the busy senders from the busiest down, then the
   * contracts, then senders of a few transactions each. At most 6,000.
   */
  addresses(count: number): readonly string[];
  /** The zone chain, with cross-chain transfers. */
  readonly zone: SimulatedZone;
  /**
   * The native balance an address has before the first block, in wei: `NATIVE_ALLOCATION_WEI` for
   * senders, contracts, the bridge and its operator, and 0 for others.
   */
  allocationWei(address: string): bigint;
  /** These balances by address. */
  readonly allocations: ReadonlyMap<string, bigint>;
  /**
   * Units of 10^-18 of shown amounts that these addresses also have of each token, by the address
   * of the token; of each id, if the token has ids.
   */
  readonly tokenAllocations: ReadonlyMap<string, bigint>;
}

export interface SimulatedChainOptions {
  /** Any text. */
  readonly seed: string;
  /** The newest height, a whole number from 0 up. */
  readonly head: number;
  readonly shortName?: string;
  readonly fullName?: string;
  /** The height of the primary chain at which the zone chain begins; may be above the head. */
  readonly zoneStart?: number;
  readonly zoneShortName?: string;
  readonly zoneFullName?: string;
  /** A later fork replaces earlier ones at its height and above. Default: none. */
  readonly forks?: readonly Fork[];
}

export const DEFAULT_ZONE_START = 29_000;
const VALIDATORS = 12;
const MAX_ADDRESSES = 6000;
const STREAM = { validator: 14, root: 15 } as const;

/** The chain of a seed up to a head. Throws a RangeError if the head or a fork is not a height. */
export function simulatedChain(options: SimulatedChainOptions): SimulatedChain {
  const { seed, head, shortName = 'MAINCHAIN', fullName = 'Simulated chain' } = options;
  const { zoneStart = DEFAULT_ZONE_START, forks = [] } = options;
  assertHeight(head);
  assertHeight(zoneStart);
  for (const { from } of forks) assertHeight(from);
  const words = seedWords(seed);
  const people = populationOf(words);
  const bridge = bridgeOf(words, people, zoneStart);
  const zone = zoneOf(words, bridge, head, {
    shortName: options.zoneShortName ?? 'ZONECHAIN',
    fullName: options.zoneFullName ?? 'Simulated zone chain',
  });
  const validators = Array.from({ length: VALIDATORS }, (_, index) =>
    randomHash(randomAt(words, STREAM.validator, index)).slice(0, 42),
  );
  const contracts = [...people.contracts, ...people.tokens.map((token) => token.address)];
  const addresses = [...people.busy, ...contracts, ...people.sparse];
  const allocations = allocationOf([...addresses, people.bridge, people.operator]);
  const codes = deployedCode(people.contracts);
  const lasting = {
    seed,
    head,
    shortName,
    fullName,
    tokens: people.tokens,
    isContract: people.isContract,
    codeAt: (address: string) => codes.get(address),
    addresses: (count: number) => {
      const most = Math.min(addresses.length, MAX_ADDRESSES);
      if (count > most) throw new RangeError(`only ${most} addresses are known`);
      return addresses.slice(0, count);
    },
    zone,
    allocationWei: (address: string) => allocations.get(address) ?? 0n,
    allocations,
    tokenAllocations: tokenAllocationsOf(people.tokens),
  };
  return withForks({ lasting, words, people, bridge, validators }, forks);
}

type OfBlocks = 'forks' | 'forked' | 'recordsAt' | 'executedAt';

/** The parts of a chain that no fork changes. */
interface Foundation {
  readonly lasting: Omit<SimulatedChain, OfBlocks>;
  readonly words: SeedWords;
  readonly people: Population;
  readonly bridge: Bridge;
  readonly validators: readonly string[];
}

/** The chain with its forks. */
function withForks(foundation: Foundation, history: readonly Fork[]): SimulatedChain {
  const { lasting, words, people, bridge, validators } = foundation;
  const { seed, shortName, fullName } = lasting;
  const forks = standingForks(history);
  const ground = { words, people, bridge, branches: branchesOf(seed, forks) };
  const executedAt = (height: number): ExecutedBlock => executeBlock(ground, height);
  return {
    ...lasting,
    forks,
    forked: (fork) => {
      assertHeight(fork.from);
      return withForks(foundation, [...forks, fork]);
    },
    recordsAt: (height) => {
      const block = executedAt(height);
      const branchWords = wordsAt(ground, height);
      const miner = validators[wordAt(branchWords, STREAM.validator, height) % VALIDATORS] ?? '';
      const root = randomHash(randomAt(branchWords, STREAM.root, height));
      return {
        blocks: [blockRecord(block, { shortName, fullName, miner, root })],
        transactions: block.executed.map((execution) => execution.transaction),
        internal_transactions: block.executed.flatMap(({ internal }) =>
          internal.map((call) => call.record),
        ),
        token_transfers: block.executed.flatMap(({ transfers }) =>
          transfers.map((transfer) => transfer.record),
        ),
      };
    },
    executedAt,
  };
}

function assertHeight(height: number): number {
  if (!Number.isSafeInteger(height) || height < 0)
    throw new RangeError(`${height} is not a height`);
  return height;
}
