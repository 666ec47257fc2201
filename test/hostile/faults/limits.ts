import type { Ask, Fault } from '../server.ts';

/** Limits of lists, and the ends of ranges. */

/** At most `records` of a query are listed, the first ones; page counts count these. */
export function recordCap(records: number): Fault {
  return {
    name: `at most ${records} records of a query`,
    records: (ask, entries) => (isCapped(ask) ? entries.slice(0, records) : entries),
  };
}

/** Block lists have a depth of their own, and look-ups ask for 20 records at most. */
const isCapped = ({ kind }: Ask): boolean => kind.list !== undefined && kind.keyParam === 'address';

/** Pages hold at most `limit` records, and say so where `isEchoed`. */
export function clampedPages(limit: number, isEchoed: boolean): Fault {
  const name = `pages of at most ${limit}, ${isEchoed ? 'echoed' : 'not echoed'}`;
  const request = (ask: Ask): Ask => ({ ...ask, limit: Math.min(ask.limit, limit) });
  if (isEchoed) return { name, request };
  const askedFor = (ask: Ask): number => Number(ask.params['limit'] ?? ask.limit);
  return { name, request, answered: (ask, answer) => ({ ...answer, limit: askedFor(ask) }) };
}

/** Whether the first and the last height of a range belong to it. */
export function rangeEnds(isStartIncluded: boolean, isEndIncluded: boolean): Fault {
  const words = `start ${isStartIncluded ? 'in' : 'ex'}clusive, end ${isEndIncluded ? 'in' : 'ex'}clusive`;
  return {
    name: words,
    request: (ask) => {
      // The interface says of the zone chain that both ends are included.
      if (!ask.kind.isRanged || ask.kind.chain !== 'MAINCHAIN') return ask;
      const { startBlockHeight, endBlockHeight } = ask.params;
      const from = isStartIncluded || startBlockHeight === undefined ? ask.from : ask.from + 1;
      const to = isEndIncluded || endBlockHeight === undefined ? ask.to : ask.to - 1;
      return { ...ask, from, to };
    },
  };
}
