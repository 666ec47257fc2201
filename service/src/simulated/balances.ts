import type { Executed } from './primary/transactions.ts';

/**
 * Sums of net movements. Sums may be negative, and addresses with a sum of 0 stay in the maps.
 * Minted tokens come from the zero address, so its sums are negative.
 */
export interface Moved {
  /**
   * Wei by address: values, fees and internal values, including deposits to the bridge and its
   * payments. A failed transaction moves its fee only. Fees have no recipient.
   */
  readonly native: Map<string, bigint>;
  /**
   * Units of 10^-18 of the amounts that records show, whatever the token, by
   * `address|token_address|token_id`; the last part is empty for tokens without ids.
   */
  readonly tokens: Map<string, bigint>;
}

/** Adds the movements of a transaction on the primary chain. */
export function settle({ native, tokens }: Moved, executed: Executed): void {
  const { sender, to, amountWei, feeWei } = executed;
  add(native, sender, -feeWei);
  if (executed.failed) return;
  if (to !== null && amountWei > 0n) {
    add(native, sender, -amountWei);
    add(native, to, amountWei);
  }
  for (const call of executed.internal) {
    if (call.movedWei === 0n) continue;
    add(native, call.from, -call.movedWei);
    add(native, call.to, call.movedWei);
  }
  for (const move of executed.transfers) {
    const held = `${move.tokenAddress}|${move.tokenId}`;
    add(tokens, `${move.from}|${held}`, -move.units);
    add(tokens, `${move.to}|${held}`, move.units);
  }
}

function add(to: Map<string, bigint>, key: string, amount: bigint): void {
  to.set(key, (to.get(key) ?? 0n) + amount);
}
