import { type Crossing, type Travellers, totalRaw, zoneUser } from './bridge/crossing.ts';
import { decimalOfUnits } from './primitives/native.ts';
import { type RandomWords, randomHash } from './primitives/random.ts';

/** The action of a zone transaction. */
export interface ZoneAction {
  readonly hash: string;
  readonly type: string;
  /** The user of the action. */
  readonly user: string;
  /** null for an action without an amount. */
  readonly amount: string | null;
  /** The amount in the smallest unit. */
  readonly amountRaw: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** The cause of a failure, or null. */
  readonly error: string | null;
  readonly tokenTransfers: number;
  readonly events: number;
  /** The crossing of the action, if it has one. */
  readonly crossing: Crossing | undefined;
}

const FAILED_SHARE = 0.03;
const ERRORS = [
  'Order could not immediately match against any resting orders.',
  'Insufficient margin to place order.',
  'Order was never placed, already canceled, or filled.',
] as const;
const MARGIN_PLACES = 6;

/** An action without a crossing. It changes none of `Balances`. */
export function ordinaryAction(travellers: Travellers, random: RandomWords): ZoneAction {
  const hash = randomHash(random);
  const user = zoneUser(travellers, random);
  const { type, data, raw, events } = ordinaryDoing(random);
  const failed = random.chance(FAILED_SHARE);
  return {
    hash,
    type,
    user,
    amount: raw === null ? null : decimalOfUnits(raw, MARGIN_PLACES),
    amountRaw: raw === null ? null : String(raw),
    data: { type, ...data },
    error: failed ? (ERRORS[random.below(ERRORS.length)] ?? '') : null,
    tokenTransfers: 0,
    events: failed ? 0 : events,
    crossing: undefined,
  };
}

interface Doing {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly raw: bigint | null;
  readonly events: number;
}

function ordinaryDoing(random: RandomWords): Doing {
  const kind = random.below(100);
  const asset = random.below(40);
  if (kind < 62) return { type: 'order', data: order(random, asset), raw: null, events: 1 };
  if (kind < 86) {
    const data = { asset, orderId: String(random.word()) };
    return { type: 'cancelOrder', data, raw: null, events: 1 };
  }
  if (kind < 94) {
    const data = { asset, isCross: random.chance(0.5), leverage: 1 + random.below(50) };
    return { type: 'updateLeverage', data, raw: null, events: 0 };
  }
  const raw = BigInt(1 + random.below(4e9));
  const data = { asset, isBuy: random.chance(0.5), marginRaw: String(raw) };
  return { type: 'updateIsolatedMargin', data, raw, events: 1 };
}

function order(random: RandomWords, asset: number): Readonly<Record<string, unknown>> {
  return {
    asset,
    isBuy: random.chance(0.5),
    price: decimalOfUnits(BigInt(1 + random.below(4e9)), 4),
    size: decimalOfUnits(BigInt(1 + random.below(1e6)), 3),
    reduceOnly: random.chance(0.1),
    timeInForce: random.chance(0.7) ? 'Gtc' : 'Ioc',
  };
}

const LEG_TYPE = {
  Deposit: 'deposit',
  Withdraw: 'withdraw',
  BatchWithdraw: 'batchWithdraw',
} as const;

/** The zone leg of a crossing. */
export function crossingAction(random: RandomWords, crossing: Crossing): ZoneAction {
  const { asset, payouts, refused, tokenId } = crossing;
  const type = LEG_TYPE[crossing.type];
  const raw = totalRaw(crossing);
  return {
    hash: randomHash(random),
    type,
    user: crossing.source,
    amount: decimalOfUnits(raw, asset.places),
    amountRaw: String(raw),
    data: {
      type,
      token: asset.tokenAddress,
      ...(tokenId === null ? {} : { tokenId }),
      payouts: payoutsOf(crossing),
    },
    error: refused ? 'Insufficient balance for withdrawal.' : null,
    tokenTransfers: refused ? 0 : payouts.length,
    events: refused ? 0 : payouts.length + 1,
    crossing,
  };
}

/** The recipients and amounts, in the form of actions and batch details. */
export function payoutsOf({ asset, payouts }: Crossing): readonly object[] {
  return payouts.map(({ target, raw }) => ({
    targetAddress: target,
    value: decimalOfUnits(raw, asset.places),
    valueRaw: String(raw),
  }));
}
