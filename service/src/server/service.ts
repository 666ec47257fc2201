import type { Endpoint } from '../../../src/catalogue/entry.ts';
import { isResult } from '../../../src/catalogue/index.ts';
import type { Effects } from '../../../src/effects.ts';
import { authentication } from '../answer/authentication.ts';
import { checkBlocks } from '../answer/missing-blocks.ts';
import { checkRecordsAvailable } from '../answer/missing-records.ts';
import { questionOf } from '../answer/question.ts';
import { replyTo } from '../answer/reply.ts';
import { partsOf, routesOf } from '../answer/routes.ts';
import type { EndpointRequest } from '../faults/answers.ts';
import { createFaults, type FaultControl, type Faults } from '../faults/faults.ts';
import { rpcsWithoutNode } from '../node/no-node.ts';
import { Refusal, type RefusalKind } from '../protocol/errors.ts';
import {
  codeIn,
  refused,
  type ServiceRequest,
  type ServiceResponse,
  success,
} from '../protocol/exchange.ts';
import type { Source } from '../protocol/source.ts';
import { submissionIn } from '../protocol/submission.ts';
import { type FullSettings, fullSettings, type ServiceSettings } from '../settings/settings.ts';
import type { Verification } from '../verification/verification.ts';
import { createMetrics, type MemoryUse } from './metrics.ts';
import { type Nodes, type Page, pagesOf, type RecordPages } from './pages.ts';
import type { ReadReference } from './reference-page.ts';
import { type AnswerLine, type RequestLine, requestLog } from './request-log.ts';

/** The part of a service that a listener uses. */
export interface Answering {
  /** Never throws and never rejects: errors become refusals with a code. */
  answer(request: ServiceRequest): Promise<ServiceResponse>;
  /** Refuses a connection that never became a request, for its host, its size or its bytes. */
  refuse(kind: RefusalKind, message: string, line: RequestLineParts): ServiceResponse;
  /** Called for each connection that a stream took over. */
  streamed?(line: RequestLineParts): void;
}

/**
 * Answers the interface, request by request. The catalogue defines its endpoints. Besides these it
 * serves /healthz, /metrics, /openapi.json and /docs, which need no signature, and the public nodes
 * of the chain, if there are any.
 */
export interface Service extends Answering {
  /** The active faults. */
  readonly faults: FaultControl;
  /** How many requests were answered, by HTTP status; `total` counts them all. */
  readonly counters: { readonly total: number; readonly byStatus: ReadonlyMap<number, number> };
  /** The newest requests, oldest first; at most 1,000. */
  readonly requests: readonly RequestLine[];
}

type RequestLineParts = Pick<ServiceRequest, 'method' | 'target'>;

export interface ServiceOptions {
  readonly source: Source;
  readonly effects: Effects;
  readonly settings?: ServiceSettings;
  /** Endpoints besides those of the interface, by their paths. */
  readonly nodes?: Nodes;
  /** Pages that need no signature, whatever the settings. Absent: there are none. */
  readonly recordPages?: RecordPages | undefined;
  /** Reads the files of the API reference at /docs. Absent: there is none. */
  readonly readReference?: ReadReference | undefined;
  /** Compiles and compares submissions. Absent: they are refused. */
  readonly verification?: Verification | undefined;
  /** Called for every answer. */
  readonly answered?: ((line: AnswerLine) => void) | undefined;
  /** The memory use of the process, for /metrics. */
  readonly memory?: (() => MemoryUse) | undefined;
}

const NO_NODES: Nodes = { rpcs: new Map(), streams: new Map() };

/** The label of unknown paths in the metrics, and of bytes that are not a request. */
const NO_ENDPOINT = 'none';
/** The label of all pages about records: their paths hold addresses and hashes. */
const RECORD_PAGES = '/explore';

/**
 * A service over a source. It listens on no port; see `listen`. Throws a Fault('configuration') for
 * faults in the settings that the source cannot follow.
 */
export function createService(options: ServiceOptions): Service {
  const { source, effects, memory, answered, nodes = NO_NODES } = options;
  const settings = fullSettings(options.settings ?? {});
  const metrics = createMetrics(memory, nodes.streams);
  const routes = routesOf(settings);
  const { readReference } = options;
  const pages = pagesOf({ settings, source, metrics, nodes, readReference });
  const faults = createFaults(settings, source, effects);
  const ask = asker({ routes, pages, settings, faults, nodes, options });
  const log = requestLog(answered);

  const labelOf = (target: string): string => {
    const { path } = partsOf(target);
    if (options.recordPages?.has(path) === true) return RECORD_PAGES;
    const isNamed = pages.has(path) || nodes.rpcs.has(path) || nodes.streams.has(path);
    return routes.get(path)?.path ?? (isNamed ? path : NO_ENDPOINT);
  };
  const dated = (response: ServiceResponse, nowMs: number): ServiceResponse => {
    return { ...response, headers: { date: new Date(nowMs).toUTCString(), ...response.headers } };
  };
  /** Counts an answer that the service itself did not make, under its path or under none. */
  const note = (endpoint: string, response: ServiceResponse, line: RequestLineParts): number => {
    const nowMs = effects.now();
    log.add(line, response, { nowMs, durationMs: 0 });
    metrics.rejected({ endpoint, status: response.status, code: codeIn(response) });
    return nowMs;
  };
  return {
    counters: log.counters,
    requests: log.lines,
    faults,
    answer: async (request) => {
      const startedMs = effects.now();
      metrics.started();
      let response: ServiceResponse;
      try {
        response = settings.before?.(request) ?? (await ask(request));
      } catch (error) {
        response = responseTo(error, effects);
      }
      const nowMs = effects.now();
      const durationMs = nowMs - startedMs;
      log.add(request, response, { nowMs, durationMs });
      const endpoint = labelOf(request.target);
      metrics.finished({ endpoint, status: response.status, code: codeIn(response), durationMs });
      return dated(response, nowMs);
    },
    refuse: (kind, message, line) => {
      const response = refused(kind, message);
      return dated(response, note(NO_ENDPOINT, response, line));
    },
    streamed: (line) => {
      note(labelOf(line.target), { status: 101, headers: {}, body: '' }, line);
    },
  };
}

interface Parts {
  readonly routes: ReadonlyMap<string, Endpoint>;
  readonly pages: ReadonlyMap<string, Page>;
  readonly settings: FullSettings;
  readonly faults: Faults;
  readonly nodes: Nodes;
  readonly options: ServiceOptions;
}

type Ask = (request: ServiceRequest) => Promise<ServiceResponse>;

/** Answers, or throws a Refusal. */
function asker({ routes, pages, settings, faults, nodes, options }: Parts): Ask {
  const { source, effects, recordPages } = options;
  const authenticate = authentication(settings, effects);
  // Pages about the records need no key either.
  const hasKeys = (settings.credentials ?? []).length > 0 && recordPages === undefined;
  const rpcs = new Map([...rpcsWithoutNode(source, effects, hasKeys), ...nodes.rpcs]);
  return async (request) => {
    const { path, search } = partsOf(request.target);
    const page = pages.get(path);
    const rpc = rpcs.get(path);
    const endpoint = routes.get(path);
    if (page !== undefined) {
      checkMethod(request, 'GET', 'HEAD');
      const response = await page(request.headers['host'] ?? '127.0.0.1');
      return request.method === 'HEAD' ? withoutBody(response) : response;
    }
    if (recordPages?.has(path) === true) {
      checkMethod(request, 'GET', 'HEAD');
      const response = await recordPages.answer(path, search);
      return request.method === 'HEAD' ? withoutBody(response) : response;
    }
    if (rpc !== undefined) return await rpc.answer(request);
    if (endpoint === undefined) throw new Refusal('unknown-path', 'there is no such path');
    checkMethod(request, endpoint.method);
    const holder = authenticate(request);
    const rejection = faults.rejection(holder);
    if (rejection !== undefined) return rejection;
    source.requested?.();
    return await faults.around({ endpoint, request }, async (call) => {
      try {
        return await answerTo(call, options);
      } catch (error) {
        return responseTo(error, effects);
      }
    });
  };
}

/** The service's answer without faults. */
async function answerTo(
  { endpoint: entry, request, settings }: EndpointRequest,
  { source, verification }: ServiceOptions,
): Promise<ServiceResponse> {
  if (entry.list === 'submission') return answerSubmission(entry, request, source, verification);
  const { search } = partsOf(request.target);
  const answer = async (at: Source): Promise<ServiceResponse> => {
    checkBlocks(entry, at);
    const question = questionOf(entry, search, at, settings);
    if (at.lacks !== undefined) await checkRecordsAvailable(entry, question.selection, at.lacks);
    return replyTo(entry, question, at, settings);
  };
  return source.steady === undefined ? answer(source) : source.steady(answer);
}

function checkMethod({ method }: ServiceRequest, ...allowed: string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new Refusal('wrong-method', `this path takes ${allow}`, { allow });
}

/** The answer to HEAD: the same headers, including the length of the body, without the body. */
function withoutBody({ status, headers, body }: ServiceResponse): ServiceResponse {
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...headers, 'content-length': length }, body: '' };
}

/** Logs the text of an unexpected error and hides it from the client. */
function responseTo(error: unknown, effects: Effects): ServiceResponse {
  if (error instanceof Refusal) return refused(error.kind, error.message, error.headers);
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  effects.log('warn', `A request could not be answered: ${reason}`);
  return refused('internal', 'the service failed');
}

const NO_VERIFICATION = 'contracts cannot be verified here';

/** Answers a submission with the GUID of its job, or the call for a job with its result. */
async function answerSubmission(
  entry: Endpoint,
  request: ServiceRequest,
  source: Source,
  verification: Verification | undefined,
): Promise<ServiceResponse> {
  const submission = submissionIn(entry, request, source);
  if (verification === undefined) throw new Refusal('cannot-verify', NO_VERIFICATION);
  if (!isResult(entry)) return success([await verification.submit(submission)]);
  return success([verification.result(submission.values.get('guid') ?? '')]);
}
