import { simulatedChain } from '../../service/src/simulated/chain.ts';
import type { Endpoint, Param } from '../../src/catalogue/entry.ts';
import { datasetNamed, endpoints } from '../../src/catalogue/index.ts';
import { commonTexts, servedRecords } from '../fixtures/served-records.ts';
import { listedBy, type Params } from '../model/asked-truth.ts';

/** Requests made up from the limits of the catalogue, and what they list by the plain model. */

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
export const lists = endpoints.filter((entry) => entry.list !== 'submission');
export const submissions = endpoints.filter((entry) => entry.list === 'submission');

const records = servedRecords(chain);

/** A request with every required parameter, for keys and blocks that have records. */
export function plainRequest(entry: Endpoint): Params {
  return plainRequests.get(entry) ?? {};
}

const plainRequests = new Map(
  endpoints.map((entry): [Endpoint, Params] => {
    const isSent = ({ required, requiredUnless }: Param) =>
      required || requiredUnless !== undefined;
    const form = entry.params.filter(isSent).map((param) => [param.name, plainValue(entry, param)]);
    return [entry, Object.fromEntries(form)];
  }),
);

function plainValue(entry: Endpoint, param: Param): string {
  switch (param.role) {
    case 'chain':
      return entry.axis === 'primary' ? 'MAINCHAIN' : 'ZONECHAIN';
    case 'keys':
      return commonest(entry, param.columns);
    case 'from-block':
      return String(HEADS[entry.axis] - 10_000);
    case 'to-block':
      return String(HEADS[entry.axis]);
    case 'height':
      return commonest(entry, [datasetNamed(entry.dataset).heightColumn]);
    case 'equals':
      return param.default ?? param.values?.[0] ?? '';
    case 'body':
      return param.values?.[0] ?? `0x${'c'.repeat(40)}`;
    default:
      return '1';
  }
}

function commonest({ dataset }: Endpoint, columns: readonly string[]): string {
  return commonTexts(records.get(dataset), columns)[0] ?? '';
}

/** What a request without a page lists, in order, as it stands on the wire. */
export function expectedList(entry: Endpoint, params: Params): Record<string, string | boolean>[] {
  const deepest = HEADS[entry.axis] - (entry.limits.depthBlocks ?? Number.POSITIVE_INFINITY);
  const { heightColumn } = datasetNamed(entry.dataset);
  const listed = listedBy(entry.path, params, records).filter(
    (record) => Number(record[heightColumn]) > deepest,
  );
  return listed.toReversed().map((record) => {
    return Object.fromEntries(entry.fields.map(({ wire, column }) => [wire, record[column] ?? '']));
  });
}
