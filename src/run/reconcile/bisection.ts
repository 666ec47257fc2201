/**
 * The look for the first block at which a balance differs from the ledger. The error of a height is
 * the balance less the ledger; it is `base` at `low`, and another one at `high`.
 */
export interface Search {
  readonly base: bigint;
  readonly low: number;
  readonly high: number;
  readonly highError: bigint;
}

/** The next height to read; undefined when `high` is the block of the difference. */
export function nextHeight({ low, high }: Search): number | undefined {
  return high - low > 1 ? low + Math.floor((high - low) / 2) : undefined;
}

export function narrowed(search: Search, height: number, error: bigint): Search {
  return error === search.base
    ? { ...search, low: height }
    : { ...search, high: height, highError: error };
}
