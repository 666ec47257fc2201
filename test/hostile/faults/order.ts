import type { Entry } from '../lists.ts';
import { scrambled } from '../random.ts';
import type { Ask, Fault } from '../server.ts';

/** Orders within a list, and pages that do not lie where their numbers say. */

/** Heads and block hashes come from lists of blocks; these stay as they are. */
const isOfRecords = ({ kind }: Ask): boolean => !kind.path.includes('/block/block-');

/** Newest first; equal heights in an order that `salt` fixes. */
function ordered(records: readonly Entry[], salt: number): Entry[] {
  const rank = ({ index }: Entry): number => scrambled(index ^ salt);
  return [...records].sort((a, b) => b.height - a.height || rank(a) - rank(b));
}

/** Two back ends, each with its own order among records of one height. */
export function replicas(share: number, salt: number): Fault {
  return {
    name: `replica with another order within a height, ${percent(share)} of requests`,
    records: ({ random }, records) => (random.chance(share) ? ordered(records, salt) : records),
  };
}

/** Records of one height come in another order with every request. */
export const shuffled: Fault = {
  name: 'another order within a height with every request',
  records: ({ random }, records) => ordered(records, random.between(0, 2 ** 30)),
};

/** A stable order that has nothing to do with heights. */
export function unsorted(salt: number): Fault {
  return {
    name: 'not sorted by height',
    records: (ask, records) =>
      isOfRecords(ask)
        ? [...records].sort((a, b) => scrambled(a.index ^ salt) - scrambled(b.index ^ salt))
        : records,
  };
}

export const ascending: Fault = {
  name: 'oldest first',
  records: (ask, records) => (isOfRecords(ask) ? [...records].reverse() : records),
};

/** From page 2 on, pages begin `by` records later, or earlier where it is negative. */
export function shifted(by: number, share: number): Fault {
  return {
    name: `pages after the first shifted by ${by}, ${percent(share)} of requests`,
    offset: ({ page, random }, offset) =>
      page > 1 && random.chance(share) ? Math.max(0, offset + by) : offset,
  };
}

/** A page is the one before it again. */
export function repeatedPages(share: number): Fault {
  return {
    name: `the page before comes again, ${percent(share)} of later pages`,
    offset: ({ page, limit, random }, offset) =>
      page > 1 && random.chance(share) ? offset - limit : offset,
  };
}

/** A record of two asked addresses is listed twice. */
export const oncePerMatchedKey: Fault = {
  name: 'one record listed per matching address',
  records: ({ keys }: Ask, records) =>
    records.flatMap((entry) => entry.keys.filter((key) => keys.includes(key)).map(() => entry)),
};

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
