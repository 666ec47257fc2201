import * as ambiguity from '../../../ambiguities.ts';
import { endpoint } from '../../../entry.ts';
import {
  chain,
  filterBy,
  heightFilter,
  oneAddress,
  zoneFrom,
  zoneLimit,
  zonePage,
  zoneTo,
} from '../../../params.ts';
import * as w from '../../../vocabulary.ts';
import { crossChainFields, crossChainHalves } from '../../../zone-records.ts';
import * as z from '../../../zone-vocabulary.ts';

/** E3. Always requested with block bounds, because without them its records shift. */
export const crossTransactionList = endpoint({
  path: 'mainchain/zone/cross/transaction-list',
  method: 'GET',
  axis: 'zone',
  summary: 'Cross-chain transfers, of all or of an address',
  dataset: 'cross_chain_transfers',
  list: 'ranged',
  limits: { pageSize: { max: 100, default: 20 } },
  params: [
    chain,
    {
      name: 'txid',
      type: 'String',
      required: false,
      meaning: 'filter by transaction hash',
      role: 'names',
      columns: [z.zoneTxHash, z.mainTxHash],
    },
    { ...heightFilter, type: 'Integer' },
    zoneFrom,
    zoneTo,
    {
      ...oneAddress,
      required: false,
      meaning: 'transactions involving this address',
      columns: [...oneAddress.columns, 'source_address', 'target_address'],
    },
    filterBy('from', 'filter by sender', w.fromAddress),
    filterBy('to', 'filter by recipient', w.toAddress),
    filterBy('tokenContractAddress', 'filter by token contract', w.tokenAddress),
    zoneLimit,
    zonePage,
  ],
  reply: { shape: 'paged', list: 'data', extras: ['total'], total: 'total' },
  fields: crossChainFields,
  finishedBy: crossChainHalves,
  contradictions: [
    'The interface does not say which of the two heights the block bounds are: windrow takes the ' +
      'zone height.',
    'The interface does not say which hash txid is: windrow accepts the hash of the zone or of ' +
      'the primary transaction.',
    'The interface does not say which parties address filters by: windrow takes signer, ' +
      'destination, actual sender and actual recipient.',
    'from and to filter by sender and recipient, but a record has two of each: windrow takes the ' +
      'signer and the destination, which are called from and to.',
    ambiguity.numbers,
    ambiguity.hashNames,
  ],
});
