import * as ambiguity from '../../../ambiguities.ts';
import * as b from '../../../blocks-vocabulary.ts';
import { endpoint, field } from '../../../entry.ts';
import { chain, heightFilter, zoneLimit, zonePage } from '../../../params.ts';
import * as w from '../../../vocabulary.ts';

/** E7. Newest first. Its first record is the head of the zone chain. */
export const zoneBlockList = endpoint({
  path: 'mainchain/zone/block/block-list',
  method: 'GET',
  axis: 'zone',
  summary: 'Zone block list, newest first',
  dataset: 'zone_blocks',
  list: 'positional',
  servesHead: true,
  limits: { pageSize: { max: 100, default: 20 } },
  params: [chain, heightFilter, zoneLimit, zonePage],
  reply: { shape: 'paged', list: 'data', extras: ['total'], total: 'total' },
  fields: [
    field('hash', w.blockHash),
    field('height', w.blockNumber),
    field('miner', b.miner),
    field('blockTime', w.blockTime),
    field('transactionCount', b.txnCount),
  ],
  contradictions: [
    'The block record is attributed to E8, which does not exist, and the transaction summary to ' +
      'this operation: it serves blocks.',
    ambiguity.numbers,
  ],
});
