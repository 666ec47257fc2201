import type { Endpoint } from '../catalogue/entry.ts';
import { endpoints } from '../catalogue/index.ts';
import type { FullSettings } from './settings.ts';

const API_PREFIX = '/api/v5/';

/** The endpoints by the paths that this deployment answers them at, in the catalogue's order. */
export function routesOf(settings: FullSettings): ReadonlyMap<string, Endpoint> {
  return new Map(endpoints.map((entry) => [API_PREFIX + pathOn(entry.path, settings), entry]));
}

/** An endpoint's path with the deployment's own segments. */
function pathOn(path: string, settings: FullSettings): string {
  const [first, second, ...rest] = path.split('/');
  const chain = first === 'mainchain' ? settings.pathSegment : first;
  const zone = second === 'zone' ? settings.zoneSegment : second;
  return [chain, zone, ...rest].join('/');
}

/** A request's target as its path and its query, without the mark between them. */
export function partsOf(target: string): { path: string; search: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, search: '' }
    : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}
