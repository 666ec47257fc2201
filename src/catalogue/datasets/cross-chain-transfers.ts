import { dataset } from '../entry.ts';

/**
 * One zone transaction may emit several records, and lists do not carry the event's index: records
 * have no key. They lie at the height of their zone transaction.
 */
export const crossChainTransfers = dataset({
  name: 'cross_chain_transfers',
  axis: 'zone',
  summary: 'Transfers between the primary chain and the zone chain',
  identity: [],
  essential: ['main_tx_hash', 'zone_tx_hash', 'amount'],
  heightColumn: 'zone_block_number',
  sortedBy: ['zone_tx_hash', 'main_tx_hash'],
});
