import type { Endpoint } from '../catalogue/entry.ts';
import { datasetsOf, endpoints, paramOf } from '../catalogue/index.ts';

/** Paths of the endpoints that list the same records of the dataset with other bounds. */
export function alternativesTo(endpoint: Endpoint, dataset: string): string[] {
  return endpoints
    .filter(
      (other) =>
        other.path !== endpoint.path &&
        datasetsOf(other).includes(dataset) &&
        other.axis === endpoint.axis &&
        isListOfHeights(endpoint) &&
        isListOfHeights(other) &&
        hasSameParams(endpoint, other),
    )
    .map(({ path }) => path);
}

/** False for look-ups by hash, because the heights of their records are not known in advance. */
function isListOfHeights(endpoint: Endpoint): boolean {
  if (endpoint.list === 'by-key') return paramOf(endpoint, 'keys') === undefined;
  return endpoint.list === 'ranged' || endpoint.list === 'positional';
}

/** Whether both take the same keys, or none, and the same filters. */
function hasSameParams(one: Endpoint, other: Endpoint): boolean {
  if (filterNames(one) !== filterNames(other)) return false;
  const [keys, others] = [paramOf(one, 'keys'), paramOf(other, 'keys')];
  if (keys === undefined || others === undefined) return keys === others;
  return keys.required === others.required && String(keys.columns) === String(others.columns);
}

function filterNames({ params }: Endpoint): string {
  const filters = params.filter(({ role }) => role === 'equals' || role === 'side');
  return String(filters.map(({ name }) => name).sort());
}
