import type { Effects } from '../../../src/effects.ts';
import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { contentTypeOf, JSON_TYPE } from '../protocol/exchange.ts';
import { RPC_CODES, RpcError, type RpcErrorKind } from './rpc-errors.ts';
import type { RpcAnswerer } from './rpc-params.ts';

/**
 * The public JSON-RPC endpoint of the interface: POST, JSON-RPC 2.0, single or in batches, without
 * the headers of the query API.
 */
export interface Rpc {
  /** Never rejects. Errors of calls have HTTP status 200, as in node replies. */
  answer(request: ServiceRequest): Promise<ServiceResponse>;
}

/** Bound for one batch. */
export const MOST_CALLS = 100;

/** The endpoint with these methods. */
export function createRpc(methods: Methods, effects: Effects): Rpc {
  return {
    answer: async (request) => {
      if (request.method !== 'POST') {
        return failure(405, 'invalid-request', 'calls are sent with POST', { allow: 'POST' });
      }
      if (contentTypeOf(request) !== 'application/json') {
        return failure(415, 'invalid-request', 'calls are sent as application/json');
      }
      const answered = await answerTo(request.body, methods, effects);
      return answered === undefined
        ? { status: 204, headers: {}, body: '' }
        : { status: 200, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(answered) };
    },
  };
}

type Methods = Pick<ReadonlyMap<string, RpcAnswerer>, 'get'>;
type CallId = string | number | null;

interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: CallId;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The reply to a body; undefined if it holds notifications only. */
async function answerTo(
  body: string,
  methods: Methods,
  effects: Effects,
): Promise<RpcAnswer | RpcAnswer[] | undefined> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return errorAnswer(null, 'parse-error', 'the body is not JSON');
  }
  if (!Array.isArray(parsed)) return answerCall(parsed, methods, effects);
  if (parsed.length === 0) return errorAnswer(null, 'invalid-request', 'the batch is empty');
  if (parsed.length > MOST_CALLS) {
    return errorAnswer(null, 'invalid-request', `a batch has at most ${MOST_CALLS} calls`);
  }
  const answers: RpcAnswer[] = [];
  for (const call of parsed) {
    const answer = await answerCall(call, methods, effects);
    if (answer !== undefined) answers.push(answer);
  }
  return answers.length === 0 ? undefined : answers;
}

/** undefined for a notification: a call without an id. */
async function answerCall(
  call: unknown,
  methods: Methods,
  effects: Effects,
): Promise<RpcAnswer | undefined> {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) {
    return errorAnswer(null, 'invalid-request', 'a call is an object');
  }
  const { jsonrpc, id, method, params = [] } = call as Readonly<Record<string, unknown>>;
  if (id !== undefined && !isCallId(id)) {
    return errorAnswer(null, 'invalid-request', 'the id is neither text nor number');
  }
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    return errorAnswer(id ?? null, 'invalid-request', 'this is not a JSON-RPC 2.0 call');
  }
  const answer = await resultOf(method, params, methods, effects);
  return id === undefined ? undefined : { jsonrpc: '2.0', id, ...answer };
}

function isCallId(value: unknown): value is CallId {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

async function resultOf(
  name: string,
  params: unknown,
  methods: Methods,
  effects: Effects,
): Promise<Pick<RpcAnswer, 'result' | 'error'>> {
  try {
    const method = methods.get(name);
    if (method === undefined) throw new RpcError('method-not-found', 'there is no such method');
    if (!Array.isArray(params)) throw new RpcError('invalid-params', 'params is not an array');
    return { result: await method(params) };
  } catch (error) {
    if (error instanceof RpcError) return { error: errorOf(error.kind, error.message) };
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    effects.log('warn', `A call could not be answered: ${reason}`);
    return { error: errorOf('internal', 'the service failed') };
  }
}

function errorOf(kind: RpcErrorKind, message: string): NonNullable<RpcAnswer['error']> {
  return { code: RPC_CODES[kind], message };
}

function errorAnswer(id: CallId, kind: RpcErrorKind, message: string): RpcAnswer {
  return { jsonrpc: '2.0', id, error: errorOf(kind, message) };
}

function failure(
  status: number,
  kind: RpcErrorKind,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  const body = JSON.stringify(errorAnswer(null, kind, message));
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}
