import type { Lists } from '../lists.ts';
import type { Answer, Ask, Fault } from '../server.ts';

/** Lists that are empty, or cut, for some requests and not for others about the same records. */

function emptyFor(name: string, when: (ask: Ask) => boolean): Fault {
  const nothing = ({ limit }: Ask, answer: Answer): Answer => {
    const total = answer.total === undefined ? {} : { total: 0 };
    return { page: 1, limit, totalPage: 0, records: [], ...total };
  };
  return {
    name,
    answered: (ask, answer) => (isRange(ask) && when(ask) ? nothing(ask, answer) : answer),
  };
}

const isRange = ({ kind, params }: Ask): boolean =>
  kind.isRanged && params['endBlockHeight'] !== undefined;

const headOf = ({ chain }: Lists, { kind }: Ask): number =>
  kind.chain === 'MAINCHAIN' ? chain.head : chain.zoneHead;

const blocksOf = ({ from, to }: Ask): number => to - from + 1;

/** The index of some lists has fewer blocks than the chain; ranges that end above it are empty. */
export function emptyAboveIndex(lists: Lists, lagBlocks: number, paths?: readonly string[]): Fault {
  return emptyFor(
    `empty for ends above an index ${lagBlocks} blocks behind${paths ? `, ${paths.join()}` : ''}`,
    (ask) => (paths?.includes(ask.kind.path) ?? true) && ask.to > headOf(lists, ask) - lagBlocks,
  );
}

/** The same, and the lag is another one for each request. */
export function emptyAboveMovingIndex(lists: Lists, lagBlocks: number): Fault {
  return emptyFor(`empty for ends above an index about ${lagBlocks} blocks behind`, (ask) => {
    return ask.to > headOf(lists, ask) - lagBlocks * ask.random.next();
  });
}

/** The same, until the index has all blocks. */
export function emptyUntilIndexed(lists: Lists, lagBlocks: number, untilMs: number): Fault {
  return emptyFor(`empty for ends above an index ${lagBlocks} behind for ${untilMs} ms`, (ask) => {
    return ask.sinceMs < untilMs && ask.to > headOf(lists, ask) - lagBlocks;
  });
}

/** Records above the index are not listed, and all others are. */
export function cutAtIndex(lists: Lists, lagBlocks: number): Fault {
  return {
    name: `cut at an index ${lagBlocks} blocks behind`,
    records: (ask, records) =>
      isRange(ask)
        ? records.filter(({ height }) => height <= headOf(lists, ask) - lagBlocks)
        : records,
  };
}

export function emptyForWideRanges(blocks: number): Fault {
  return emptyFor(`empty for more than ${blocks} blocks`, (ask) => blocksOf(ask) > blocks);
}

export function emptyForWidth(blocks: number): Fault {
  return emptyFor(`empty for exactly ${blocks} blocks`, (ask) => blocksOf(ask) === blocks);
}

export function emptyForKey(key: string): Fault {
  return emptyFor('empty for groups with one of the keys', ({ keys }) => {
    return keys.length > 1 && keys.includes(key);
  });
}

export function emptyForManyKeys(most: number): Fault {
  return emptyFor(`empty for more than ${most} keys`, ({ keys }) => keys.length > most);
}

export function emptyForLimit(limit: number): Fault {
  return emptyFor(`page 1 empty for a limit of ${limit}`, (ask) => {
    return ask.page === 1 && ask.limit === limit;
  });
}

/** Of each key of a request only the newest records are listed. */
export function capPerKey(records: number): Fault {
  return {
    name: `at most ${records} records of each key`,
    records: ({ kind, keys }, entries) => {
      if (kind.list === undefined || kind.keyParam !== 'address') return entries;
      const counts = new Map<string, number>();
      return entries.filter((entry) => {
        const matched = entry.keys.filter((key) => keys.includes(key));
        const isShown = matched.some((key) => (counts.get(key) ?? 0) < records);
        for (const key of matched) counts.set(key, (counts.get(key) ?? 0) + 1);
        return isShown;
      });
    },
  };
}
