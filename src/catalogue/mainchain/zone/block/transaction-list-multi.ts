import * as ambiguity from '../../../ambiguities.ts';
import { endpoint } from '../../../entry.ts';
import { chain, zoneFrom, zoneLimit, zonePage, zoneTo } from '../../../params.ts';
import { zoneTransactionFields } from '../../../zone-records.ts';

/**
 * E6. Paged, but `data` is the list itself, without a page count or a total. Only an empty page
 * marks the end, and a service that throttles with empty answers sends those as well.
 */
export const zoneBlockTransactionListMulti = endpoint({
  path: 'mainchain/zone/block/transaction-list-multi',
  method: 'GET',
  axis: 'zone',
  summary: 'Zone transactions across a block range',
  dataset: 'zone_transactions',
  list: 'ranged',
  limits: { pageSize: { max: 100, default: 20 }, blockSpan: 10_000 },
  params: [
    chain,
    { ...zoneFrom, required: true },
    { ...zoneTo, required: true },
    zoneLimit,
    zonePage,
  ],
  reply: { shape: 'bare' },
  fields: zoneTransactionFields,
  contradictions: [
    'It takes page and limit, but its answer has neither paging fields nor the total that is ' +
      'documented for lists of the zone chain: windrow takes an empty page as the end.',
    ambiguity.actionTypes,
    ambiguity.numbers,
  ],
});
