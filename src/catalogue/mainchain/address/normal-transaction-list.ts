import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { chain, limit, page, side } from '../../params.ts';
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
  params: [
    chain,
    {
      name: 'address',
      type: 'String',
      required: true,
      meaning: 'address',
      role: 'keys',
      keyKind: 'address',
      max: 1,
      columns: ['from_address', 'to_address'],
    },
    {
      name: 'startBlockHeight',
      type: 'String',
      required: false,
      meaning: 'starting block height',
      role: 'from-block',
    },
    {
      name: 'endBlockHeight',
      type: 'String',
      required: false,
      meaning: 'ending block height',
      role: 'to-block',
    },
    side,
    page,
    limit,
  ],
  reply: { shape: 'paged', list: 'transactionList' },
  fields: [
    field('txId', w.txHash),
    field('blockHash', w.blockHash),
    field('height', w.blockNumber),
    field('transactionTime', w.blockTime),
    field('from', w.fromAddress),
    field('to', w.toAddress),
    field('isFromContract', w.fromIsContract),
    field('isToContract', w.toIsContract),
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
