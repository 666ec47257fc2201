import { dataset } from '../entry.ts';

/** Records have no key: two equal calls of one transaction are two rows. */
export const internalTransactions = dataset({
  name: 'internal_transactions',
  axis: 'primary',
  summary: 'Internal transactions (calls, creations) of the primary chain',
  identity: [],
  essential: ['tx_hash', 'from_address', 'amount'],
  heightColumn: 'block_number',
  sortedBy: ['tx_hash', 'from_address', 'to_address'],
});
