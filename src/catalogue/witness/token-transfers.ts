import { endpoint, field } from '../entry.ts';
import { chain, hashes } from '../params.ts';
import * as w from '../vocabulary.ts';

/** Token transfers that the lists of the service lack, from the events of a node. */
export const witnessedTokenTransfers = endpoint({
  path: 'witness/token-transfers',
  method: 'GET',
  axis: 'primary',
  summary: 'Token transfers that no list of the service has, as a node states them',
  dataset: 'token_transfers',
  list: 'by-key',
  limits: {},
  params: [chain, hashes('txId', 'hash of a transaction', 1)],
  reply: { shape: 'bare' },
  fields: [
    ...w.movementFields('txId'),
    field('tokenContractAddress', w.tokenAddress),
    field('protocolType', w.tokenStandard),
    field('tokenId', w.tokenId),
    field('amount', w.tokenAmount),
  ],
});
