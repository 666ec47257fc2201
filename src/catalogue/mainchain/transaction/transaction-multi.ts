import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { chain, hashes } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E15. `data` is the array of records itself, one for each hash that the service knows. */
export const transactionMulti = endpoint({
  path: 'mainchain/transaction/transaction-multi',
  method: 'GET',
  axis: 'primary',
  summary: 'Transactions by their hashes',
  dataset: 'transactions',
  list: 'by-key',
  limits: {},
  params: [
    chain,
    { ...hashes('txId', 'transaction hashes separated by commas, at most 20', 20), type: 'Array' },
  ],
  reply: { shape: 'bare' },
  fields: [
    ...w.transactionFields('txId'),
    field('amount', w.nativeAmount),
    field('symbol', w.symbol),
    field('nonce', w.nonce),
    field('gasLimit', w.gasLimit),
    field('gasUsed', w.gasUsed),
    field('gasPrice', w.gasPrice),
    field('txFee', w.txFee),
    field('state', w.txStatus),
    field('transactionType', w.txType),
    field('methodId', w.methodId),
  ],
  pending: w.inNoBlock,
  contradictions: [
    'txId is documented as an Array, but the sample passes one text with commas: windrow sends ' +
      'one text.',
    ambiguity.pendingTransactions,
    ambiguity.transactionTypes,
    ambiguity.hashNames,
  ],
});
