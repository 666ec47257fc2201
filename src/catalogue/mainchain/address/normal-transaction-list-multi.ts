import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { addresses, chain, limit, page, side, windowFrom, windowTo } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E12. Has no `state`; txFee is in the native token, gasUsed and gasPrice are in wei. */
export const normalTransactionListMulti = endpoint({
  path: 'mainchain/address/normal-transaction-list-multi',
  method: 'GET',
  axis: 'primary',
  summary: 'Normal transactions of up to 20 addresses within a block range',
  dataset: 'transactions',
  list: 'ranged',
  limits: { pageSize: { max: 100, default: 20 }, blockSpan: 10_000 },
  params: [chain, addresses, windowFrom, windowTo, side, page, limit],
  reply: { shape: 'paged', list: 'transactionList' },
  fields: [
    ...w.transactionFields('txId'),
    field('amount', w.nativeAmount),
    field('methodId', w.methodId),
    field('symbol', w.symbol),
    field('nonce', w.nonce),
    // The interface calls this "in wei", but an amount of gas can only be in units of gas.
    field('gasUsed', w.gasUsed),
    field('gasLimit', w.gasLimit),
    field('gasPrice', w.gasPrice),
    field('txFee', w.txFee),
    field('transactionType', w.txType),
  ],
  contradictions: [
    'gasUsed is documented in wei: windrow reads it as an amount of gas.',
    'The record has no state: windrow takes it from other endpoints.',
    ambiguity.transactionTypes,
    ambiguity.rangeEnd,
  ],
});
