import { endpoint, field } from '../../entry.ts';
import { blockHeight, chain, filterBy, limit, page, TOKEN_STANDARDS } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/**
 * E11. Everything in one block, one protocol type per request. The type decides the dataset of the
 * records. Its list is called blockList but holds transactions.
 */
export const blockTransactionList = endpoint({
  path: 'mainchain/block/transaction-list',
  method: 'GET',
  axis: 'primary',
  summary: 'Transactions, internal transactions or token transfers in a block',
  dataset: 'transactions',
  list: 'by-key',
  limits: { pageSize: { max: 100, default: 20 } },
  params: [
    chain,
    blockHeight,
    filterBy('protocolType', 'type of the records to list', w.tokenStandard, {
      values: ['transaction', 'internal', ...TOKEN_STANDARDS],
      default: 'transaction',
      fills: TOKEN_STANDARDS,
      datasets: {
        transaction: 'transactions',
        internal: 'internal_transactions',
        token_20: 'token_transfers',
        token_721: 'token_transfers',
        token_1155: 'token_transfers',
        token_10: 'token_transfers',
      },
    }),
    page,
    limit,
  ],
  reply: { shape: 'paged', list: 'blockList', extras: ['chainFullName', 'chainShortName'] },
  fields: [
    ...w.transactionFields('txid'),
    field('amount', w.nativeAmount),
    field('transactionSymbol', w.symbol),
    field('txfee', w.txFee),
    field('state', w.txStatus),
    field('tokenContractAddress', w.tokenAddress),
    field('tokenId', w.tokenId),
    field('methodId', w.methodId),
  ],
  contradictions: [
    'The list is called blockList but holds transactions: windrow and the service use that name.',
    'Internal records have no operation here: windrow lands NULL, and cannot match them to the ' +
      'internal records of an address.',
    'Records do not carry their protocol type: for tokens, windrow fills in the requested one.',
  ],
});
