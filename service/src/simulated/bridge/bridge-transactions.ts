import type { Cause, InternalCall, TokenMove } from '../primary/movements.ts';
import { internalCall, TOKEN_PLACES, tokenMove } from '../primary/movements.ts';
import type { Turn } from '../primary/population.ts';
import type { Executed, Purpose, Setting } from '../primary/transactions.ts';
import { executeOrdered } from '../primary/transactions.ts';
import type { RandomWords } from '../primitives/random.ts';
import type { BridgeTransaction } from './bridge-schedule.ts';
import { type Crossing, type Payout, totalRaw } from './crossing.ts';

/**
 * The legs of crossings on the primary chain. A deposit sends its value or its tokens to the
 * bridge's contract. The contract pays withdrawals in transactions of its operator.
 */

const METHOD = {
  Deposit: '0x8340f549',
  Withdraw: '0xd9caed12',
  BatchWithdraw: '0x1ac3ddeb',
  heartbeat: '0x3defb962',
} as const;

/** Executes the bridge transaction of a turn. */
export function executeBridgeTransaction(
  setting: Setting,
  random: RandomWords,
  turn: Turn,
  bridgeTransaction: BridgeTransaction,
): Executed {
  const { salt, failed, crossing } = bridgeTransaction;
  const purpose =
    crossing === undefined || crossing.refused
      ? heartbeat(setting, random)
      : crossing.type === 'Deposit'
        ? bringing(setting, random, crossing)
        : paying(setting, random, crossing);
  return executeOrdered(setting, random, turn, { salt, type: '2', purpose, failed });
}

/** A transaction of the operator without a payment. */
function heartbeat({ people }: Setting, random: RandomWords): Purpose {
  return {
    to: people.bridge,
    methodId: METHOD.heartbeat,
    wei: 0n,
    gasUsed: 28_000 + random.below(2000),
    happens: () => ({ internal: [], transfers: [] }),
  };
}

function bringing(setting: Setting, random: RandomWords, crossing: Crossing): Purpose {
  const { bridge } = setting.people;
  const raw = totalRaw(crossing);
  const isNative = crossing.asset.token === undefined;
  return {
    to: bridge,
    methodId: METHOD.Deposit,
    wei: isNative ? raw : 0n,
    gasUsed: 60_000 + random.below(50_000),
    happens: (cause) => ({
      internal: [],
      transfers: moves(setting, cause, crossing, crossing.source, [{ target: bridge, raw }]),
    }),
  };
}

function paying(setting: Setting, random: RandomWords, crossing: Crossing): Purpose {
  const { bridge } = setting.people;
  const { asset, type, payouts } = crossing;
  return {
    to: bridge,
    methodId: METHOD[type],
    wei: 0n,
    gasUsed: 70_000 + payouts.length * 25_000 + random.below(20_000),
    happens: (cause) => ({
      internal: asset.token === undefined ? calls(setting, cause, payouts) : [],
      transfers: moves(setting, cause, crossing, bridge, payouts),
    }),
  };
}

function calls(
  { people, place }: Setting,
  cause: Cause,
  payouts: readonly Payout[],
): InternalCall[] {
  return payouts.map(({ target, raw }) =>
    internalCall(place, cause, {
      operation: 'call',
      from: people.bridge,
      to: target,
      toIsContract: people.isContract(target),
      wei: raw,
    }),
  );
}

function moves(
  { people, place }: Setting,
  cause: Cause,
  { asset, tokenId }: Crossing,
  from: string,
  payouts: readonly Payout[],
): TokenMove[] {
  const { token } = asset;
  if (token === undefined) return [];
  const unitsOfRaw = 10n ** BigInt(TOKEN_PLACES - asset.places);
  return payouts.map(({ target, raw }) =>
    tokenMove(place, cause, {
      from,
      to: target,
      fromIsContract: people.isContract(from),
      toIsContract: people.isContract(target),
      token,
      tokenId,
      units: raw * unitsOfRaw,
    }),
  );
}
