import { z } from 'zod';
import { type Coverage, hasRows } from '../../coverage/coverage.ts';
import { type ListId, listAt } from '../../coverage/list.ts';
import { type Interval, intersection, normalise } from '../../coverage/ranges.ts';
import type { Removal } from './claim.ts';

/**
 * Keys of a list that a table forgets: afterwards its rows and coverage are those of a table for
 * which the keys were never requested. Rows that another covered key explains stay. Its keys are
 * stored on disk.
 */
export const forgottenKeysSchema = z.object({
  endpoint: z.string(),
  variant: z.string(),
  keys: z.array(z.string()),
  /** The heights of the coverage of the keys. */
  from: z.number(),
  to: z.number(),
  /** Other keys that rows of the keys name, with the heights at which they explain such rows. */
  heirs: z.array(z.object({ key: z.string(), from: z.number(), to: z.number() })),
});
export type ForgottenKeys = z.infer<typeof forgottenKeysSchema>;

/**
 * The keys of these that the list has coverage of; undefined if it has none. `shared` are the other
 * keys that rows of the keys name, and `landed` the heights of complete look-ups among the keys.
 */
export function forgottenKeys(
  coverage: Coverage,
  { endpoint, variant }: ListId,
  keys: readonly string[],
  shared: Iterable<string>,
  landed: readonly (Interval & { readonly key: string })[] = [],
): ForgottenKeys | undefined {
  const list = { endpoint, variant };
  const entries = [...keys.flatMap((key) => coverage.get(list, key)), ...landed];
  if (entries.length === 0) return undefined;
  const from = entries.reduce(
    (lowest, entry) => Math.min(lowest, entry.from),
    Number.POSITIVE_INFINITY,
  );
  const to = entries.reduce((highest, entry) => Math.max(highest, entry.to), 0);
  const heirs = [...shared]
    .sort()
    .filter((key) => !keys.includes(key))
    .flatMap((key) => {
      const read = coverage.get(list, key).filter(({ status }) => hasRows(status));
      const parts = read.flatMap((part) => intersection(part, { from, to }) ?? []);
      return normalise(parts).map((part) => ({ key, ...part }));
    });
  return { ...list, keys: [...new Set(entries.map(({ key }) => key))], from, to, heirs };
}

/** The rows that are forgotten with the keys. */
export function forgottenRows({ keys, from, to, heirs, ...list }: ForgottenKeys): Removal {
  const protectedBy = heirs.map(({ key, ...interval }) => ({ key, interval }));
  return { list: listAt(list), interval: { from, to }, keys, protectedBy };
}
