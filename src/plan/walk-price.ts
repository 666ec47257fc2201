import type { Endpoint } from '../catalogue/entry.ts';
import { leastRequests } from './routes.ts';

/** Pages that are read twice: the first and the last one of several. */
const FENCE_PAGES = 2;

/**
 * Requests that the walk of one slice takes, from the number of its records. The only place that
 * knows how walks read: where they change, this changes with them.
 */
export function walkRequests(endpoint: Endpoint, records: number, pageSize: number): number {
  const least = leastRequests(endpoint);
  const pages = Math.ceil(records / pageSize);
  if (pages < 2) return least;
  return pages + Math.max(least - 1, Math.min(FENCE_PAGES, pages - 1));
}
