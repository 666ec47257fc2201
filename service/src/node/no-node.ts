import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { JSON_TYPE } from '../protocol/exchange.ts';
import { RPC_CODES } from './rpc-errors.ts';

/**
 * Answers for the public endpoints of a chain without a node. Records on disk and lakes hold the
 * past, and have neither a state nor a stream. Clients of nodes only understand JSON-RPC errors.
 */

/** The paths of a simulated chain's JSON-RPC endpoints and streams in `windrow serve`. */
export const MAIN_PATHS = { rpc: '/rpc', stream: '/stream' } as const;
export const TEST_PATHS = { rpc: '/test/rpc', stream: '/test/stream' } as const;

export const STREAM_PATHS: readonly string[] = [MAIN_PATHS.stream, TEST_PATHS.stream];
const RPC_PATHS: readonly string[] = [MAIN_PATHS.rpc, TEST_PATHS.rpc];

const NO_NODE = 'this service has no node: only a simulated chain has one';

export function isRpcPath(path: string): boolean {
  return RPC_PATHS.includes(path);
}

/** A JSON-RPC error for every call of the body, with the call's id if it can be read. */
export function answerWithoutNode({ body }: ServiceRequest): ServiceResponse {
  const error = { code: RPC_CODES.unavailable, message: NO_NODE };
  const calls = callsIn(body);
  const answers = [calls].flat().map((call) => ({ jsonrpc: '2.0', id: idOf(call), error }));
  const answer = Array.isArray(calls) && calls.length > 0 ? answers : (answers[0] ?? null);
  return { status: 200, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(answer) };
}

/**
 * The calls of the body. A body that is not JSON, or an empty batch, counts as one call without id.
 */
function callsIn(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return Array.isArray(parsed) && parsed.length === 0 ? null : parsed;
  } catch {
    return null;
  }
}

function idOf(call: unknown): string | number | null {
  const id = typeof call === 'object' && call !== null && 'id' in call ? call.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
