import { z } from 'zod';

/** What a log says of a walk that landed without the records that broke their contract. */
export const incompleteWalkSchema = z.object({
  /** Name of the walk, which the records in quarantine carry. */
  walk: z.string(),
  /** What its coverage says while it is not whole; it names the walk, so no other says the same. */
  reason: z.string(),
  /** Sum of the digests of all rows that the walk has by now (hex), wherever they came from. */
  digest: z.string(),
  /** How many of its records broke their contract. */
  broken: z.number().int(),
  /** Ids of those among them that have landed since. */
  replayed: z.array(z.string()),
});

export type IncompleteWalk = z.infer<typeof incompleteWalkSchema>;

/** Why the coverage of a walk is not what the walk proved. */
export function incompleteWalkReason(walk: string, records: number, first: string): string {
  const what = records === 1 ? '1 record is' : `${records} records are`;
  return `${what} in quarantine (walk ${walk}); the first because ${first}`;
}

/** The sum of digests of rows, as text: equal for equal multisets, in whatever order. */
export function digestText(digests: Iterable<bigint>, base = '0'): string {
  let sum = BigInt(`0x${base}`);
  for (const digest of digests) sum += digest;
  return BigInt.asUintN(256, sum).toString(16);
}
