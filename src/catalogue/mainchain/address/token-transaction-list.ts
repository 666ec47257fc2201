import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { chain, limit, page, side } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/**
 * E2. protocolType is required and also has a documented default, `token_20`. Records do not carry
 * it, so the walk fills it in from the request.
 */
export const tokenTransactionList = endpoint({
  path: 'mainchain/address/token-transaction-list',
  method: 'GET',
  axis: 'primary',
  summary: 'Token transfers of an address',
  dataset: 'token_transfers',
  list: 'ranged',
  limits: { pageSize: { max: 50, default: 20 } },
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
      name: 'protocolType',
      type: 'String',
      required: true,
      meaning: 'protocol type of the tokens',
      role: 'equals',
      column: w.tokenStandard,
      fills: true,
      values: ['token_20', 'token_721', 'token_1155', 'token_10'],
      default: 'token_20',
    },
    {
      name: 'tokenContractAddress',
      type: 'String',
      required: false,
      meaning: 'token contract filter',
      role: 'equals',
      column: w.tokenAddress,
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
    field('tokenContractAddress', w.tokenAddress),
    field('isFromContract', w.fromIsContract),
    field('isToContract', w.toIsContract),
    field('amount', w.tokenAmount),
    field('symbol', w.symbol),
    field('tokenId', w.tokenId),
  ],
  contradictions: [
    'protocolType is required and has a documented default, token_20: windrow always sends it, ' +
      'and the service uses the default where it is missing.',
    ambiguity.rangeEnd,
  ],
});
