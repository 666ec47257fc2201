import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { chain, limit, page } from '../../params.ts';
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
  params: [
    chain,
    {
      name: 'address',
      type: 'String',
      required: true,
      meaning: 'up to 20 addresses separated by commas',
      role: 'keys',
      keyKind: 'address',
      max: 20,
      columns: ['from_address', 'to_address'],
    },
    {
      name: 'startBlockHeight',
      type: 'String',
      required: true,
      meaning: 'start block',
      role: 'from-block',
    },
    {
      name: 'endBlockHeight',
      type: 'String',
      required: true,
      meaning: 'end block; the difference from the start must not exceed 10,000 blocks',
      role: 'to-block',
    },
    page,
    limit,
  ],
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
