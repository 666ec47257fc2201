import type { Endpoint, Param } from '../../src/catalogue/entry.ts';
import { datasetNamed, datasets } from '../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { tablesSource } from '../../src/service/records-source.ts';
import type { Source } from '../../src/service/source.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';

/**
 * Requests made up from what the catalogue declares, and their answers found by looking at every
 * record: nothing here is shared with the service.
 */

/** A little more than a window, so that the widest span fits and something lies outside of it. */
export const HEAD = 10_800;
export const chain = simulatedChain({ seed: 'contract', head: HEAD });

/** Every record of the chain by dataset, oldest first. */
export const records: ReadonlyMap<string, readonly CanonicalRecord[]> = recordsOfChain();

function recordsOfChain(): Map<string, CanonicalRecord[]> {
  const found = new Map<string, CanonicalRecord[]>(datasets.map(({ name }) => [name, []]));
  for (let height = 0; height <= HEAD; height += 1) {
    for (const [dataset, added] of Object.entries(chain.recordsAt(height))) {
      found.get(dataset)?.push(...added);
    }
  }
  return found;
}

/** The same records as a source that was never told where they come from. */
export function tables(): Source {
  return tablesSource(records);
}

export type Params = Record<string, string>;

/** A request with every required parameter, for keys and blocks that have records. */
export function plainRequest(of: Endpoint): Params {
  const params: Params = {};
  for (const param of of.params) {
    if (param.required) params[param.name] = plainValue(of, param);
  }
  return params;
}

function plainValue(of: Endpoint, param: Param): string {
  switch (param.role) {
    case 'chain':
      return of.axis === 'primary' ? 'MAINCHAIN' : 'ZONECHAIN';
    case 'keys':
      return knownKeys(of, param.columns)[0] ?? '';
    case 'from-block':
      return String(HEAD - 10_000);
    case 'to-block':
      return String(HEAD);
    case 'height':
      return String(HEAD - 3);
    case 'equals':
      return param.default ?? param.values?.[0] ?? '';
    default:
      return '1';
  }
}

/** The keys that stand most often in the columns of the endpoint's records, most frequent first. */
export function knownKeys(of: Endpoint, columns: readonly string[]): readonly string[] {
  const name = [of.dataset, ...columns].join(' ');
  const known = keysByColumns.get(name) ?? countedKeys(of, columns);
  keysByColumns.set(name, known);
  return known;
}

const keysByColumns = new Map<string, readonly string[]>();

function countedKeys(of: Endpoint, columns: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const record of records.get(of.dataset) ?? []) {
    for (const key of new Set(columns.flatMap((column) => keysOfCell(record[column])))) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

function keysOfCell(cell: string | boolean | null | undefined): string[] {
  return typeof cell === 'string' ? cell.split(',') : [];
}

/** What the interface says the request's records are, newest first, as they stand on the wire. */
export function expectedList(of: Endpoint, params: Params): Record<string, string | boolean>[] {
  const { heightColumn } = datasetNamed(of.dataset);
  const depth = of.limits.depthBlocks ?? Number.POSITIVE_INFINITY;
  const matching = (records.get(of.dataset) ?? []).filter(
    (record) =>
      Number(record[heightColumn]) > HEAD - depth &&
      of.params.every((param) => agrees(of, record, param, params, heightColumn)),
  );
  return matching.reverse().map((record) => {
    const wire: Record<string, string | boolean> = {};
    for (const { wire: name, column } of of.fields) wire[name] = record[column] ?? '';
    return wire;
  });
}

function agrees(
  of: Endpoint,
  record: CanonicalRecord,
  param: Param,
  params: Params,
  heightColumn: string,
): boolean {
  const value = params[param.name] ?? param.default;
  if (value === undefined) return true;
  const height = Number(record[heightColumn]);
  switch (param.role) {
    case 'from-block':
      return height >= Number(value);
    case 'to-block':
      return height <= Number(value);
    case 'height':
      return height === Number(value);
    case 'equals':
      return record[param.column.column] === value.toLowerCase();
    case 'keys': {
      const asked = value.toLowerCase().split(',');
      const columns = sideColumn(of, params) ?? param.columns;
      return columns.some((column) =>
        keysOfCell(record[column]).some((key) => asked.includes(key)),
      );
    }
    default:
      return true;
  }
}

function sideColumn(of: Endpoint, params: Params): string[] | undefined {
  for (const param of of.params) {
    if (param.role !== 'side' || params[param.name] === undefined) continue;
    return [params[param.name] === 'from' ? param.from : param.to];
  }
  return undefined;
}
