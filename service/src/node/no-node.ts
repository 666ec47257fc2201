import type { Effects } from '../../../src/effects.ts';
import type { Source } from '../protocol/source.ts';
import { recordMethods } from './record-methods.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { RpcError } from './rpc-errors.ts';

/**
 * The public endpoints of a chain without a node. Records on disk and lakes hold the past, and have
 * neither a state, nor a stream, nor a test network. Clients of nodes only understand JSON-RPC
 * errors.
 */

/** The paths of a simulated chain's JSON-RPC endpoints and streams in `windrow serve`. */
export const MAIN_PATHS = { rpc: '/rpc', stream: '/stream' } as const;
export const TEST_PATHS = { rpc: '/test/rpc', stream: '/test/stream' } as const;

export const STREAM_PATHS: readonly string[] = [MAIN_PATHS.stream, TEST_PATHS.stream];

const NO_NODE = 'this service has no such network: only a simulated chain has one';

/** The JSON-RPC endpoints over records, by their paths. */
export function rpcsWithoutNode(source: Source, effects: Effects): ReadonlyMap<string, Rpc> {
  const refusal = (): never => {
    throw new RpcError('unavailable', NO_NODE);
  };
  return new Map([
    [MAIN_PATHS.rpc, createRpc(recordMethods(source), effects)],
    [TEST_PATHS.rpc, createRpc({ get: () => refusal }, effects)],
  ]);
}
