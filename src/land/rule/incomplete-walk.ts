import { z } from 'zod';

/** Log entry about a walk that landed without its broken records. */
export const incompleteWalkSchema = z.object({
  /** Name of the walk; its records in quarantine have the same name. */
  walk: z.string(),
  /** Reason in its coverage while records are missing. It names the walk, so it is unique. */
  reason: z.string(),
  /** Sum of the digests of all rows that the walk has so far (hex), including replayed ones. */
  digest: z.string(),
  /** Number of its records that broke their contract. */
  broken: z.number().int(),
  /** Ids of the broken records that a replay has landed. */
  replayed: z.array(z.string()),
});

export type IncompleteWalk = z.infer<typeof incompleteWalkSchema>;

/** The reason in the coverage of an incomplete walk. */
export function incompleteWalkReason(walk: string, records: number, first: string): string {
  const count = records === 1 ? '1 record is' : `${records} records are`;
  return `${count} in quarantine (walk ${walk}); the first because ${first}`;
}

/** The sum of row digests, in hex: equal for equal multisets, in any order. */
export function digestText(digests: Iterable<bigint>, base = '0'): string {
  let sum = BigInt(`0x${base}`);
  for (const digest of digests) sum += digest;
  return BigInt.asUintN(256, sum).toString(16);
}
