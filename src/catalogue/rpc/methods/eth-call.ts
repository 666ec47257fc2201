import { member, rpcMethod } from '../rpc-method.ts';
import { blockParam, callParam, callResult } from '../rpc-words.ts';

export const ethCall = rpcMethod({
  method: 'eth_call',
  summary: 'The result of a call of a contract, without a transaction',
  params: [callParam, blockParam],
  result: 'value',
  fields: [member('', 'bytes', callResult)],
  table: 'pending_calls',
});
