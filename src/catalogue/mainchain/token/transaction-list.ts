import { endpoint, field } from '../../entry.ts';
import { chain, limit, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/**
 * E1. Newest first and without block bounds, so it moves while it is read; records have no key, so
 * places in it are counted from its end, by totalTransfer. Amount bounds split it below the record
 * cap; equal amounts cannot be split.
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
      name: 'tokenContractAddress',
      type: 'String',
      required: true,
      meaning: 'token contract address',
      role: 'keys',
      keyKind: 'token',
      max: 1,
      columns: ['token_address'],
    },
    {
      name: 'maxAmount',
      type: 'String',
      required: false,
      meaning: 'upper bound of the quantity range',
      role: 'at-most',
      column: w.tokenAmount,
    },
    {
      name: 'minAmount',
      type: 'String',
      required: false,
      meaning: 'lower bound of the quantity range',
      role: 'at-least',
      column: w.tokenAmount,
    },
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
    field('txid', w.txHash),
    field('blockHash', w.blockHash),
    field('height', w.blockNumber),
    field('transactionTime', w.blockTime),
    field('from', w.fromAddress),
    field('to', w.toAddress),
    field('isFromContract', w.fromIsContract),
    field('isToContract', w.toIsContract),
    field('amount', w.tokenAmount),
    field('transactionSymbol', w.symbol),
    field('methodId', w.methodId),
    field('tokenContractAddress', w.tokenAddress),
    field('protocolType', w.tokenStandard),
    field('state', w.txStatus),
    field('tokenId', w.tokenId),
  ],
  contradictions: [
    'isFromContract is documented, and the sample leaves it out: it is NULL where it is missing.',
    'Whether both bounds of the quantity range belong to it is not said: they do.',
    'The amounts that the quantity range is of are not said to be raw or not: they are compared ' +
      'with ' +
      'amount as it is served.',
    'The allowed values of protocolType in a record are not shown: they are kept as served.',
  ],
});
