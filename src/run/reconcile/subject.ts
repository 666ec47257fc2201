import { decimalOf } from '../../catalogue/decimal.ts';
import {
  balanceAt,
  hex,
  type NodeQuestion,
  sentAt,
  tokenBalance,
} from '../../fetch/witness/question.ts';

export type AssetKind = 'native' | 'nonce' | 'token_20' | 'token_721' | 'token_1155' | 'token_10';

/** An asset of an address, over the range of blocks in which its ledger is complete. */
export interface BalanceSubject {
  readonly address: string;
  readonly kind: AssetKind;
  readonly token: string | null;
  readonly tokenId: string | null;
  readonly from: number;
  readonly to: number;
  /** Whether the ledger has a movement of it. */
  readonly isHeld: boolean;
}

/**
 * The block whose state the range begins with. A chain may be born with balances, which no list
 * shows, so block 0 is always part of the opening, and its movements are not counted.
 */
export function openingHeight({ from }: BalanceSubject): number {
  return Math.max(0, from - 1);
}

/** The opening of a range whose first state no node keeps; undefined where it is not known. */
export function assumedOpening({ kind, from }: BalanceSubject): bigint | undefined {
  // Contracts are created after block 0, but for those that the chain was born with.
  return from === 0 && kind !== 'native' && kind !== 'nonce' ? 0n : undefined;
}

export function balanceQuestion(
  { address, kind, token, tokenId }: BalanceSubject,
  height: number | 'pending',
  isMade = false,
): NodeQuestion<bigint> {
  const tag = height === 'pending' ? height : hex(height);
  if (kind === 'native') return balanceAt(address, tag);
  if (kind === 'nonce') return sentAt(address, tag);
  return tokenBalance(token ?? '', address, tokenId, tag, isMade);
}

/** An amount in the smallest unit; undefined for one with more places than the token has. */
export function smallestUnits(text: string, places: number): bigint | undefined {
  const decimal = decimalOf(text);
  if (decimal === undefined || decimal.scale > places) return undefined;
  return decimal.digits * 10n ** BigInt(places - decimal.scale);
}
