import type { Entry, Lists } from '../lists.ts';
import { scrambled } from '../random.ts';
import type { Answer, Ask, Fault } from '../server.ts';
import { percent } from './order.ts';

/** Lists that are behind, that grow, or that miscount themselves. */

/** A replica that does not have the newest blocks yet. */
export function staleReplica(lagBlocks: number, share: number, lists: Lists): Fault {
  const newest = lists.chain.head - lagBlocks;
  return {
    name: `replica ${lagBlocks} blocks behind, ${percent(share)} of requests`,
    records: ({ random, kind }, records) =>
      kind.chain === 'MAINCHAIN' && isReplicated(kind.path) && random.chance(share)
        ? records.filter(({ height }) => height <= newest)
        : records,
  };
}

/** Some records are listed only after some time, wherever they lie. */
export function lateRecords(share: number, fromMs: number, salt: number): Fault {
  const isLate = ({ index }: Entry): boolean => (scrambled(index ^ salt) >>> 0) / 2 ** 32 < share;
  return {
    name: `${percent(share)} of records listed from ${fromMs} ms on`,
    records: ({ sinceMs, kind }, records) =>
      sinceMs < fromMs && isOfRecords(kind.path)
        ? records.filter((entry) => !isLate(entry))
        : records,
  };
}

export type Miscount = 'floored' | 'stale' | 'absent' | 'one more' | 'one';

/** Page counts (and totals) that are wrong in the same way each time. */
export function miscounted(how: Miscount, share: number): Fault {
  return {
    name: `page counts ${how}, ${percent(share)} of requests`,
    answered: (ask, answer, entries) =>
      isOfRecords(ask.kind.path) && ask.random.chance(share) && entries.length > 0
        ? counted(how, ask, answer, entries.length)
        : answer,
  };
}

function counted(how: Miscount, { limit }: Ask, answer: Answer, length: number): Answer {
  const pages = Math.ceil(length / limit);
  switch (how) {
    case 'floored':
      return { ...answer, totalPage: Math.max(1, Math.floor(length / limit)) };
    case 'stale':
      return { ...answer, totalPage: Math.max(1, Math.ceil((length - limit / 2) / limit)) };
    case 'absent':
      return { ...answer, totalPage: '' };
    case 'one':
      return { ...answer, totalPage: 1 };
    case 'one more':
      return { ...answer, totalPage: pages + 1 };
  }
}

/** Full first pages show one record too few, and it is on no other page of this size. */
export function shortFirstPage(by: number): Fault {
  return {
    name: `full first pages lack ${by} records`,
    answered: ({ page, limit, kind }, answer) =>
      page === 1 && answer.records.length === limit && isOfRecords(kind.path)
        ? { ...answer, records: answer.records.slice(0, limit - by) }
        : answer,
  };
}

/** Transactions that no block holds yet stand on top of lists and in look-ups. */
export function pendingRecords(lists: Lists): Fault {
  return {
    name: 'pending records on top',
    records: ({ kind, keys }, records) => {
      const isShown = kind.path.endsWith('/normal-transaction-list');
      if (!isShown) return records;
      const pending = lists
        .pending(kind)
        .filter((entry) => entry.keys.some((k) => keys.includes(k)));
      return [...pending, ...records];
    },
  };
}

/** Blocks are not records: a run needs heads and hashes that stand still. */
function isOfRecords(path: string): boolean {
  return !path.includes('/block/block-');
}

/** Lists of records and of blocks; a look-up of one block is not among them. */
function isReplicated(path: string): boolean {
  return isOfRecords(path) || path.endsWith('/block/block-list');
}
