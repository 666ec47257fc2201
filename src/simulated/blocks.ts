import type { CanonicalRecord } from '../catalogue/record.ts';
import type { Bridge } from './bridge/bridge.ts';
import type { ScheduledTurn } from './bridge/bridge-schedule.ts';
import { executeBridgeTransaction } from './bridge/bridge-transactions.ts';
import type { Crossing } from './bridge/crossing.ts';
import type { Branch } from './primary/forks.ts';
import { branchAt, minedFrom } from './primary/forks.ts';
import type { Place } from './primary/movements.ts';
import type { Population } from './primary/population.ts';
import type { Executed, Setting } from './primary/transactions.ts';
import { execute } from './primary/transactions.ts';
import { blockTimeMs } from './primitives/block-time.ts';
import { nativeText } from './primitives/native.ts';
import type { RandomWords, SeedWords } from './primitives/random.ts';
import { randomAt, randomHash, wordAt } from './primitives/random.ts';

/** A block of the primary chain with all its executed transactions. */
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
/** Number of blocks with the same base fee. */
const FEE_STEP_BLOCKS = 16;
const STREAM = { block: 11, fee: 13, transaction: 25 } as const;

/** The inputs from which blocks are computed. */
export interface Ground {
  readonly words: SeedWords;
  readonly people: Population;
  readonly bridge: Bridge;
  /** One for each standing fork. */
  readonly branches: readonly Branch[];
}

/** The random words of a block on its branch. */
export function wordsAt({ words, branches }: Ground, height: number): SeedWords {
  return branchAt(branches, height)?.words ?? words;
}

/** Executes the block of a height. The result depends on the inputs and the height alone. */
export function executeBlock(ground: Ground, height: number): ExecutedBlock {
  const { words, people, bridge, branches } = ground;
  const random = randomAt(wordsAt(ground, height), STREAM.block, height);
  const setting = settingAt(words, people, height, randomHash(random));
  const planned = bridge.turnsAt(height);
  const own = executeTurns(words, setting, random, planned);
  const elsewhere = minedFrom(branches, height);
  const executed =
    elsewhere === undefined
      ? own
      : exchanged(own, planned, reminedFrom(ground, setting, elsewhere));
  return { place: setting.place, executed, baseFeeWei: setting.baseFeeWei };
}

/** Bridge transactions are the same on all branches. */
function executeTurns(
  words: SeedWords,
  setting: Setting,
  random: RandomWords,
  planned: readonly ScheduledTurn[],
): Executed[] {
  return planned.map(({ turn, transaction }) => {
    if (transaction === undefined) return execute(setting, random, turn);
    return executeBridgeTransaction(
      setting,
      randomAt(words, STREAM.transaction, transaction.id),
      turn,
      transaction,
    );
  });
}

function isSparse({ turn, transaction }: ScheduledTurn): boolean {
  return !turn.isBusy && transaction === undefined;
}

/**
 * The transaction of a height's sparse sender on the chain without branches, executed in a block of
 * this setting: one transaction or none.
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

/**
 * The executed transactions of a block with `remined` in place of its own sparse sender's
 * transaction.
 */
function exchanged(
  own: readonly Executed[],
  planned: readonly ScheduledTurn[],
  remined: readonly Executed[],
): Executed[] {
  const busy = planned.filter(({ turn }) => turn.isBusy).length;
  const sparse = planned.filter(isSparse).length;
  return [...own.slice(0, busy), ...remined, ...own.slice(busy + sparse)];
}

function settingAt(
  words: SeedWords,
  people: Population,
  height: number,
  blockHash: string,
): Setting {
  const step = wordAt(words, STREAM.fee, Math.floor(height / FEE_STEP_BLOCKS));
  return {
    people,
    place: { height, hash: blockHash, time: String(blockTimeMs(words, height)) },
    baseFeeWei: BigInt(2_000_000_000 + step * 5),
  };
}

/** The hash of a crossing's transaction on the primary chain. */
export function mainTxHashOf(words: SeedWords, bridge: Bridge, crossing: Crossing): string {
  const { id, mainHeight } = crossing;
  const planned = bridge.turnsAt(mainHeight).find(({ transaction }) => transaction?.id === id);
  if (planned?.transaction === undefined)
    throw new RangeError(`no bridge transaction belongs to crossing ${id}`);
  // A transaction does not contain the hash of its block.
  const setting = settingAt(words, bridge.parties.people, mainHeight, '');
  const random = randomAt(words, STREAM.transaction, id);
  return executeBridgeTransaction(setting, random, planned.turn, planned.transaction).raw.hash;
}

/** The block's own record, summed over its transactions. Averages are truncated, not rounded. */
export function blockRecord(
  { place, executed, baseFeeWei }: ExecutedBlock,
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
    // Depends on the head, like the state of the newest block: the service fills in both.
    confirmations: null,
    tips: nativeText(tipWei),
    base_fee_per_gas: nativeText(baseFeeWei),
  };
}
