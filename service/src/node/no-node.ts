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

const BEHIND_KEYS = 'these records need a key, and JSON-RPC has none: serve them with --no-auth';

/**
 * The JSON-RPC endpoints over records, by their paths. Clients of JSON-RPC have no key, so a
 * service that checks keys answers nothing.
 */
export function rpcsWithoutNode(
  source: Source,
  effects: Effects,
  hasKeys: boolean,
): ReadonlyMap<string, Rpc> {
  const refusing = (message: string): Rpc => {
    const refusal = (): never => {
      throw new RpcError('unavailable', message);
    };
    return createRpc({ get: () => refusal }, effects);
  };
  const records = hasKeys ? refusing(BEHIND_KEYS) : createRpc(recordMethods(source), effects);
  return new Map([
    [MAIN_PATHS.rpc, records],
    [TEST_PATHS.rpc, refusing(NO_NODE)],
  ]);
}
