import * as ambiguity from '../../ambiguities.ts';
import { endpoint, field } from '../../entry.ts';
import { chain, filterBy, hashes, limit, page, TOKEN_STANDARDS } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E16. Records do not carry protocolType, so the walk fills it in from the request. */
export const tokenTransferMulti = endpoint({
  path: 'mainchain/transaction/token-transfer-multi',
  method: 'GET',
  axis: 'primary',
  summary: 'Token transfers by the hashes of their transactions',
  dataset: 'token_transfers',
  list: 'by-key',
  // The interface gives neither number; deployments send 20 records by default and at most 100.
  limits: { pageSize: { max: 100, default: 20 } },
  params: [
    chain,
    hashes('txId', 'hashes separated by commas, at most 20', 20),
    filterBy('protocolType', 'contract protocol type', w.tokenStandard, {
      fills: true,
      values: TOKEN_STANDARDS,
    }),
    page,
    limit,
  ],
  // Documented as `tokenTransferDetails`; the sample response calls it `transactionList`.
  reply: { shape: 'paged', list: 'tokenTransferDetails', listAliases: ['transactionList'] },
  fields: [
    ...w.transactionFields('txId'),
    field('tokenContractAddress', w.tokenAddress),
    field('amount', w.tokenAmount),
    field('tokenId', w.tokenId),
    field('symbol', w.symbol),
  ],
  contradictions: [
    'The list is documented as tokenTransferDetails, but called transactionList in the sample: ' +
      'windrow reads both, and the service sends the documented name.',
    'The interface gives no maximum and default of limit: windrow uses 100 and 20.',
    'The interface does not list the values of protocolType: windrow uses those of the token ' +
      'transfers of an address.',
    ambiguity.hashNames,
  ],
});
