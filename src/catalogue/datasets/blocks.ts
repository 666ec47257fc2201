import { dataset } from '../entry.ts';

export const blocks = dataset({
  name: 'blocks',
  axis: 'primary',
  summary: 'Blocks of the primary chain',
  identity: ['block_hash'],
  essential: ['block_hash'],
  heightColumn: 'block_number',
  sortedBy: ['block_hash'],
  isOnePerHeight: true,
});
