import type { Asset } from '../primary/assets.ts';
import { crossingTokenId, rawAmount } from '../primary/assets.ts';
import type { Population } from '../primary/population.ts';
import { skewed } from '../primary/population.ts';
import type { RandomWords } from '../primitives/random.ts';

/** Something that crosses between the chains: what, from whom, to whom, and where its legs are. */
export interface Crossing {
  /** Another one for every crossing of a seed; later legs on the primary chain have larger ones. */
  readonly id: number;
  readonly type: 'Deposit' | 'Withdraw' | 'BatchWithdraw';
  /**
   * The zone refused the withdrawal: its zone leg failed, nothing moved there, and so nothing is
   * paid on the primary chain.
   */
  readonly refused: boolean;
  readonly mainHeight: number;
  readonly mainTimeMs: number;
  readonly zoneHeight: number;
  readonly asset: Asset;
  /** null for tokens without ids. */
  readonly tokenId: string | null;
  /** Whose money it is. */
  readonly source: string;
  /** Who signed: the source, or for some withdrawals an agent who acts for it. */
  readonly signer: string;
  /** Who receives how much: exactly one but for a batch. */
  readonly payouts: readonly Payout[];
}

export interface Payout {
  readonly target: string;
  /** In the asset's smallest unit. */
  readonly raw: bigint;
}

/** The leg on the primary chain, as the turn it is made in knows it. */
export type MainLeg = Pick<Crossing, 'id' | 'mainHeight' | 'mainTimeMs'>;

/** Who takes part in crossings, and what can cross. */
export interface Travellers {
  readonly people: Population;
  readonly assets: readonly Asset[];
  /** Addresses that live on the zone chain only. */
  readonly zoneOnly: readonly string[];
}

/** The busiest senders are the ones with business on the zone chain. */
const ZONE_USERS = 30;
const BATCH_SHARE = 0.12;

/** A deposit that `source` makes; the zone leg lies at `zoneHeight`. */
export function depositOf(
  travellers: Travellers,
  random: RandomWords,
  leg: MainLeg,
  source: string,
  zoneHeight: number,
): Crossing {
  const asset = assetFor(travellers, random);
  const forOther = random.chance(0.1);
  const target = forOther ? zoneUser(travellers, random) : source;
  return {
    ...leg,
    type: 'Deposit',
    refused: false,
    zoneHeight,
    asset,
    tokenId: crossingTokenId(random, asset),
    source,
    signer: source,
    payouts: [{ target, raw: rawAmount(random, asset) }],
  };
}

/** A withdrawal that was requested at `zoneHeight`, and is paid in `leg` unless refused. */
export function withdrawalOf(
  travellers: Travellers,
  random: RandomWords,
  leg: MainLeg,
  refused: boolean,
  zoneHeight: number,
): Crossing {
  const { people, zoneOnly } = travellers;
  const asset = assetFor(travellers, random);
  const isBatch = random.chance(BATCH_SHARE);
  const source = people.busy[skewed(random, ZONE_USERS)] ?? '';
  const agent = zoneOnly[random.below(zoneOnly.length)] ?? source;
  const own = isBatch ? 0 : 1;
  const payouts = Array.from({ length: isBatch ? 2 + random.below(5) : 1 }, (_, nth) => ({
    target: nth < own && random.chance(0.8) ? source : people.recipient(random),
    raw: rawAmount(random, asset),
  }));
  return {
    ...leg,
    type: isBatch ? 'BatchWithdraw' : 'Withdraw',
    refused,
    zoneHeight,
    asset,
    tokenId: crossingTokenId(random, asset),
    source,
    signer: random.chance(0.1) ? agent : source,
    payouts,
  };
}

/** Somebody active on the zone chain: nearly always one of the busy senders. */
export function zoneUser({ people, zoneOnly }: Travellers, random: RandomWords): string {
  if (random.chance(0.06)) return zoneOnly[random.below(zoneOnly.length)] ?? '';
  return people.busy[skewed(random, ZONE_USERS)] ?? '';
}

/** All that crosses, in the asset's smallest unit. */
export function totalRaw(crossing: Crossing): bigint {
  return crossing.payouts.reduce((total, { raw }) => total + raw, 0n);
}

function assetFor({ assets }: Travellers, random: RandomWords): Asset {
  const asset = assets[random.below(assets.length)];
  if (asset === undefined) throw new RangeError('nothing can cross');
  return asset;
}
