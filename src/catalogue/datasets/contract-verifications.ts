import { dataset } from '../entry.ts';
import * as z from '../zone-vocabulary.ts';

/** Sources submitted for verification, with their jobs. Only submissions fill it. */
export const contractVerifications = dataset({
  name: 'contract_verifications',
  axis: 'primary',
  summary: 'Contract sources submitted for verification',
  identity: ['submission_id'],
  essential: [],
  heightColumn: 'as_of_block',
  sortedBy: ['contract_address'],
  words: [
    z.asOfBlock,
    z.submissionId,
    z.submissionState,
    z.verdict,
    z.stateReason,
    z.sentTime,
    z.changedTime,
  ],
});
