import { dataset } from '../entry.ts';

export const zoneTransactions = dataset({
  name: 'zone_transactions',
  axis: 'zone',
  summary: 'Transactions of the zone chain',
  identity: ['tx_hash'],
  essential: ['tx_hash', 'from_address', 'amount'],
  heightColumn: 'block_number',
  sortedBy: ['tx_index', 'tx_hash'],
});
