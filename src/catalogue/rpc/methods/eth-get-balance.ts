import { member, rpcMethod } from '../rpc-method.ts';
import { addressParam, balance, balanceRaw, blockParam } from '../rpc-words.ts';

export const ethBalance = rpcMethod({
  method: 'eth_getBalance',
  summary: 'The balance of an address in wei',
  params: [addressParam, blockParam],
  result: 'value',
  fields: [member('', 'quantity', balanceRaw), member('', 'native', balance)],
  table: 'pending_balances',
});
