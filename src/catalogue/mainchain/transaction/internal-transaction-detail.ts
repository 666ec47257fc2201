import { endpoint, field } from '../../entry.ts';
import { chain, limit, page } from '../../params.ts';
import * as silence from '../../silences.ts';
import * as w from '../../vocabulary.ts';

/** E20. One transaction's internal records, with their state; they carry no block hash. */
export const internalTransactionDetail = endpoint({
  path: 'mainchain/transaction/internal-transaction-detail',
  method: 'GET',
  axis: 'primary',
  summary: 'Internal transactions by the hash of their transaction',
  dataset: 'internal_transactions',
  list: 'by-key',
  // Neither number is shown; deployments answer 20 by default and 100 at most.
  limits: { pageSize: { max: 100, default: 20 } },
  params: [
    chain,
    {
      name: 'txId',
      type: 'String',
      required: true,
      meaning: 'transaction hash',
      role: 'keys',
      keyKind: 'transaction',
      max: 1,
      columns: ['tx_hash'],
    },
    page,
    limit,
  ],
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
    'The maximum and default of limit are not shown: 100 and 20.',
    silence.operations,
    silence.hashNames,
  ],
});
