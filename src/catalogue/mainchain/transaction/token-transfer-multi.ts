import { endpoint, field } from '../../entry.ts';
import { chain, limit, page, TOKEN_STANDARDS } from '../../params.ts';
import * as silence from '../../silences.ts';
import * as w from '../../vocabulary.ts';

/** E16. Records do not carry protocolType: a walk that asked for one fills it in. */
export const tokenTransferMulti = endpoint({
  path: 'mainchain/transaction/token-transfer-multi',
  method: 'GET',
  axis: 'primary',
  summary: 'Token transfers by the hashes of their transactions',
  dataset: 'token_transfers',
  list: 'by-key',
  // Neither number is shown; deployments answer 20 by default and 100 at most.
  limits: { pageSize: { max: 100, default: 20 } },
  params: [
    chain,
    {
      name: 'txId',
      type: 'String',
      required: true,
      meaning: 'hashes separated by commas, at most 20',
      role: 'keys',
      keyKind: 'transaction',
      max: 20,
      columns: ['tx_hash'],
    },
    {
      name: 'protocolType',
      type: 'String',
      required: false,
      meaning: 'contract protocol type',
      role: 'equals',
      column: w.tokenStandard,
      fills: true,
      values: TOKEN_STANDARDS,
    },
    page,
    limit,
  ],
  // Documented as `tokenTransferDetails`; the sample response calls it `transactionList`.
  reply: { shape: 'paged', list: 'tokenTransferDetails', listAliases: ['transactionList'] },
  fields: [
    field('txId', w.txHash),
    field('blockHash', w.blockHash),
    field('height', w.blockNumber),
    field('transactionTime', w.blockTime),
    field('from', w.fromAddress),
    field('to', w.toAddress),
    field('isFromContract', w.fromIsContract),
    field('isToContract', w.toIsContract),
    field('tokenContractAddress', w.tokenAddress),
    field('amount', w.tokenAmount),
    field('tokenId', w.tokenId),
    field('symbol', w.symbol),
  ],
  contradictions: [
    'The list is documented as tokenTransferDetails and called transactionList in the sample: ' +
      'both are read, and the documented name is served.',
    'The maximum and default of limit are not shown: 100 and 20.',
    'The values of protocolType are not shown: those of the token transfers of an address.',
    silence.hashNames,
  ],
});
