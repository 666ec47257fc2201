import { endpoint } from '../../../entry.ts';
import { chain, zoneFrom, zoneLimit, zonePage, zoneTo } from '../../../params.ts';
import * as silence from '../../../silences.ts';
import { zoneTransactionFields } from '../../../zone-records.ts';

/**
 * E6. Paged, and yet `data` is the list itself: neither a page count nor a total says where it
 * ends. Only an empty page does, and a service that throttles in silence sends those too.
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
    'It takes page and limit, and its answer has neither paging fields nor the total that lists ' +
      'of ' +
      'the zone chain are said to carry: only an empty page is its end.',
    silence.actionTypes,
    silence.numbers,
  ],
});
