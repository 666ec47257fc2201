import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import {
  blockFrom,
  blockTo,
  chain,
  filterBy,
  limit,
  oneAddress,
  page,
  side,
  TOKEN_STANDARDS,
} from '../../params.ts';
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
    oneAddress,
    filterBy('protocolType', 'protocol type of the tokens', w.tokenStandard, {
      required: true,
      fills: true,
      values: TOKEN_STANDARDS,
      default: 'token_20',
    }),
    filterBy('tokenContractAddress', 'token contract filter', w.tokenAddress),
    blockFrom,
    blockTo,
    side,
    page,
    limit,
  ],
  reply: { shape: 'paged', list: 'transactionList' },
  fields: [
    ...w.movementFields('txId'),
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
