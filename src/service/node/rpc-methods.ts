import type { SimulatedChain } from '../../simulated/chain.ts';
import { SIMULATED_CHAIN_ID } from '../../simulated/chain.ts';
import { contractsOf } from './rpc-calls.ts';
import { RpcError } from './rpc-errors.ts';
import { hexQuantity } from './rpc-hex.ts';
import { addressIn, blockTagIn, callIn, flagIn, hashIn } from './rpc-params.ts';
import { blockShape, receiptShape, transactionShape } from './rpc-shapes.ts';
import type { NodeState } from './rpc-state.ts';

/** Answers a method's parameters; throws an RpcError if it cannot. */
export type RpcMethod = (params: readonly unknown[]) => unknown;

/** The methods of the interface, and those by which clients identify the node and its chain. */
export function rpcMethods(
  chain: SimulatedChain,
  state: NodeState,
): ReadonlyMap<string, RpcMethod> {
  const contracts = contractsOf(chain);
  const methods: Readonly<Record<string, RpcMethod>> = {
    eth_chainId: () => hexQuantity(SIMULATED_CHAIN_ID),
    net_version: () => String(SIMULATED_CHAIN_ID),
    eth_blockNumber: () => hexQuantity(state.head()),
    eth_getBlockByNumber: (params) => {
      const seen = state.block(blockTagIn(params, 0));
      const full = flagIn(params, 1);
      return seen === undefined ? null : blockShape(seen, full);
    },
    eth_getTransactionByHash: async (params) => {
      const known = await state.transaction(hashIn(params, 0));
      return known === undefined ? null : transactionShape(known.seen, known.transaction);
    },
    eth_getTransactionReceipt: async (params) => {
      const known = await state.transaction(hashIn(params, 0));
      return known === undefined ? null : receiptShape(known.seen, known.transaction);
    },
    eth_getBalance: async (params) => {
      const address = addressIn(params, 0);
      return hexQuantity((await state.accounts(blockTagIn(params, 1))).native(address));
    },
    eth_getTransactionCount: async (params) => {
      const address = addressIn(params, 0);
      return hexQuantity((await state.accounts(blockTagIn(params, 1))).sent(address));
    },
    eth_call: async (params) => {
      const call = callIn(params, 0);
      const tag = blockTagIn(params, 1);
      if (state.block(tag) === undefined) {
        throw new RpcError('unavailable', 'there is no such block');
      }
      return contracts.call(call, () => state.accounts(tag));
    },
    eth_estimateGas: (params) => {
      const call = callIn(params, 0);
      blockTagIn(params, 1);
      return hexQuantity(contracts.estimate(call));
    },
  };
  return new Map(Object.entries(methods));
}
