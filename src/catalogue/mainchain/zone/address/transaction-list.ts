import * as ambiguity from '../../../ambiguities.ts';
import { endpoint } from '../../../entry.ts';
import { chain, oneAddress, zoneFrom, zoneLimit, zonePage, zoneTo } from '../../../params.ts';
import { zoneTransactionFields } from '../../../zone-records.ts';

/** E4. Any interval of one address. */
export const zoneAddressTransactionList = endpoint({
  path: 'mainchain/zone/address/transaction-list',
  method: 'GET',
  axis: 'zone',
  summary: 'Zone transactions of an address',
  dataset: 'zone_transactions',
  list: 'ranged',
  limits: { pageSize: { max: 100, default: 20 } },
  params: [
    chain,
    { ...oneAddress, columns: ['from_address'] },
    zoneFrom,
    zoneTo,
    zoneLimit,
    zonePage,
  ],
  reply: { shape: 'paged', list: 'data', extras: ['total'], total: 'total' },
  fields: zoneTransactionFields,
  contradictions: [
    'The interface does not say which party address filters by: windrow takes from, the only ' +
      'party in a record.',
    ambiguity.actionTypes,
    ambiguity.numbers,
  ],
});
