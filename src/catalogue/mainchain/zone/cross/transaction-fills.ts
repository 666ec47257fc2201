import * as ambiguity from '../../../ambiguities.ts';
import { endpoint } from '../../../entry.ts';
import { chain, hashes } from '../../../params.ts';
import { crossChainDetailFields, crossChainDetailHalves } from '../../../zone-records.ts';

/** E13b. The look-up of E13a for one hash. */
export const crossTransactionFills = endpoint({
  path: 'mainchain/zone/cross/transaction-fills',
  method: 'GET',
  axis: 'zone',
  summary: 'Cross-chain transfers by the hash of one zone transaction',
  dataset: 'cross_chain_transfers',
  list: 'by-key',
  limits: {},
  params: [chain, hashes('txid', 'zone-side cross-chain transaction hash', 1, 'zone_tx_hash')],
  reply: { shape: 'bare' },
  fields: crossChainDetailFields,
  finishedBy: crossChainDetailHalves,
  contradictions: [ambiguity.detailForm, ambiguity.crossChainId, ambiguity.hashNames],
});
