import { createHash } from 'node:crypto';

/** A number in [0, 1) derived from the text alone. */
export function shareOfText(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

/** `count` of the items, or all of them, evenly spread from an offset that the seed determines. */
export function spread<T>(items: readonly T[], count: number, seed: string): T[] {
  if (count >= items.length) return [...items];
  const offset = shareOfText(seed);
  return Array.from({ length: count }, (_, i) =>
    items.slice(Math.floor(((i + offset) * items.length) / count)).at(0),
  ).filter((item) => item !== undefined);
}

/**
 * Shares that sum to at most the budget: small wants are met in full, and the larger ones share the
 * rest equally, with at least one each.
 */
export function fairShares(wanted: readonly number[], budget: number): number[] {
  const shares = wanted.map(() => 0);
  let left = budget;
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  for (const [done, i] of order.entries()) {
    const share = Math.max(1, Math.floor(left / (order.length - done)));
    shares[i] = Math.min(wanted[i] ?? 0, share);
    left = Math.max(0, left - (shares[i] ?? 0));
  }
  return shares;
}
