import type { Turn } from '../primary/population.ts';
import { blockTimeMs } from '../primitives/block-time.ts';
import { randomAt, randomBytes, type SeedWords, wordAt } from '../primitives/random.ts';
import { SALT_WORDS } from '../primitives/raw-transactions.ts';
import { type Crossing, depositOf, type Travellers, withdrawalOf } from './crossing.ts';

/**
 * The bridge schedule: the turns of the primary chain with bridge transactions. Every crossing
 * belongs to one turn: a deposit to a turn of a busy sender, a withdrawal to a turn of the bridge's
 * operator.
 */

/** A turn with its bridge transaction, if it has one. */
export interface PlannedTurn {
  readonly turn: Turn;
  readonly bridgeTransaction: BridgeTransaction | undefined;
}

/** A transaction to the bridge. */
export interface BridgeTransaction {
  readonly id: number;
  /** Random bytes for the signature of its raw transaction. */
  readonly salt: Buffer;
  /** The transaction fails on the primary chain, and nothing crosses. */
  readonly failed: boolean;
  /** undefined for the operator's heartbeat. */
  readonly crossing: Crossing | undefined;
}

/** A deposit reaches the zone after 1 to 30 seconds. */
export const DEPOSIT_DELAY_MS = { least: 1000, most: 30_000 };
/** A withdrawal is paid 2 to 40 seconds after it was requested. */
export const PAYMENT_DELAY_MS = { least: 2000, most: 40_000 };

/** Ids of bridge transactions per height, more than any height has turns. */
const TURNS_PER_HEIGHT = 64;
/** The operator has three turns in every four blocks, all in the same block. */
const OPERATOR_ROUND_BLOCKS = 4;
const OPERATOR_TURNS = 3;
const DEPOSIT_SHARE = 0.4;
const FAILED_DEPOSIT_SHARE = 0.04;
const HEARTBEAT_SHARE = 0.1;
const REFUSED_SHARE = 0.035;
const TWO_TO_32 = 4_294_967_296;
const STREAM = { wants: 22, bridge: 23, operator: 24 } as const;

/** The inputs of the bridge schedule. */
export interface PlanInputs {
  readonly words: SeedWords;
  readonly travellers: Travellers;
  readonly clock: ZoneClock;
  /** The height of the primary chain at which the zone chain begins. */
  readonly zoneStart: number;
}

/** All turns of a height, in order: those of the senders, then those of the operator. */
export function plannedTurns(inputs: PlanInputs, height: number): PlannedTurn[] {
  const turns = inputs.travellers.people.turnsAt(height);
  if (height < inputs.zoneStart)
    return turns.map((turn) => ({ turn, bridgeTransaction: undefined }));
  const firstId = height * TURNS_PER_HEIGHT;
  const planned = turns.map((turn, nth): PlannedTurn => {
    const id = firstId + nth;
    const crosses = turn.isBusy && wants(inputs, id) < DEPOSIT_SHARE;
    return {
      turn,
      bridgeTransaction: crosses ? bridgeDeposit(inputs, height, id, turn.sender) : undefined,
    };
  });
  const paid = operatorTurns(inputs, height).map((turn, nth) => ({
    turn,
    bridgeTransaction: bridgePayment(inputs, height, firstId + turns.length + nth),
  }));
  return [...planned, ...paid];
}

function operatorTurns({ words, travellers, zoneStart }: PlanInputs, height: number): Turn[] {
  const age = height - zoneStart;
  const round = Math.floor(age / OPERATOR_ROUND_BLOCKS);
  const turn = wordAt(words, STREAM.operator, round) % OPERATOR_ROUND_BLOCKS;
  if (turn !== age % OPERATOR_ROUND_BLOCKS) return [];
  return Array.from({ length: OPERATOR_TURNS }, (_, nth) => ({
    sender: travellers.people.operator,
    nonce: round * OPERATOR_TURNS + nth,
    isBusy: false,
  }));
}

function bridgeDeposit(
  inputs: PlanInputs,
  height: number,
  id: number,
  source: string,
): BridgeTransaction {
  const { words, travellers, clock } = inputs;
  const random = randomAt(words, STREAM.bridge, id);
  const salt = randomBytes(random, SALT_WORDS);
  const failed = random.chance(FAILED_DEPOSIT_SHARE);
  const mainTimeMs = blockTimeMs(words, height);
  const zoneHeight = clock.heightAt(mainTimeMs + delayMs(random.word(), DEPOSIT_DELAY_MS));
  const leg = { id, mainHeight: height, mainTimeMs };
  return { id, salt, failed, crossing: depositOf(travellers, random, leg, source, zoneHeight) };
}

function bridgePayment(inputs: PlanInputs, height: number, id: number): BridgeTransaction {
  const { words, travellers, clock } = inputs;
  const random = randomAt(words, STREAM.bridge, id);
  const salt = randomBytes(random, SALT_WORDS);
  const mainTimeMs = blockTimeMs(words, height);
  const zoneHeight = clock.heightAt(mainTimeMs - delayMs(random.word(), PAYMENT_DELAY_MS));
  const kind = wants(inputs, id);
  const idle = { id, salt, failed: false, crossing: undefined };
  // No withdrawal can be requested before the zone chain begins.
  if (kind < HEARTBEAT_SHARE || zoneHeight < 0) return idle;
  const refused = kind < HEARTBEAT_SHARE + REFUSED_SHARE;
  const leg = { id, mainHeight: height, mainTimeMs };
  return { ...idle, crossing: withdrawalOf(travellers, random, leg, refused, zoneHeight) };
}

/** A random number in [0, 1) that decides the kind of a turn's bridge transaction, if any. */
function wants({ words }: PlanInputs, id: number): number {
  return wordAt(words, STREAM.wants, id) / TWO_TO_32;
}

function delayMs(word: number, range: { readonly least: number; readonly most: number }): number {
  return range.least + Math.floor((word / TWO_TO_32) * (range.most - range.least));
}

/** The times of the zone chain's blocks, in milliseconds since the Unix epoch. */
export interface ZoneClock {
  timeMs(zoneHeight: number): number;
  /** The newest zone height at `timeMs` or earlier; negative before the zone chain begins. */
  heightAt(timeMs: number): number;
  /**
   * The newest zone height that is visible at this height of the primary chain; -1 if there is
   * none. It is one minute back, so that both legs of every visible crossing exist.
   */
  headAt(primaryHeight: number): number;
}

export const ZONE_BLOCK_TIME_MS = 100;
/**
 * A withdrawal is paid at most 41 seconds after its zone leg, and primary blocks are at most 16
 * seconds apart. The delay is longer than both, so no record refers to a later block.
 */
const SETTLING_MS = 60_000;

/** The clock of a zone chain whose first block is visible at the primary block `zoneStart`. */
export function zoneClock(words: SeedWords, zoneStart: number): ZoneClock {
  const birthMs = blockTimeMs(words, zoneStart) - SETTLING_MS;
  const heightAt = (timeMs: number): number => Math.floor((timeMs - birthMs) / ZONE_BLOCK_TIME_MS);
  return {
    timeMs: (zoneHeight) => birthMs + zoneHeight * ZONE_BLOCK_TIME_MS,
    heightAt,
    headAt: (primaryHeight) => {
      return Math.max(-1, heightAt(blockTimeMs(words, primaryHeight) - SETTLING_MS));
    },
  };
}
