import type { Endpoint } from '../catalogue/entry.ts';
import type { Effects } from '../effects.ts';
import { authentication } from './authentication.ts';
import type { RefusalKind } from './errors.ts';
import { Refusal } from './errors.ts';
import type { ServiceRequest, ServiceResponse } from './exchange.ts';
import { codeIn, refused } from './exchange.ts';
import type { MemoryUse } from './metrics.ts';
import { createMetrics } from './metrics.ts';
import type { Page } from './pages.ts';
import { pagesOf } from './pages.ts';
import { questionOf } from './question.ts';
import { replyTo } from './reply.ts';
import type { AnswerLine, RequestLine } from './request-log.ts';
import { requestLog } from './request-log.ts';
import { partsOf, routesOf } from './routes.ts';
import type { FullSettings, ServiceSettings } from './settings.ts';
import { fullSettings } from './settings.ts';
import type { Source } from './source.ts';
import { accepted } from './submission.ts';

/**
 * The interface answered, request by request. Which endpoints there are, the catalogue says. Beside
 * them stand /healthz, /metrics, /openapi.json and /docs, which nobody has to sign for.
 */
export interface Service {
  /** Never throws and never rejects: what cannot be answered gets a code. */
  answer(request: ServiceRequest): Promise<ServiceResponse>;
  /** Refuses what never became a request of the service: its host, its size, its bytes. */
  refuse(kind: RefusalKind, message: string, asked: Asked): ServiceResponse;
  /** How many requests were answered, by HTTP status; `total` counts them all. */
  readonly counters: { readonly total: number; readonly byStatus: ReadonlyMap<number, number> };
  /** The newest requests, oldest first; at most 1,000. */
  readonly requests: readonly RequestLine[];
}

type Asked = Pick<ServiceRequest, 'method' | 'target'>;

export interface ServiceOptions {
  readonly source: Source;
  readonly effects: Effects;
  readonly settings?: ServiceSettings;
  /** Told of every answer. */
  readonly answered?: ((line: AnswerLine) => void) | undefined;
  /** What the process takes of memory, for /metrics. */
  readonly memory?: (() => MemoryUse) | undefined;
}

/** What counters call paths that are none, and bytes that are no request. */
const NO_ENDPOINT = 'none';

/** A service over a source. It holds no port; see `listen`. */
export function createService(options: ServiceOptions): Service {
  const { source, effects, memory, answered } = options;
  const settings = fullSettings(options.settings ?? {});
  const metrics = createMetrics();
  const routes = routesOf(settings);
  const pages = pagesOf({ settings, source, metrics, memory });
  const ask = asker(routes, pages, settings, options);
  const log = requestLog(answered);

  const dated = (response: ServiceResponse, nowMs: number): ServiceResponse => {
    return { ...response, headers: { date: new Date(nowMs).toUTCString(), ...response.headers } };
  };
  return {
    counters: log.counters,
    requests: log.lines,
    answer: async (request) => {
      const startedMs = effects.now();
      metrics.started();
      let response = settings.before?.(request);
      try {
        response ??= await ask(request);
      } catch (error) {
        response = responseTo(error, effects);
      }
      const nowMs = effects.now();
      const durationMs = nowMs - startedMs;
      log.add(request, response, { nowMs, durationMs });
      const { path } = partsOf(request.target);
      const endpoint = routes.get(path)?.path ?? (pages.has(path) ? path : NO_ENDPOINT);
      metrics.finished({ endpoint, status: response.status, code: codeIn(response), durationMs });
      return dated(response, nowMs);
    },
    refuse: (kind, message, asked) => {
      const response = refused(kind, message);
      const nowMs = effects.now();
      log.add(asked, response, { nowMs, durationMs: 0 });
      const { status } = response;
      metrics.rejected({ endpoint: NO_ENDPOINT, status, code: codeIn(response) });
      return dated(response, nowMs);
    },
  };
}

type Ask = (request: ServiceRequest) => Promise<ServiceResponse>;

/** Answers, or throws a Refusal. */
function asker(
  routes: ReadonlyMap<string, Endpoint>,
  pages: ReadonlyMap<string, Page>,
  settings: FullSettings,
  { source, effects }: ServiceOptions,
): Ask {
  const authenticate = authentication(settings, effects);
  return async (request) => {
    const { path, search } = partsOf(request.target);
    const page = pages.get(path);
    const endpoint = routes.get(path);
    if (page !== undefined) {
      checkMethod(request, 'GET');
      return await page();
    }
    if (endpoint === undefined) throw new Refusal('unknown-path', 'there is no such path');
    checkMethod(request, endpoint.method);
    authenticate(request);
    source.requested?.();
    if (endpoint.list === 'submission') return accepted(endpoint, request, source);
    return replyTo(endpoint, questionOf(endpoint, search, source, settings), source, settings);
  };
}

function checkMethod(request: ServiceRequest, allow: string): void {
  if (request.method === allow) return;
  throw new Refusal('wrong-method', `this path takes ${allow}`, { allow });
}

/** The text of an unexpected error goes to the log, and none of it to the client. */
function responseTo(error: unknown, effects: Effects): ServiceResponse {
  if (error instanceof Refusal) return refused(error.kind, error.message, error.headers);
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  effects.log('warn', `A request could not be answered: ${reason}`);
  return refused('internal', 'the service failed');
}
