import { dataset } from '../entry.ts';
import { asOfBlock } from '../zone-vocabulary.ts';

/** A ranking carries no height, so its rows hold the head of the chain at the time of reading. */
export const nativeHolders = dataset({
  name: 'native_holders',
  axis: 'primary',
  summary: 'Largest holders of the native token, one ranking per reading',
  identity: ['as_of_block', 'holder_address'],
  essential: ['holder_address', 'amount'],
  heightColumn: 'as_of_block',
  sortedBy: ['holder_rank'],
  words: [asOfBlock],
});
