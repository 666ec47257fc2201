import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Bridge } from './bridge/bridge.ts';
import type { PlannedTurn } from './bridge/bridge-schedule.ts';
import { executeBridgeTransaction } from './bridge/bridge-transactions.ts';
import type { Crossing } from './bridge/crossing.ts';
import { type Branch, branchAt, minedFrom } from './primary/forks.ts';
import type { Place } from './primary/movements.ts';
import type { Population } from './primary/population.ts';
import { type Executed, execute, type Setting } from './primary/transactions.ts';
import { blockTimeMs } from './primitives/block-time.ts';
import { nativeText } from './primitives/native.ts';
import type { RandomWords, SeedWords } from './primitives/random.ts';
import { randomAt, randomHash, wordAt } from './primitives/random.ts';

/** A block of the primary chain with its executed transactions. */
export interface ExecutedBlock {
  readonly place: Place;
  readonly executed: readonly Executed[];
  readonly baseFeeWei: bigint;
}

export interface BlockNames {
  readonly fullName: string;
  readonly shortName: string;
  readonly miner: string;
  readonly root: string;
}

const BLOCK_GAS_LIMIT = 30_000_000;
/** Blocks with the same base fee. */
const FEE_STEP_BLOCKS = 16;
const STREAM = { block: 11, fee: 13, bridge: 25 } as const;

/** The inputs of the computation of blocks. */
export interface Ground {
  readonly words: SeedWords;
  readonly people: Population;
  readonly bridge: Bridge;
  /** Branches of the standing forks. */
  readonly branches: readonly Branch[];
}

/** The random words for the transactions of a block. */
export function wordsAt({ words, branches }: Ground, height: number): SeedWords {
  return branchAt(branches, height)?.words ?? words;
}

/** Executes the block of a height: a function of the ground and the height alone. */
export function executeBlock(ground: Ground, height: number): ExecutedBlock {
  const { words, people, bridge, branches } = ground;
  const random = randomAt(wordsAt(ground, height), STREAM.block, height);
  const setting = settingAt(words, people, height, randomHash(random));
  const planned = bridge.turnsAt(height);
  const transactions = executeTurns(words, setting, random, planned);
  const elsewhere = minedFrom(branches, height);
  const executed =
    elsewhere === undefined
      ? transactions
      : exchanged(transactions, planned, reminedFrom(ground, setting, elsewhere));
  return { place: setting.place, executed, baseFeeWei: setting.baseFeeWei };
}

/** Executes the turns of a block. Bridge transactions are the same on all branches. */
function executeTurns(
  words: SeedWords,
  setting: Setting,
  random: RandomWords,
  planned: readonly PlannedTurn[],
): Executed[] {
  return planned.map(({ turn, bridgeTransaction }) => {
    if (bridgeTransaction === undefined) return execute(setting, random, turn);
    return executeBridgeTransaction(
      setting,
      randomAt(words, STREAM.bridge, bridgeTransaction.id),
      turn,
      bridgeTransaction,
    );
  });
}

function isSparse({ turn, bridgeTransaction }: PlannedTurn): boolean {
  return !turn.isBusy && bridgeTransaction === undefined;
}

/**
 * The transaction, if any, of the sparse sender of a height on the chain without branches, executed
 * in a block of this setting.
 */
function reminedFrom({ words, bridge }: Ground, setting: Setting, height: number): Executed[] {
  const planned = bridge.turnsAt(height);
  const nth = planned.findIndex(isSparse);
  if (nth < 0) return [];
  const random = randomAt(words, STREAM.block, height);
  // The first words are those of the block's hash.
  randomHash(random);
  return executeTurns(words, setting, random, planned).slice(nth, nth + 1);
}

/** The transactions of a block, with these in place of the one of its own sparse sender. */
function exchanged(
  transactions: readonly Executed[],
  planned: readonly PlannedTurn[],
  remined: readonly Executed[],
): Executed[] {
  const busy = planned.filter(({ turn }) => turn.isBusy).length;
  const sparse = planned.filter(isSparse).length;
  return [...transactions.slice(0, busy), ...remined, ...transactions.slice(busy + sparse)];
}

function settingAt(words: SeedWords, people: Population, height: number, hash: string): Setting {
  const step = wordAt(words, STREAM.fee, Math.floor(height / FEE_STEP_BLOCKS));
  return {
    people,
    place: { height, hash, time: String(blockTimeMs(words, height)) },
    baseFeeWei: BigInt(2_000_000_000 + step * 5),
  };
}

/** The hash of a crossing's transaction on the primary chain. */
export function mainTxHashOf(words: SeedWords, bridge: Bridge, crossing: Crossing): string {
  const { id, mainHeight } = crossing;
  const planned = bridge
    .turnsAt(mainHeight)
    .find(({ bridgeTransaction }) => bridgeTransaction?.id === id);
  if (planned?.bridgeTransaction === undefined) throw new RangeError(`no turn has crossing ${id}`);
  // The hash of a transaction does not depend on the hash of its block.
  const setting = settingAt(words, bridge.travellers.people, mainHeight, '');
  const random = randomAt(words, STREAM.bridge, id);
  return executeBridgeTransaction(setting, random, planned.turn, planned.bridgeTransaction).raw
    .hash;
}

/** The record of the block, with sums over its transactions. Averages are truncated. */
export function blockRecord(
  { place, executed, baseFeeWei }: ExecutedBlock,
  names: BlockNames,
): CanonicalRecord {
  let amountWei = 0n;
  let feeWei = 0n;
  let tipWei = 0n;
  let gasUsed = 0;
  let internal = 0;
  for (const execution of executed) {
    amountWei += execution.amountWei;
    feeWei += execution.feeWei;
    if (execution.tipWei > tipWei) tipWei = execution.tipWei;
    gasUsed += execution.gasUsed;
    internal += execution.internal.length;
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
    // The service computes this and the state of the newest block, which depend on the head.
    confirmations: null,
    tips: nativeText(tipWei),
    base_fee_per_gas: nativeText(baseFeeWei),
  };
}
