import { type Asset, crossingTokenId, rawAmount } from '../primary/assets.ts';
import { type Population, skewed } from '../primary/population.ts';
import type { RandomWords } from '../primitives/random.ts';

/** A transfer between the chains: its asset, parties, amounts and legs. */
export interface Crossing {
  /** Unique for a seed, and in the order of the legs on the primary chain. */
  readonly id: number;
  readonly type: 'Deposit' | 'Withdraw' | 'BatchWithdraw';
  /**
   * The zone refused the withdrawal: its zone leg failed, and the primary chain pays nothing.
   */
  readonly refused: boolean;
  readonly mainHeight: number;
  readonly mainTimeMs: number;
  readonly zoneHeight: number;
  readonly asset: Asset;
  /** null for tokens without ids. */
  readonly tokenId: string | null;
  /** The owner of the amount. */
  readonly source: string;
  /** The signer: the source, or for some withdrawals an agent of it. */
  readonly signer: string;
  /** Recipients with their amounts; one unless it is a batch. */
  readonly payouts: readonly Payout[];
}

export interface Payout {
  readonly target: string;
  /** In the asset's smallest unit. */
  readonly raw: bigint;
}

/** The leg on the primary chain. */
export type MainLeg = Pick<Crossing, 'id' | 'mainHeight' | 'mainTimeMs'>;

/** The parties and the assets of crossings. */
export interface Travellers {
  readonly people: Population;
  readonly assets: readonly Asset[];
  /** Addresses on the zone chain only. */
  readonly zoneOnly: readonly string[];
}

/** The number of the busiest senders that use the zone chain. */
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
  const selfPayouts = isBatch ? 0 : 1;
  const payouts = Array.from({ length: isBatch ? 2 + random.below(5) : 1 }, (_, nth) => ({
    target: nth < selfPayouts && random.chance(0.8) ? source : people.recipient(random),
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

/** A user of the zone chain, mostly one of the busy senders. */
export function zoneUser({ people, zoneOnly }: Travellers, random: RandomWords): string {
  if (random.chance(0.06)) return zoneOnly[random.below(zoneOnly.length)] ?? '';
  return people.busy[skewed(random, ZONE_USERS)] ?? '';
}

/** The total amount of a crossing, in the asset's smallest unit. */
export function totalRaw(crossing: Crossing): bigint {
  return crossing.payouts.reduce((total, { raw }) => total + raw, 0n);
}

function assetFor({ assets }: Travellers, random: RandomWords): Asset {
  const asset = assets[random.below(assets.length)];
  if (asset === undefined) throw new RangeError('nothing can cross');
  return asset;
}
