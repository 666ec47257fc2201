import { endpoint, field } from '../../entry.ts';
import { chain, limit, oneAddress, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';

const bound = { type: 'String', required: false, column: w.tokenAmount } as const;

/**
 * E1. Newest first and without block bounds, so its records shift while it is read. Records have no
 * key, so positions are counted from the end of the list, by totalTransfer.
 */
export const tokenContractTransactionList = endpoint({
  path: 'mainchain/token/transaction-list',
  method: 'GET',
  axis: 'primary',
  summary: 'Token transfers of a token contract, newest first',
  dataset: 'token_transfers',
  list: 'positional',
  limits: { pageSize: { max: 50, default: 20 } },
  params: [
    chain,
    {
      ...oneAddress,
      name: 'tokenContractAddress',
      meaning: 'token contract address',
      keyKind: 'token',
      columns: ['token_address'],
    },
    { ...bound, name: 'maxAmount', meaning: 'upper bound of the quantity range', role: 'at-most' },
    { ...bound, name: 'minAmount', meaning: 'lower bound of the quantity range', role: 'at-least' },
    page,
    limit,
  ],
  reply: {
    shape: 'paged',
    list: 'transactionList',
    extras: ['chainFullName', 'chainShortName', 'totalTransfer'],
    total: 'totalTransfer',
  },
  fields: [
    ...w.transactionFields('txid'),
    field('amount', w.tokenAmount),
    field('transactionSymbol', w.symbol),
    field('methodId', w.methodId),
    field('tokenContractAddress', w.tokenAddress),
    field('protocolType', w.tokenStandard),
    field('state', w.txStatus),
    field('tokenId', w.tokenId),
  ],
  contradictions: [
    'isFromContract is documented, but missing from the sample: windrow lands NULL where it is ' +
      'missing.',
    'The interface does not say whether the quantity range includes its bounds: windrow takes ' +
      'both as included.',
    'The interface does not say whether the quantity range is of raw amounts: windrow compares ' +
      'it with amount as served.',
    'The interface does not list the values of protocolType in a record: windrow keeps the value ' +
      'as served.',
  ],
});
