import { member, rpcMethod } from '../rpc-method.ts';
import { addressParam, blockParam, nextNonce } from '../rpc-words.ts';

export const ethTransactionCount = rpcMethod({
  method: 'eth_getTransactionCount',
  summary: 'The number of transactions that an address has sent',
  params: [addressParam, blockParam],
  result: 'value',
  fields: [member('', 'quantity', nextNonce)],
  table: 'pending_nonces',
});
