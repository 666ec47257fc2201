/**
 * The tables that the pipeline fills, by `chain/dataset` in the order of their names: the column of
 * their heights, and whether a run ever takes rows out again. A ranking is read anew as of another
 * height, and the older reading stays.
 */
export const TABLES = new Map([
  ['MAINCHAIN/blocks', { heightColumn: 'block_number', isReplaced: true }],
  ['MAINCHAIN/internal_transactions', { heightColumn: 'block_number', isReplaced: true }],
  ['MAINCHAIN/native_holders', { heightColumn: 'as_of_block', isReplaced: false }],
  ['MAINCHAIN/token_transfers', { heightColumn: 'block_number', isReplaced: true }],
  ['MAINCHAIN/transactions', { heightColumn: 'block_number', isReplaced: true }],
  ['ZONECHAIN/cross_chain_transfers', { heightColumn: 'zone_block_number', isReplaced: true }],
  ['ZONECHAIN/zone_blocks', { heightColumn: 'block_number', isReplaced: true }],
  ['ZONECHAIN/zone_transactions', { heightColumn: 'block_number', isReplaced: true }],
]);

/** The curated tables of this lake, by `chain/table`, with the column of their heights. */
export const CURATED_TABLES = new Map([
  ['MAINCHAIN/address_activity', { heightColumn: 'block_number' }],
  ['MAINCHAIN/blocks', { heightColumn: 'block_number' }],
  ['MAINCHAIN/internal_transactions', { heightColumn: 'block_number' }],
  ['MAINCHAIN/native_holders', { heightColumn: 'as_of_block' }],
  ['MAINCHAIN/token_transfers', { heightColumn: 'block_number' }],
  ['MAINCHAIN/transactions', { heightColumn: 'block_number' }],
  ['ZONECHAIN/cross_chain_journeys', { heightColumn: 'zone_block_number' }],
  ['ZONECHAIN/cross_chain_transfers', { heightColumn: 'zone_block_number' }],
  ['ZONECHAIN/zone_address_activity', { heightColumn: 'block_number' }],
  ['ZONECHAIN/zone_blocks', { heightColumn: 'block_number' }],
  ['ZONECHAIN/zone_transactions', { heightColumn: 'block_number' }],
]);
