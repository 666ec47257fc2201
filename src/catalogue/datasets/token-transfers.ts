import { dataset } from '../entry.ts';

/** Records have no key: two equal transfers of one transaction are two rows. */
export const tokenTransfers = dataset({
  name: 'token_transfers',
  axis: 'primary',
  summary: 'Token transfers of the primary chain',
  identity: [],
  essential: ['tx_hash', 'from_address', 'token_address', 'amount'],
  heightColumn: 'block_number',
  sortedBy: ['tx_hash', 'token_address', 'from_address', 'to_address'],
});
