import { dataset } from '../entry.ts';

export const zoneBlocks = dataset({
  name: 'zone_blocks',
  axis: 'zone',
  summary: 'Blocks of the zone chain',
  identity: ['block_hash'],
  essential: ['block_hash'],
  heightColumn: 'block_number',
  sortedBy: ['block_hash'],
  isOnePerHeight: true,
});
