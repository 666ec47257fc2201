import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Crossing } from './bridge/crossing.ts';
import { totalRaw } from './bridge/crossing.ts';
import type { Place } from './primary/movements.ts';
import { decimalOfUnits } from './primitives/native.ts';
import type { RandomWords } from './primitives/random.ts';
import { randomHash } from './primitives/random.ts';

/** The zone leg of a crossing, with the hash of the primary leg. */
export interface ZoneLeg {
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
export function crossRecord(
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
  const own = randomHash(random);
  const kind = random.below(10);
  if (kind < 2) return null;
  return kind < 5 ? zoneTxHash : own;
}
