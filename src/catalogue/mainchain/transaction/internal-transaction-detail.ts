import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { chain, hashes, limit, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E20. The internal records of one transaction, with their state but without a block hash. */
export const internalTransactionDetail = endpoint({
  path: 'mainchain/transaction/internal-transaction-detail',
  method: 'GET',
  axis: 'primary',
  summary: 'Internal transactions by the hash of their transaction',
  dataset: 'internal_transactions',
  list: 'by-key',
  // The interface gives neither number; deployments send 20 records by default and at most 100.
  limits: { pageSize: { max: 100, default: 20 } },
  params: [chain, hashes('txId', 'transaction hash', 1), page, limit],
  reply: { shape: 'paged', list: 'internalTransactionDetails' },
  fields: [
    field('txId', w.txHash),
    field('height', w.blockNumber),
    field('transactionTime', w.blockTime),
    field('from', w.fromAddress),
    field('to', w.toAddress),
    field('isFromContract', w.fromIsContract),
    field('isToContract', w.toIsContract),
    field('operation', w.operation),
    field('amount', w.nativeAmount),
    field('state', w.txStatus),
  ],
  contradictions: [
    'The interface gives no maximum and default of limit: windrow uses 100 and 20.',
    ambiguity.operations,
    ambiguity.hashNames,
  ],
});
