import { dataset } from '../entry.ts';
import { asOfBlock } from '../zone-vocabulary.ts';

/** Sources submitted for verification, with the name of the job. Only submissions fill it. */
export const contractVerifications = dataset({
  name: 'contract_verifications',
  axis: 'primary',
  summary: 'Contract sources submitted for verification',
  identity: ['verification_guid'],
  essential: [],
  heightColumn: 'as_of_block',
  sortedBy: ['contract_address'],
  words: [asOfBlock],
});
