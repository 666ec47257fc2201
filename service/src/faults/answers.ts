import type { Endpoint } from '../../../src/catalogue/entry.ts';
import type { Delivery, ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { JSON_TYPE } from '../protocol/exchange.ts';
import type { Source } from '../protocol/source.ts';
import type { FaultName, FaultOf, FaultRule } from '../settings/fault-schema.ts';
import type { FullSettings } from '../settings/settings.ts';
import { clampedLimit, echoing, rewritten, withoutField, wronglyTyped } from './envelope.ts';

/** A request for an endpoint, with the settings it is answered under. */
export interface EndpointRequest {
  readonly of: Endpoint;
  readonly request: ServiceRequest;
  readonly settings: FullSettings;
}

export type Answerer = (asked: EndpointRequest) => Promise<ServiceResponse>;

/** Answers instead of `next`, or changes its answer. */
type Play<Name extends FaultName> = (
  rule: FaultOf<Name>,
  asked: EndpointRequest,
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
  malformed: async (_, asked, next) => {
    const answer = await next(asked);
    return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
  },
  'wrong-type': async ({ as }, asked, next) => {
    const answer = await next(asked);
    return as === 'content-type'
      ? { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }
      : rewritten(answer, (envelope) => wronglyTyped(envelope, as));
  },
  'drop-field': async ({ field }, asked, next) =>
    rewritten(await next(asked), (envelope) => withoutField(envelope, field)),
  'clamp-limit': async ({ most, echo }, asked, next) => {
    const { limit, target } = clampedLimit(asked.of, asked.request.target, asked.settings, most);
    const answer = await next({ ...asked, request: { ...asked.request, target } });
    return echo === 'used' || limit === undefined
      ? answer
      : rewritten(answer, (envelope) => echoing(envelope, limit));
  },
  delay: async ({ delayMs }, asked, next) => {
    const answer = await next(asked);
    return sentBy(answer, { delayMs: delayMs + (answer.delivery?.delayMs ?? 0) });
  },
  slow: async ({ pieceBytes, pauseMs }, asked, next) =>
    sentBy(await next(asked), { trickle: { pieceBytes, pauseMs } }),
  cut: async ({ afterBytes }, asked, next) =>
    sentBy(await next(asked), { cutAfterBytes: afterBytes ?? 'half' }),
  oversized: async ({ bytes }, asked, next) => sentBy(await next(asked), { paddedToBytes: bytes }),
  compressed: async ({ coding, header, bombBytes = 0 }, asked, next) => {
    const answer = await next(asked);
    const headers = header ? { ...answer.headers, 'content-encoding': coding } : answer.headers;
    return sentBy({ ...answer, headers }, { coded: { as: coding, leastBytes: bombBytes } });
  },
  reorganise: async ({ depth }, asked, next, source) => {
    source.reorganise?.(depth);
    return next(asked);
  },
};

/** `next` with the fault of the rule applied. */
export function withFault(rule: FaultRule, next: Answerer, source: Source): Answerer {
  // The compiler cannot infer that the table maps each name to an implementation of that rule.
  const play = PLAYS[rule.fault] as Play<FaultName>;
  return (asked) => play(rule, asked, next, source);
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
