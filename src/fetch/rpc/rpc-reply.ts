import { asMapping, jsonIn } from '../../json-in.ts';
import { retryAfterMs } from '../http/envelope.ts';
import type { HttpResponse } from '../transport/transport.ts';

/** The answer to one call: its result, or the error in its place. */
export type RpcReply = { readonly result: unknown } | { readonly error: RpcFailure };

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  /** For example the reason of a contract that reverts. */
  readonly data?: unknown;
}

/** A response to a body with calls whose ids are 0, 1, 2 ... */
export type RpcOutcome =
  | { readonly outcome: 'replies'; readonly replies: readonly RpcReply[] }
  | { readonly outcome: 'throttle'; readonly retryAfterMs?: number }
  /** The service answers, but not to this body: smaller ones may be accepted. */
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'transient'; readonly reason: string };

/** Codes of errors that nodes and their gateways use for rate limits. */
const RATE_CODES: readonly unknown[] = [-32_005, 429];

/** Reads the response to `count` calls. */
export function rpcOutcomeOf({ status, headers, body }: HttpResponse, count: number): RpcOutcome {
  if (status === 429) {
    const waitMs = retryAfterMs(headers);
    return { outcome: 'throttle', ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
  }
  if (status >= 500) return { outcome: 'transient', reason: `HTTP status ${status}` };
  const parsed = jsonIn(body);
  if (parsed === undefined) {
    const reason = `HTTP status ${status} with a body that is not JSON`;
    return { outcome: status < 400 ? 'transient' : 'refused', reason };
  }
  const answers = new Map([parsed].flat().map((answer) => [asMapping(answer)['id'], answer]));
  const replies: RpcReply[] = [];
  for (let id = 0; id < count; id += 1) {
    const reply = replyOf(answers.get(id));
    if (reply !== undefined) replies.push(reply);
  }
  if (replies.some(isRateLimit)) return { outcome: 'throttle' };
  if (replies.length === count) return { outcome: 'replies', replies };
  const whole = replyOf(parsed);
  if (whole !== undefined && isRateLimit(whole)) return { outcome: 'throttle' };
  const message = whole !== undefined && 'error' in whole ? `: ${whole.error.message}` : '';
  const reason = `HTTP status ${status}, ${replies.length} of ${count} calls answered${message}`;
  return { outcome: 'refused', reason };
}

function replyOf(answer: unknown): RpcReply | undefined {
  const error = asMapping(answer)['error'];
  if (error !== undefined && error !== null) {
    const [code, message, data] = ['code', 'message', 'data'].map((name) => asMapping(error)[name]);
    const failure = { code: Number(code), message: String(message) };
    return { error: data === undefined ? failure : { ...failure, data } };
  }
  const result = asMapping(answer)['result'];
  return result === undefined ? undefined : { result };
}

function isRateLimit(reply: RpcReply): boolean {
  return 'error' in reply && RATE_CODES.includes(reply.error.code);
}
