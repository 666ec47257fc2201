import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { blockFrom, blockTo, chain, limit, oneAddress, page, side } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E9. Any interval of one address, up to one year before its latest transaction. */
export const normalTransactionList = endpoint({
  path: 'mainchain/address/normal-transaction-list',
  method: 'GET',
  axis: 'primary',
  summary: 'Normal transactions of an address',
  dataset: 'transactions',
  list: 'ranged',
  limits: { pageSize: { max: 50, default: 20 }, depthYears: 1 },
  params: [chain, oneAddress, blockFrom, blockTo, side, page, limit],
  reply: { shape: 'paged', list: 'transactionList' },
  fields: [
    ...w.transactionFields('txId'),
    field('amount', w.nativeAmount),
    field('state', w.txStatus),
    field('methodId', w.methodId),
    field('symbol', w.symbol),
    field('nonce', w.nonce),
    field('gasUsed', w.gasUsed),
    field('gasLimit', w.gasLimit),
    field('gasPrice', w.gasPrice),
    field('txFee', w.txFee),
    field('transactionType', w.txType),
  ],
  pending: w.inNoBlock,
  contradictions: [
    'state is listed twice for this record: windrow has one column, tx_status.',
    ambiguity.pendingTransactions,
    ambiguity.transactionTypes,
    ambiguity.rangeEnd,
  ],
});
