import * as ambiguity from '../../../ambiguities.ts';
import { endpoint } from '../../../entry.ts';
import { chain, hashes } from '../../../params.ts';
import { crossChainDetailFields, crossChainDetailHalves } from '../../../zone-records.ts';

/** E13a. A record's id may differ from the requested hash, so records match by zoneTxHash. */
export const crossTransactionMulti = endpoint({
  path: 'mainchain/zone/cross/transaction-multi',
  method: 'GET',
  axis: 'zone',
  summary: 'Cross-chain transfers by the hashes of their zone transactions',
  dataset: 'cross_chain_transfers',
  list: 'by-key',
  limits: {},
  params: [
    chain,
    hashes(
      'txId',
      'cross-chain transaction hashes on the zone side, at most 20',
      20,
      'zone_tx_hash',
    ),
  ],
  reply: { shape: 'bare' },
  fields: crossChainDetailFields,
  finishedBy: crossChainDetailHalves,
  contradictions: [ambiguity.detailForm, ambiguity.crossChainId, ambiguity.hashNames],
});
