import type { Endpoint } from '../catalogue/entry.ts';
import { endpoints } from '../catalogue/index.ts';
import type { Effects } from '../effects.ts';
import { authentication } from './authentication.ts';
import { Refusal } from './errors.ts';
import type { ServiceRequest, ServiceResponse } from './exchange.ts';
import { refused } from './exchange.ts';
import { questionOf } from './question.ts';
import { replyTo } from './reply.ts';
import type { FullSettings, ServiceSettings } from './settings.ts';
import { fullSettings } from './settings.ts';
import type { Source } from './source.ts';
import { accepted } from './submission.ts';

/** The interface answered, request by request. Which endpoints there are, the catalogue says. */
export interface Service {
  /** Never throws and never rejects: what cannot be answered gets a code. */
  answer(request: ServiceRequest): Promise<ServiceResponse>;
  /** How many requests were answered, by HTTP status; `total` counts them all. */
  readonly counters: { readonly total: number; readonly byStatus: ReadonlyMap<number, number> };
  /** The newest requests, oldest first; at most 1,000. */
  readonly requests: readonly RequestLine[];
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly status: number;
}

export interface ServiceOptions {
  readonly source: Source;
  readonly effects: Effects;
  readonly settings?: ServiceSettings;
}

const API_PREFIX = '/api/v5/';
const REQUEST_LINES = 1000;

/** A service over a source. It holds no port; see `listen`. */
export function createService(options: ServiceOptions): Service {
  const { source, effects } = options;
  const settings = fullSettings(options.settings ?? {});
  const routes = routesOf(settings);
  const authenticate = authentication(settings, effects);
  const log = requestLog();

  const answerOrRefuse = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const { path, search } = partsOf(request.target);
    const endpoint = routes.get(path);
    if (endpoint === undefined) throw new Refusal('unknown-path', 'there is no such path');
    if (request.method !== endpoint.method) {
      throw new Refusal('wrong-method', `this path takes ${endpoint.method}`);
    }
    authenticate(request);
    source.requested?.();
    if (endpoint.list === 'submission') return accepted(endpoint, request, source);
    return replyTo(endpoint, questionOf(endpoint, search, source, settings), source, settings);
  };

  return {
    counters: log.counters,
    requests: log.lines,
    answer: async (request) => {
      let response = settings.before?.(request);
      try {
        response ??= await answerOrRefuse(request);
      } catch (error) {
        response = responseTo(error, effects);
      }
      log.add({ method: request.method, target: request.target, status: response.status });
      const date = new Date(effects.now()).toUTCString();
      return { ...response, headers: { date, ...response.headers } };
    },
  };
}

/** The text of an unexpected error goes to the log, and none of it to the client. */
function responseTo(error: unknown, effects: Effects): ServiceResponse {
  if (error instanceof Refusal) return refused(error.kind, error.message);
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  effects.log('warn', `A request could not be answered: ${reason}`);
  return refused('internal', 'the service failed');
}

function routesOf(settings: FullSettings): ReadonlyMap<string, Endpoint> {
  return new Map(endpoints.map((entry) => [API_PREFIX + pathOn(entry.path, settings), entry]));
}

/** An endpoint's path with the deployment's own segments. */
function pathOn(path: string, settings: FullSettings): string {
  const [first, second, ...rest] = path.split('/');
  const chain = first === 'mainchain' ? settings.pathSegment : first;
  const zone = second === 'zone' ? settings.zoneSegment : second;
  return [chain, zone, ...rest].join('/');
}

function partsOf(target: string): { path: string; search: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, search: '' }
    : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

function requestLog() {
  const lines: RequestLine[] = [];
  const byStatus = new Map<number, number>();
  const counters = { total: 0, byStatus };
  return {
    lines,
    counters,
    add: (line: RequestLine): void => {
      counters.total += 1;
      byStatus.set(line.status, (byStatus.get(line.status) ?? 0) + 1);
      lines.push(line);
      if (lines.length > REQUEST_LINES) lines.shift();
    },
  };
}
