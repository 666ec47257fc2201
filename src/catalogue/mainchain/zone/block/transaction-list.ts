import * as ambiguity from '../../../ambiguities.ts';
import { endpoint } from '../../../entry.ts';
import { blockHeight, chain, zoneLimit, zonePage } from '../../../params.ts';
import { zoneTransactionFields } from '../../../zone-records.ts';

/** E5. All of one block. */
export const zoneBlockTransactionList = endpoint({
  path: 'mainchain/zone/block/transaction-list',
  method: 'GET',
  axis: 'zone',
  summary: 'Zone transactions in one block',
  dataset: 'zone_transactions',
  list: 'by-key',
  limits: { pageSize: { max: 100, default: 20 } },
  params: [chain, blockHeight, zoneLimit, zonePage],
  reply: { shape: 'paged', list: 'data', extras: ['total'], total: 'total' },
  fields: zoneTransactionFields,
  contradictions: [ambiguity.actionTypes, ambiguity.numbers],
});
