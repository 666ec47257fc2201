import { ethCall } from '../../../src/catalogue/rpc/methods/eth-call.ts';
import { ethEstimateGas } from '../../../src/catalogue/rpc/methods/eth-estimate-gas.ts';
import { ethBalance } from '../../../src/catalogue/rpc/methods/eth-get-balance.ts';
import { ethBlockByNumber } from '../../../src/catalogue/rpc/methods/eth-get-block-by-number.ts';
import { ethTransactionByHash } from '../../../src/catalogue/rpc/methods/eth-get-transaction-by-hash.ts';
import { ethTransactionCount } from '../../../src/catalogue/rpc/methods/eth-get-transaction-count.ts';
import { ethTransactionReceipt } from '../../../src/catalogue/rpc/methods/eth-get-transaction-receipt.ts';
import { SIMULATED_CHAIN_ID } from '../simulated/chain.ts';
import { archiveMethods, presentBlock } from './archive-methods.ts';
import { contractsOf } from './rpc-calls.ts';
import { hexQuantity } from './rpc-hex.ts';
import { answering, type RpcAnswerer } from './rpc-params.ts';
import { blockShape, receiptShape, transactionShape } from './rpc-shapes.ts';
import { type NodeInputs, nodeState } from './rpc-state.ts';

/**
 * The methods of the interface and of archive nodes, and those by which clients identify the node
 * and its chain.
 */
export function nodeMethods(inputs: NodeInputs): ReadonlyMap<string, RpcAnswerer> {
  const state = nodeState(inputs);
  const contracts = contractsOf(inputs.chain);
  return new Map<string, RpcAnswerer>([
    ['eth_chainId', () => hexQuantity(SIMULATED_CHAIN_ID)],
    ['net_version', () => String(SIMULATED_CHAIN_ID)],
    ['web3_clientVersion', () => 'windrow/simulated'],
    ...archiveMethods(state, inputs.chain),
    ['eth_blockNumber', () => hexQuantity(state.head())],
    answering(ethBlockByNumber, ([tag, full]) => {
      const seen = state.block(tag);
      return seen === undefined ? null : blockShape(seen, full);
    }),
    answering(ethTransactionByHash, async ([hash]) => {
      const match = await state.transaction(hash);
      return match === undefined ? null : transactionShape(match.seen, match.transaction);
    }),
    answering(ethTransactionReceipt, async ([hash]) => {
      const match = await state.transaction(hash);
      return match === undefined ? null : receiptShape(match.seen, match.transaction);
    }),
    answering(ethBalance, async ([address, tag]) =>
      hexQuantity((await state.accounts(tag)).native(address)),
    ),
    answering(ethTransactionCount, async ([address, tag]) =>
      hexQuantity((await state.accounts(tag)).sent(address)),
    ),
    answering(ethCall, async ([call, tag]) => {
      presentBlock(state, tag);
      return contracts.call(call, () => state.accounts(tag));
    }),
    answering(ethEstimateGas, ([call]) => hexQuantity(contracts.estimate(call))),
  ]);
}
