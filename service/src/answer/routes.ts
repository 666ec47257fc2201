import type { Endpoint } from '../../../src/catalogue/entry.ts';
import { endpoints, resultOf } from '../../../src/catalogue/index.ts';
import type { FullSettings } from '../settings/settings.ts';

const API_PREFIX = '/api/v5/';

/**
 * The endpoints by their paths in this deployment, in the catalogue's order. Each submission is
 * followed by the call for its result.
 */
export function routesOf(settings: FullSettings): ReadonlyMap<string, Endpoint> {
  const all = endpoints.flatMap((entry) =>
    entry.list === 'submission' ? [entry, resultOf(entry)] : [entry],
  );
  return new Map(all.map((entry) => [API_PREFIX + pathOn(entry.path, settings), entry]));
}

/** An endpoint's path with the deployment's own segments. */
function pathOn(path: string, settings: FullSettings): string {
  const [first, second, ...rest] = path.split('/');
  const chain = first === 'mainchain' ? settings.pathSegment : first;
  const zone = second === 'zone' ? settings.zoneSegment : second;
  return [chain, zone, ...rest].join('/');
}

/** Splits a request's target into its path and its query, without the question mark. */
export function partsOf(target: string): { path: string; search: string } {
  const [path = '', ...rest] = target.split('?');
  return { path, search: rest.join('?') };
}
