import type { Endpoint } from '../catalogue/entry.ts';
import { datasetsOf, endpoints, paramOf } from '../catalogue/index.ts';
import { grouped } from '../coverage/grouped.ts';
import { blocksIn } from '../coverage/ranges.ts';
import type { PricedRequest } from './estimate.ts';

/** How an endpoint is walked, in words. */
export function methodOf(endpoint: Endpoint): string {
  const keys = paramOf(endpoint, 'keys')?.max ?? 0;
  switch (endpoint.list) {
    case 'positional':
      return 'newest first, by page';
    case 'snapshot':
      return 'the whole ranking at the head';
    case 'by-key':
      if (keys === 0) return 'one block per request';
      return keys === 1 ? 'one hash per request' : `up to ${keys} hashes per request`;
    default: {
      const span = endpoint.limits.blockSpan?.toLocaleString('en-US');
      const blocks = span === undefined ? 'any range of blocks' : `windows of up to ${span} blocks`;
      return keys > 1 ? `${blocks}, up to ${keys} keys per request` : blocks;
    }
  }
}

/** A dataset whose lists by address take more requests than its range has blocks. */
export interface CheaperByBlock {
  readonly dataset: string;
  readonly blocks: number;
  /** The path of a list of blocks that has the same records. */
  readonly path: string;
}

export function cheaperByBlock(requests: readonly PricedRequest[]): CheaperByBlock[] {
  const byAddress = requests.filter(({ list: { entry } }) => {
    return entry.list === 'ranged' && paramOf(entry, 'keys')?.keyKind === 'address';
  });
  return [...grouped(byAddress, ({ request }) => request.dataset)].flatMap(([dataset, lists]) => {
    const cost = lists.reduce((sum, { price }) => sum + price.requests, 0);
    const blocks = Math.max(0, ...lists.flatMap(({ interval }) => interval ?? []).map(blocksIn));
    const other = endpoints.find((entry) => {
      return paramOf(entry, 'height') !== undefined && datasetsOf(entry).includes(dataset);
    });
    return other === undefined || cost <= blocks ? [] : [{ dataset, blocks, path: other.path }];
  });
}
