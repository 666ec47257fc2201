export type Leg = 'value' | 'fee' | 'internal' | 'token' | 'nonce' | 'withdrawal' | 'reward';

/** A movement of an amount, on the chain or in the ledger. */
export interface Movement {
  readonly leg: Leg;
  readonly height: number;
  readonly txHash: string | null;
  /** Index of the event in its block. */
  readonly logIndex: number | null;
  readonly from: string | null;
  readonly to: string | null;
  /** In the smallest unit. */
  readonly amount: bigint;
  readonly tokenId: string | null;
}

/** The gain of an address by a movement. */
export function gainOf({ leg, from, to, amount }: Movement, address: string): bigint {
  // A sender's nonce grows with each transaction.
  if (leg === 'nonce') return from === address ? amount : 0n;
  return (to === address ? amount : 0n) - (from === address ? amount : 0n);
}
