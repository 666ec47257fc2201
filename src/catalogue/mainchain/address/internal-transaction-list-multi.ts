import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { addresses, chain, limit, page, windowFrom, windowTo } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E19. Has no `state` and no isFromOrTo. Equal records are distinct calls, so all are kept. */
export const internalTransactionListMulti = endpoint({
  path: 'mainchain/address/internal-transaction-list-multi',
  method: 'GET',
  axis: 'primary',
  summary: 'Internal transactions of up to 20 addresses within a block range',
  dataset: 'internal_transactions',
  list: 'ranged',
  limits: { pageSize: { max: 100, default: 20 }, blockSpan: 10_000 },
  params: [chain, addresses, windowFrom, windowTo, page, limit],
  reply: { shape: 'paged', list: 'transactionList' },
  fields: [
    field('txId', w.txHash),
    field('blockHash', w.blockHash),
    field('height', w.blockNumber),
    field('transactionTime', w.blockTime),
    field('operation', w.operation),
    field('from', w.fromAddress),
    field('to', w.toAddress),
    field('isFromContract', w.fromIsContract),
    field('isToContract', w.toIsContract),
    field('amount', w.nativeAmount),
  ],
  contradictions: [
    'The record has no state: windrow takes it from other endpoints.',
    ambiguity.operations,
    ambiguity.rangeEnd,
  ],
});
