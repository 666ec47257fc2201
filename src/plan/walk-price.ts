import type { Endpoint } from '../catalogue/entry.ts';
import { leastRequests } from './routes.ts';

/** Pages that a walk of several pages reads twice: the first and the last. */
const FENCE_PAGES = 2;

/**
 * Requests of the walk of one slice, from the number of its records. This function must follow
 * changes in how walks read.
 */
export function walkRequests(endpoint: Endpoint, records: number, pageSize: number): number {
  const least = leastRequests(endpoint);
  const pages = Math.ceil(records / pageSize);
  if (pages < 2) return least;
  return pages + Math.max(least - 1, Math.min(FENCE_PAGES, pages - 1));
}
