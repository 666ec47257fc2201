import { z } from 'zod';
import { listKey } from '../../coverage/list.ts';
import { blocksIn } from '../../coverage/ranges.ts';
import type { Claim } from '../rule/claim.ts';

/** Cost of a list's walks in one commit, as stored on disk. Only price estimates use it. */
export const walkedSchema = z.object({
  endpoint: z.string(),
  variant: z.string(),
  slices: z.number(),
  requests: z.number(),
  keyBlocks: z.number(),
});
export type WalkedList = z.infer<typeof walkedSchema>;

interface Walk {
  readonly claim: Claim;
  readonly requests: number;
}

/** Cost of the walks of a commit, one entry for each endpoint and variant. */
export function walkedLists(walks: readonly Walk[]): WalkedList[] {
  const lists = new Map<string, WalkedList>();
  for (const { claim, requests } of walks) {
    // Ranges below a depth limit land without a request.
    if (requests === 0) continue;
    const { list, keys, interval } = claim;
    const { endpoint, variant } = list;
    const id = listKey(list);
    const total = lists.get(id) ?? { endpoint, variant, slices: 0, requests: 0, keyBlocks: 0 };
    lists.set(id, {
      ...total,
      slices: total.slices + 1,
      requests: total.requests + requests,
      keyBlocks: total.keyBlocks + keys.length * blocksIn(interval),
    });
  }
  return [...lists.values()];
}
