import { simulatedChain } from '../../service/src/simulated/chain.ts';
import type { Endpoint, Param } from '../../src/catalogue/entry.ts';
import { datasetNamed, datasets, endpoints } from '../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { holdersAt } from '../fixtures/balances.ts';
import { blocksAsOf } from '../fixtures/served-blocks.ts';

/**
 * Requests made up from what the catalogue declares, and their answers found by looking at every
 * record: nothing here is shared with the service.
 */

/**
 * A little more than a window on either chain, so that the widest span fits and something lies
 * outside of it. The zone makes 120 blocks while the primary chain makes one.
 */
const PRIMARY_HEAD = 10_800;
export const chain = simulatedChain({
  seed: 'contract',
  head: PRIMARY_HEAD,
  zoneStart: PRIMARY_HEAD - 90,
});
export const HEADS = { primary: PRIMARY_HEAD, zone: chain.zone.head };

/** Every list of the catalogue, and every operation that hands something in. */
export const lists = endpoints.filter((of) => of.list !== 'submission');
export const submissions = endpoints.filter((of) => of.list === 'submission');

/** Every record of the chain by dataset, oldest first; of holders, the last rank first. */
const records: ReadonlyMap<string, readonly CanonicalRecord[]> = recordsOfChain();

function recordsOfChain(): Map<string, CanonicalRecord[]> {
  const found = new Map<string, CanonicalRecord[]>(datasets.map(({ name }) => [name, []]));
  const add = (byDataset: Readonly<Record<string, readonly CanonicalRecord[]>>): void => {
    for (const [dataset, added] of Object.entries(byDataset)) found.get(dataset)?.push(...added);
  };
  for (let height = 0; height <= HEADS.primary; height += 1) {
    const { blocks, ...others } = chain.recordsAt(height);
    add({ ...others, blocks: blocksAsOf(HEADS.primary, blocks) });
  }
  for (let height = 0; height <= HEADS.zone; height += 1) add(chain.zone.recordsAt(height));
  add({ native_holders: holdersAt(chain, HEADS.primary).toReversed() });
  return found;
}

export type Params = Record<string, string>;

/** A request with every required parameter, for keys and blocks that have records. */
export function plainRequest(of: Endpoint): Params {
  const params: Params = {};
  for (const param of of.params) {
    const required = param.required || param.requiredUnless !== undefined;
    if (required) params[param.name] = plainValue(of, param);
  }
  return params;
}

function plainValue(of: Endpoint, param: Param): string {
  switch (param.role) {
    case 'chain':
      return of.axis === 'primary' ? 'MAINCHAIN' : 'ZONECHAIN';
    case 'keys':
      return knownKeys(of.dataset, param.columns)[0] ?? '';
    case 'from-block':
      return String(HEADS[of.axis] - 10_000);
    case 'to-block':
      return String(HEADS[of.axis]);
    case 'height':
      return knownKeys(of.dataset, [datasetNamed(of.dataset).heightColumn])[0] ?? '';
    case 'equals':
      return param.default ?? param.values?.[0] ?? '';
    case 'body':
      return param.values?.[0] ?? `0x${'c'.repeat(40)}`;
    default:
      return '1';
  }
}

/** The keys that stand most often in the columns of a dataset's records, most frequent first. */
function knownKeys(dataset: string, columns: readonly string[]): readonly string[] {
  const name = [dataset, ...columns].join(' ');
  const known = keysByColumns.get(name) ?? countedKeys(dataset, columns);
  keysByColumns.set(name, known);
  return known;
}

const keysByColumns = new Map<string, readonly string[]>();

function countedKeys(dataset: string, columns: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const record of records.get(dataset) ?? []) {
    for (const key of new Set(columns.flatMap((column) => keysOfCell(record[column])))) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

function keysOfCell(cell: string | boolean | null | undefined): string[] {
  return typeof cell === 'string' ? cell.split(',') : [];
}

/** Where the records of a request are, as the interface says which they are. */
function datasetAsked(of: Endpoint, params: Params): string {
  for (const param of of.params) {
    if (param.role !== 'equals' || param.datasets === undefined) continue;
    const value = params[param.name] ?? param.default ?? '';
    return param.datasets[value] ?? of.dataset;
  }
  return of.dataset;
}

/** What the interface says the request's records are, in order, as they stand on the wire. */
export function expectedList(of: Endpoint, params: Params): Record<string, string | boolean>[] {
  const dataset = datasetAsked(of, params);
  const { heightColumn } = datasetNamed(dataset);
  const depth = of.limits.depthBlocks ?? Number.POSITIVE_INFINITY;
  const matching = (records.get(dataset) ?? [])
    .filter(
      (record) =>
        Number(record[heightColumn]) > HEADS[of.axis] - depth &&
        of.params.every((param) => agrees(record, param, params, heightColumn)),
    )
    .reverse();
  return inOrder(of, matching, params).map((record) => {
    const wire: Record<string, string | boolean> = {};
    for (const { wire: name, column } of of.fields) wire[name] = record[column] ?? '';
    return wire;
  });
}

/** A look-up without pages answers hash by hash; all other lists begin with the newest record. */
function inOrder(of: Endpoint, matching: readonly CanonicalRecord[], params: Params) {
  const keys = of.params.find((param) => param.role === 'keys');
  const hasPages = of.params.some((param) => param.role === 'limit');
  if (keys?.role !== 'keys' || hasPages) return matching;
  const asked = [...new Set((params[keys.name] ?? '').toLowerCase().split(','))];
  return asked.flatMap((key) =>
    matching.filter((record) => keys.columns.some((column) => record[column] === key)),
  );
}

function agrees(record: CanonicalRecord, param: Param, params: Params, heightColumn: string) {
  const value = params[param.name] ?? param.default;
  if (value === undefined) return true;
  const height = Number(record[heightColumn]);
  const says = (column: string, asked: readonly string[]): boolean =>
    keysOfCell(record[column]).some((key) => asked.includes(key));
  switch (param.role) {
    case 'from-block':
      return height >= Number(value);
    case 'to-block':
      return height <= Number(value);
    case 'height':
      return height === Number(value);
    case 'equals':
      if (param.datasets !== undefined && !/^token_/.test(value)) return true;
      return says(param.column.column, [value.toLowerCase()]);
    case 'keys':
      return param.columns.some((column) => says(column, value.toLowerCase().split(',')));
    default:
      return true;
  }
}
