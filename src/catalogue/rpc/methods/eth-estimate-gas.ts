import { member, rpcMethod } from '../rpc-method.ts';
import { blockParam, callParam, gasEstimate } from '../rpc-words.ts';

export const ethEstimateGas = rpcMethod({
  method: 'eth_estimateGas',
  summary: 'The gas that a call would need as a transaction',
  params: [callParam, blockParam],
  result: 'value',
  fields: [member('', 'quantity', gasEstimate)],
  table: 'pending_calls',
});
