import { dataset } from '../entry.ts';

/**
 * Records have no key: one zone transaction may emit several, and lists do not carry the index of
 * the event. Their height is the height of the zone transaction.
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
