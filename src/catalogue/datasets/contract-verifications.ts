import { dataset } from '../entry.ts';
import { asOfBlock } from '../zone-vocabulary.ts';

/** What was handed in for verification, and the name of the job; filled by submissions alone. */
export const contractVerifications = dataset({
  name: 'contract_verifications',
  axis: 'primary',
  summary: 'Contract sources handed in for verification',
  identity: ['verification_guid'],
  essential: [],
  heightColumn: 'as_of_block',
  sortedBy: ['contract_address'],
  words: [asOfBlock],
});
