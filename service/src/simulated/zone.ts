import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { mainTxHashOf } from './blocks.ts';
import type { Bridge } from './bridge/bridge.ts';
import { type Crossing, totalRaw } from './bridge/crossing.ts';
import type { Place } from './primary/movements.ts';
import { decimalOfUnits } from './primitives/native.ts';
import {
  type RandomWords,
  randomAddress,
  randomAt,
  randomHash,
  type SeedWords,
  wordAt,
} from './primitives/random.ts';
import { crossingAction, ordinaryAction, payoutsOf, type ZoneAction } from './zone-actions.ts';

export type ZoneDataset = 'zone_blocks' | 'zone_transactions' | 'cross_chain_transfers';

/**
 * All records of one height of the zone chain, by dataset, in the order of execution, with exactly
 * one block. A cross-chain record has the height of its zone leg.
 */
export type ZoneBlockRecords = Readonly<Record<ZoneDataset, readonly CanonicalRecord[]>>;

/**
 * The zone chain: a block every 100 ms from its first primary block on, most of them empty. The
 * records of a height depend only on the seed, the start and the height.
 */
export interface SimulatedZone {
  readonly shortName: string;
  readonly fullName: string;
  /** The zone's height at the head of the primary chain; -1 before the zone chain begins. */
  readonly head: number;
  /** The contract on the primary chain that takes deposits and pays withdrawals. */
  readonly bridgeAddress: string;
  /** The signer of the payments; its nonces are 0, 1, 2, ... from the start of the zone chain. */
  readonly operatorAddress: string;
  /**
   * The newest zone height that is visible at this height of the primary chain; -1 before the zone
   * chain begins. It increases with the height. No record up to it refers to a later primary block.
   */
  headAt(primaryHeight: number): number;
  /**
   * The records of any height from 0 up. The primary leg of a withdrawal comes up to 41 seconds,
   * fewer than six primary blocks, after its zone leg; a deposit's zone leg comes up to 30 seconds
   * after its primary leg.
   */
  recordsAt(zoneHeight: number): ZoneBlockRecords;
}

const MINERS = 4;
const BUSY_SHARE = 0.15;
/** Numbers of transactions in a busy block; repeated numbers are more frequent. */
const BUSY_COUNTS = [1, 1, 1, 1, 1, 1, 1, 2, 2, 3] as const;
const STREAM = { block: 31, miner: 32, leg: 33 } as const;

/** The zone chain of a bridge. */
export function zoneOf(
  words: SeedWords,
  bridge: Bridge,
  primaryHead: number,
  names: Pick<SimulatedZone, 'shortName' | 'fullName'>,
): SimulatedZone {
  const { travellers } = bridge;
  const miners = Array.from({ length: MINERS }, (_, index) =>
    randomAddress(randomAt(words, STREAM.miner, index)),
  );
  return {
    ...names,
    head: bridge.clock.headAt(primaryHead),
    bridgeAddress: travellers.people.bridge,
    operatorAddress: travellers.people.operator,
    headAt: (primaryHeight) => bridge.clock.headAt(primaryHeight),
    recordsAt: (zoneHeight) => {
      if (!Number.isSafeInteger(zoneHeight) || zoneHeight < 0) {
        throw new RangeError(`${zoneHeight} is not a height`);
      }
      const random = randomAt(words, STREAM.block, zoneHeight);
      const place = {
        height: zoneHeight,
        hash: randomHash(random),
        time: String(bridge.clock.timeMs(zoneHeight)),
      };
      const busy = random.chance(BUSY_SHARE);
      const count = busy ? (BUSY_COUNTS[random.below(BUSY_COUNTS.length)] ?? 1) : 0;
      const ordinary = Array.from({ length: count }, () => ordinaryAction(travellers, random));
      const legs = bridge
        .crossingsIn(zoneHeight)
        .map((crossing) => crossingAction(randomAt(words, STREAM.leg, crossing.id), crossing));
      const miner = miners[wordAt(words, STREAM.miner, zoneHeight) % MINERS] ?? '';
      const ties = {
        contract: travellers.people.bridge,
        mainTxHash: (crossing: Crossing) => mainTxHashOf(words, bridge, crossing),
      };
      return blockOf(place, miner, [...ordinary, ...legs], ties, random);
    },
  };
}

/** The relation of a block to the primary chain. */
interface Ties {
  /** The bridge's contract. */
  readonly contract: string;
  mainTxHash(crossing: Crossing): string;
}

/** The records of a block with these actions, in this order. */
function blockOf(
  place: Place,
  miner: string,
  actions: readonly ZoneAction[],
  ties: Ties,
  random: RandomWords,
): ZoneBlockRecords {
  const crossings: CanonicalRecord[] = [];
  let events = 0;
  const transactions = actions.map((action, index) => {
    const { crossing } = action;
    if (crossing !== undefined) {
      const eventIndex = action.error === null ? events : null;
      const mainTxHash = crossing.refused ? null : ties.mainTxHash(crossing);
      const leg = { hash: action.hash, place, eventIndex, mainTxHash };
      const detail = crossing.type === 'BatchWithdraw' ? JSON.stringify(payoutsOf(crossing)) : null;
      crossings.push(crossRecord(random, crossing, ties.contract, leg, detail));
    }
    events += action.events;
    return transactionRecord(place, action, index, random);
  });
  const block = {
    block_hash: place.hash,
    block_number: String(place.height),
    miner,
    block_time: place.time,
    txn_count: String(transactions.length),
  };
  return {
    zone_blocks: [block],
    zone_transactions: transactions,
    cross_chain_transfers: crossings,
  };
}

function transactionRecord(
  place: Place,
  action: ZoneAction,
  index: number,
  random: RandomWords,
): CanonicalRecord {
  return {
    tx_hash: action.hash,
    block_number: String(place.height),
    block_hash: place.hash,
    block_time: place.time,
    tx_status: action.error === null ? '0x1' : '0x0',
    from_address: action.user,
    action_type: action.type,
    tx_index: String(index),
    amount: action.amount,
    amount_raw: action.amountRaw,
    // The time of signing, shortly before the block.
    action_nonce: String(Number(place.time) - 20 - random.below(400)),
    action_data: JSON.stringify(action.data),
    error_message: action.error,
    token_transfer_count: String(action.tokenTransfers),
    event_count: String(action.events),
  };
}

/** The zone leg of a crossing, with the hash of the primary leg. */
interface ZoneLeg {
  readonly hash: string;
  readonly place: Place;
  /** null for a refused withdrawal. */
  readonly mainTxHash: string | null;
  /** Index of its event in the block; null for a failed transaction, which has no event. */
  readonly eventIndex: number | null;
}

/**
 * The record of a crossing, in the detail form:
 * - `from_address` is the signer on the originating chain; `source_address` owns the amount;
 * - `to_address` is the bridge's contract; for a single withdrawal, the recipient;
 * - `target_address` lists the recipients of a batch, each once; `batch_detail` has their amounts;
 * - `published_block_number` is the height on the originating chain;
 * - a refused withdrawal has no leg on the primary chain.
 */
function crossRecord(
  random: RandomWords,
  crossing: Crossing,
  bridge: string,
  leg: ZoneLeg,
  batchDetail: string | null,
): CanonicalRecord {
  const { type, refused, asset, payouts, mainTimeMs } = crossing;
  const { place } = leg;
  const isDeposit = type === 'Deposit';
  const mainHeight = String(crossing.mainHeight);
  const targets = [...new Set(payouts.map(({ target }) => target))].join(',');
  const raw = totalRaw(crossing);
  const lastMs = refused ? Number(place.time) : Math.max(mainTimeMs, Number(place.time));
  return {
    cross_id: crossId(random, leg.hash),
    direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
    cross_type: type,
    cross_status: refused ? '0x0' : '0x1',
    main_tx_hash: leg.mainTxHash,
    main_block_number: refused ? null : mainHeight,
    main_block_time: refused ? null : String(mainTimeMs),
    zone_tx_hash: leg.hash,
    zone_block_number: String(place.height),
    zone_block_time: place.time,
    from_address: crossing.signer,
    to_address: type === 'Withdraw' ? targets : bridge,
    source_address: crossing.source,
    target_address: targets,
    amount: decimalOfUnits(raw, asset.places),
    amount_raw: String(raw),
    token_address: asset.tokenAddress,
    token_standard: asset.standard,
    token_id: crossing.tokenId,
    token_name: asset.name,
    zone_event_index: leg.eventIndex === null ? null : String(leg.eventIndex),
    zone_block_hash: place.hash,
    batch_detail: batchDetail,
    update_time: String(lastMs + 200 + random.below(2000)),
    published_block_number: isDeposit ? mainHeight : String(place.height),
  };
}

/** Empty, the hash of the zone leg, or another hash, at random. */
function crossId(random: RandomWords, zoneTxHash: string): string | null {
  const otherHash = randomHash(random);
  const kind = random.below(10);
  if (kind < 2) return null;
  return kind < 5 ? zoneTxHash : otherHash;
}
