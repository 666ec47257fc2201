import { fieldFor } from '../catalogue/index.ts';
import type { PlannedRequest } from './plan.ts';

/**
 * Whether `other` lands rows with keys for this request. Lists that fill the column in `without`
 * land no such rows.
 */
export function findsFor({ request }: PlannedRequest, other: PlannedRequest): boolean {
  const { datasets = [], by, without, at } = request.foundIn ?? {};
  // Estimates assume that no list will be truncated.
  if (at !== undefined || !datasets.includes(other.request.dataset)) return false;
  if (without !== undefined && fieldFor(other.list.entry, without) !== undefined) {
    return false;
  }
  return by?.includes(other.list.endpoint) !== false;
}
