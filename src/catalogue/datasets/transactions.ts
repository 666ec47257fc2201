import { dataset } from '../entry.ts';

export const transactions = dataset({
  name: 'transactions',
  axis: 'primary',
  summary: 'Normal transactions of the primary chain',
  identity: ['tx_hash'],
  essential: ['tx_hash', 'from_address', 'amount'],
  heightColumn: 'block_number',
  sortedBy: ['tx_hash'],
});
