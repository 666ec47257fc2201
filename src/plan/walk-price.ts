import type { Endpoint } from '../catalogue/entry.ts';
import { leastRequests } from './routes.ts';

/** Pages of a moving list or a ranking that are read again: the first and the last one. */
const FENCE_PAGES = 2;

/**
 * Requests of the walk of one slice, from the number of its records. This function must follow
 * changes in how walks read.
 */
export function walkRequests(endpoint: Endpoint, records: number, pageSize: number): number {
  const least = leastRequests(endpoint);
  const pages = Math.ceil(records / pageSize);
  if (pages < 2) return least;
  return pages + Math.max(least - 1, pagesAgain(endpoint, pages));
}

/** Pages of a list of several pages that are read a second time. */
function pagesAgain({ list }: Endpoint, pages: number): number {
  // The next page repeats only the records of one height.
  if (list === 'ranged') return 0;
  // A second reading in another page size has to agree with the first.
  if (list === 'by-key') return pages;
  return Math.min(FENCE_PAGES, pages - 1);
}
