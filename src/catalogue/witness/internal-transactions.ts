import { endpoint, field } from '../entry.ts';
import { chain, hashes } from '../params.ts';
import * as w from '../vocabulary.ts';

/** Calls that move value and that the lists of the service lack, from the traces of a node. */
export const witnessedInternalTransactions = endpoint({
  path: 'witness/internal-transactions',
  method: 'GET',
  axis: 'primary',
  summary: 'Internal transactions that no list of the service has, as a node traces them',
  dataset: 'internal_transactions',
  list: 'by-key',
  limits: {},
  params: [chain, hashes('txId', 'hash of a transaction', 1)],
  reply: { shape: 'bare' },
  fields: [
    ...w.movementFields('txId'),
    field('operation', w.operation),
    field('amount', w.nativeAmount),
    field('state', w.txStatus),
  ],
});
