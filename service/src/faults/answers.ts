import type { Endpoint } from '../../../src/catalogue/entry.ts';
import type { Delivery, ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { JSON_TYPE } from '../protocol/exchange.ts';
import type { Source } from '../protocol/source.ts';
import type { FaultName, FaultOf, FaultRule } from '../settings/fault-schema.ts';
import type { FullSettings } from '../settings/settings.ts';
import { clampedLimit, echoing, rewritten, withoutField, wronglyTyped } from './envelope.ts';

/** A request for an endpoint, with the settings it is answered under. */
export interface EndpointRequest {
  readonly endpoint: Endpoint;
  readonly request: ServiceRequest;
  readonly settings: FullSettings;
}

export type Answerer = (call: EndpointRequest) => Promise<ServiceResponse>;

/** Answers instead of `next`, or changes its answer. */
type Play<Name extends FaultName> = (
  rule: FaultOf<Name>,
  call: EndpointRequest,
  next: Answerer,
  source: Source,
) => Promise<ServiceResponse>;

/** One implementation for each fault. */
const PLAYS: { readonly [Name in FaultName]: Play<Name> } = {
  empty: async () => json(200, { code: '0', msg: '', data: [] }),
  error: async ({ status, code, data, retryAfterSeconds }) =>
    json(
      status,
      { code, msg: 'an injected fault', ...(data === 'list' ? { data: [] } : {}) },
      retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    ),
  html: async ({ status }) => ({
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`,
  }),
  redirect: async ({ status, to }) => ({ status, headers: { location: to }, body: '' }),
  malformed: async (_, call, next) => {
    const answer = await next(call);
    return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
  },
  'wrong-type': async ({ as }, call, next) => {
    const answer = await next(call);
    return as === 'content-type'
      ? { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }
      : rewritten(answer, (envelope) => wronglyTyped(envelope, as));
  },
  'drop-field': async ({ field }, call, next) =>
    rewritten(await next(call), (envelope) => withoutField(envelope, field)),
  'clamp-limit': async ({ most, echo }, call, next) => {
    const { limit, target } = clampedLimit(call.endpoint, call.request.target, call.settings, most);
    const answer = await next({ ...call, request: { ...call.request, target } });
    return echo === 'used' || limit === undefined
      ? answer
      : rewritten(answer, (envelope) => echoing(envelope, limit));
  },
  delay: async ({ delayMs }, call, next) => {
    const answer = await next(call);
    return sentBy(answer, { delayMs: delayMs + (answer.delivery?.delayMs ?? 0) });
  },
  slow: async ({ pieceBytes, pauseMs }, call, next) =>
    sentBy(await next(call), { trickle: { pieceBytes, pauseMs } }),
  cut: async ({ afterBytes }, call, next) =>
    sentBy(await next(call), { cutAfterBytes: afterBytes ?? 'half' }),
  oversized: async ({ bytes }, call, next) => sentBy(await next(call), { paddedToBytes: bytes }),
  compressed: async ({ coding, header, bombBytes = 0 }, call, next) => {
    const answer = await next(call);
    const headers = header ? { ...answer.headers, 'content-encoding': coding } : answer.headers;
    return sentBy({ ...answer, headers }, { coded: { as: coding, leastBytes: bombBytes } });
  },
  reorganise: async ({ depth }, call, next, source) => {
    source.reorganise?.(depth);
    return next(call);
  },
};

/** `next` with the fault of the rule applied. */
export function withFault(rule: FaultRule, next: Answerer, source: Source): Answerer {
  // The compiler cannot infer that the table maps each name to an implementation of that rule.
  const play = PLAYS[rule.fault] as Play<FaultName>;
  return (call) => play(rule, call, next, source);
}

function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}

function sentBy(answer: ServiceResponse, delivery: Delivery): ServiceResponse {
  return { ...answer, delivery: { ...answer.delivery, ...delivery } };
}
