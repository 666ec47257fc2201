import { fieldFor } from '../catalogue/index.ts';
import type { PlannedRequest } from './plan.ts';

/**
 * Whether a request lands rows that name keys of another one. Rows that fill the column which must
 * be empty name none.
 */
export function findsFor({ request }: PlannedRequest, other: PlannedRequest): boolean {
  const { datasets = [], by, without, at } = request.foundIn ?? {};
  // That a list will be cut off is not expected.
  if (at !== undefined || !datasets.includes(other.request.dataset)) return false;
  if (without !== undefined && fieldFor(other.list.entry, without) !== undefined) {
    return false;
  }
  return by?.includes(other.list.endpoint) !== false;
}
