import * as ambiguity from '../../../ambiguities.ts';
import { endpoint, field } from '../../../entry.ts';
import { chain, hashes } from '../../../params.ts';
import * as w from '../../../vocabulary.ts';
import { zoneTransactionFields } from '../../../zone-records.ts';
import * as z from '../../../zone-vocabulary.ts';

/** E18. One zone transaction in full; its nonce is a time in milliseconds. */
export const zoneTransactionFills = endpoint({
  path: 'mainchain/zone/transaction/transaction-fills',
  method: 'GET',
  axis: 'zone',
  summary: 'Zone transaction by its hash',
  dataset: 'zone_transactions',
  list: 'by-key',
  limits: {},
  params: [chain, hashes('txid', 'transaction hash', 1)],
  reply: { shape: 'bare' },
  fields: [
    ...zoneTransactionFields,
    field('nonce', z.actionNonce),
    field('actionData', z.actionData),
    field('errorMessage', z.errorMessage),
    field('tokenTransferCount', z.tokenTransferCount),
    field('eventCount', z.eventCount),
  ],
  finishedBy: [{ column: w.blockHash }, { column: z.zoneStatus }],
  contradictions: [ambiguity.actionTypes, ambiguity.hashNames],
});
