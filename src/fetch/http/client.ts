import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import type { Endpoint } from '../../catalogue/entry.ts';
import type { Effects } from '../../effects.ts';
import { Admission, type LongWait, type Quota } from '../limits/admission.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { Permit, RateLimiter } from '../rate/pacer.ts';
import type { HttpResponse, Transport } from '../transport/transport.ts';
import {
  type Attempt,
  type CallFailure,
  failureOf,
  limitFailure,
  unanswered,
} from './call-failure.ts';
import type { CallOptions, PageReply } from './caller.ts';
import { type CodeTable, codeTable, TIMESTAMP_CODES } from './codes.ts';
import { EMPTY_REPLY, openEnvelope, type RefusedReply } from './envelope.ts';
import { FalseEmpties } from './false-empties.ts';
import { LastingRefusals, type RefusableCall } from './lasting-refusals.ts';
import { Patience } from './patience.ts';
import { type PostedBody, UncertainFailure } from './posted-body.ts';
import { type DeploymentNames, presentable, type SignedRequest, targetOf } from './request.ts';
import { MAX_ATTEMPTS, RETRY_PRIORITY, RetryBudget, retryDelayMs } from './retries.ts';
import { Signer, type SignerOptions } from './signer.ts';
import { type ClientStatistics, TrafficCounter } from './statistics.ts';

export interface ClientOptions extends DeploymentNames, SignerOptions {
  readonly transport: Transport;
  readonly pacer: RateLimiter;
  readonly effects: Effects;
  /** Origin of the service, for messages. */
  readonly origin?: string;
  /** Most requests in flight; the pacer may lower it. */
  readonly concurrency: number;
  /** Additions to the default table. */
  readonly codes?: CodeTable;
  /**
   * The longest Retry-After that is accepted; a longer one ends the source. 24 hours by default.
   */
  readonly maxWaitMs?: number | undefined;
  readonly onLongWait?: (wait: LongWait) => void;
  readonly limits?: RequestLimits;
  readonly quota?: Quota | undefined;
}

interface Call extends RefusableCall {
  readonly endpoint: Endpoint;
  readonly target: string;
  /** For messages. */
  readonly url: string | undefined;
  readonly priority: number;
  readonly body: PostedBody | undefined;
}

/** The client of a source, with the queue, clock and retry budget that all its calls share. */
export class Client {
  readonly #options: ClientOptions;
  readonly #codes: CodeTable;
  readonly #queue: PQueue;
  readonly #traffic = new TrafficCounter();
  readonly #budget = new RetryBudget();
  readonly #open = new Set<Call>();
  readonly #signer: Signer;
  readonly #patience: Patience;
  readonly #admission: Admission;
  #stopped: CallFailure | undefined;
  readonly #falseEmpties = new FalseEmpties();
  readonly #lasting: LastingRefusals<Call>;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#codes = codeTable(options.codes);
    this.#signer = new Signer(options);
    this.#queue = new PQueue({ concurrency: this.mostInFlight() });
    const endOpen = (failure: (endpoint: Endpoint) => CallFailure): void => {
      for (const call of this.#open) call.abort.abort(failure(call.endpoint));
    };
    this.#patience = new Patience({
      ...options,
      onStarved: (refusal) => endOpen((endpoint) => failureOf(endpoint, refusal)),
    });
    this.#admission = new Admission(options);
    this.#lasting = new LastingRefusals(options.effects);
    options.limits?.onOver((reached) => endOpen((endpoint) => limitFailure(endpoint, reached)));
  }

  statistics(): ClientStatistics {
    return this.#traffic.statistics();
  }

  /**
   * Sends one request, with retries. Throws a CallFailure, or the signal's reason when it is
   * aborted. After a failure that is `auth` or `stop` every call throws that failure.
   */
  async call(
    endpoint: Endpoint,
    params: Readonly<Record<string, string>>,
    { priority, signal, onFalseEmpty, body }: CallOptions,
  ): Promise<PageReply> {
    if (this.#stopped !== undefined) throw this.#stopped;
    signal?.throwIfAborted();
    const reached = this.#options.limits?.refusal();
    if (reached !== undefined) throw limitFailure(endpoint, reached);
    const target = targetOf(endpoint, params, this.#options);
    const abort = new AbortController();
    const { origin } = this.#options;
    const url = origin === undefined ? undefined : `${origin}${target.split('?')[0]}`;
    const answers = { onFalseEmpty, falseEmpties: 0, refusals: undefined };
    const call: Call = { endpoint, target, url, priority, abort, body, ...answers };
    const onAbort = (): void => call.abort.abort(signal?.reason);
    // All calls of a run share one signal, so the limit for listeners does not apply.
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#open.add(call);
    try {
      return await this.#persist(call);
    } catch (error) {
      throw body?.mayHaveArrived ? new UncertainFailure(error) : error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#open.delete(call);
      if (this.#open.size === 0) this.#patience.relieved();
    }
  }

  /** Sends attempts until one gives a reply, or a refusal that another attempt would not change. */
  async #persist(call: Call): Promise<PageReply> {
    const { path } = call.endpoint;
    const { signal } = call.abort;
    const { effects } = this.#options;
    let { priority } = call;
    for (let failures = 0; ; priority = call.priority + RETRY_PRIORITY) {
      const attempted = await this.#queue.add(() => this.#attempt(call), { priority, signal });
      switch (attempted.outcome) {
        case 'reply':
          return attempted.reply;
        case 'empty':
          return EMPTY_REPLY;
        case 'throttle':
          this.#traffic.retried(path, 'throttle');
          await this.#lasting.pause(call, (witness) =>
            this.#queue.add(() => this.#attempt(witness)),
          );
          break;
        case 'signature':
          this.#traffic.retried(path, 'timestamp');
          break;
        case 'quota':
          await effects.sleep(Math.max(0, attempted.untilMs - effects.now()), signal);
          break;
        case 'transient': {
          failures += 1;
          const price = attempted.code === 'timeout' ? 'timeout' : 'failure';
          const isLast = failures >= MAX_ATTEMPTS || call.body?.mayHaveArrived === true;
          if (isLast || !this.#budget.pay(price))
            throw failureOf(call.endpoint, attempted, call.url);
          this.#traffic.retried(path, 'transient');
          effects.log('debug', `${path}: attempt ${failures} failed (${attempted.code})`);
          await effects.sleep(
            retryDelayMs(failures, () => effects.random()),
            signal,
          );
          break;
        }
        case 'limit':
          throw limitFailure(call.endpoint, attempted.reached);
        case 'permanent':
        case 'lasting':
          throw failureOf(call.endpoint, attempted, call.url);
        default:
          throw this.#stop(call, attempted);
      }
    }
  }

  /** Sends one request and returns its outcome. */
  async #attempt(call: Call): Promise<Attempt> {
    const { pacer, effects, transport } = this.#options;
    const { signal } = call.abort;
    const permit = await pacer.permit(signal);
    try {
      this.#adjustConcurrency();
      const refused = await this.#admission.refusal();
      if (refused !== undefined) return refused;
      const { method } = call.endpoint;
      const body = call.body?.text ?? '';
      const signed = await this.#signer.sign(method, call.target, body);
      const sentMs = effects.now();
      this.#traffic.count(call.endpoint.path, 'requests');
      const type = body === '' ? {} : { 'content-type': 'application/json' };
      const headers = { accept: 'application/json', ...type, ...signed.headers };
      call.body?.sent();
      const response = await transport({ method, target: call.target, body, headers }, signal);
      const latencyMs = effects.now() - sentMs;
      const judged = await this.#judge(call, response, signed, sentMs);
      call.body?.answered(judged.outcome);
      if (judged.outcome === 'reply') this.#signer.accepted(signed);
      // The source is stopped before the permit is returned; otherwise the next request would be
      // sent with the same key.
      if (judged.outcome === 'auth' || judged.outcome === 'stop') this.#stop(call, judged);
      this.#report(call, permit, judged, latencyMs);
      return judged;
    } catch (error) {
      call.body?.failed(error);
      return unanswered(error);
    } finally {
      // Has an effect only where `#report` did not end the permit.
      permit.failed();
      this.#adjustConcurrency();
    }
  }

  async #judge(
    call: Call,
    response: HttpResponse,
    signed: SignedRequest,
    sentMs: number,
  ): Promise<Attempt> {
    const { effects } = this.#options;
    this.#traffic.count(call.endpoint.path, 'bytes', Buffer.byteLength(response.body));
    const outcome = openEnvelope(call.endpoint, response, this.#codes, effects.now());
    const opened = this.#lasting.judge(call, outcome, sentMs);
    if (opened.outcome === 'reply')
      return this.#falseEmpties.refusalOf(call, opened.reply) ?? opened;
    if (opened.outcome === 'auth') {
      const isTime = TIMESTAMP_CODES.has(opened.code);
      const isAnother = isTime
        ? this.#signer.isClockCorrected(response.headers['date'], signed)
        : await this.#signer.isRenewed(signed);
      if (isAnother) return { outcome: 'signature' };
    }
    const refusal = { ...opened, message: presentable(opened.message, signed) };
    const isThrottled = refusal.outcome === 'throttle' && !this.#lasting.isLone(call, refusal);
    return (isThrottled && this.#patience.refused(refusal)) || refusal;
  }

  #report(call: Call, permit: Permit, attempted: Attempt, latencyMs: number): void {
    const { path } = call.endpoint;
    switch (attempted.outcome) {
      case 'reply':
      case 'empty':
        this.#traffic.count(path, 'replies');
        this.#budget.earn();
        this.#patience.relieved();
        permit.succeeded(latencyMs);
        break;
      case 'throttle': {
        const { retryAfterMs } = attempted;
        this.#traffic.count(path, 'rejections');
        const { ratePerSecond } = this.#options.pacer.explain();
        const floorPerSecond = this.#falseEmpties.floorOf(attempted, ratePerSecond);
        const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
        const isOfRate = ratePerSecond > floorPerSecond && !this.#lasting.isLone(call, attempted);
        if (isOfRate) permit.rejected({ ...wait, floorPerSecond });
        else permit.failed();
        break;
      }
      case 'permanent':
        this.#patience.relieved();
        permit.succeeded(latencyMs);
        break;
      default:
        permit.failed();
    }
  }

  #stop(call: Call, refusal: RefusedReply): CallFailure {
    const stopped = this.#stopped ?? failureOf(call.endpoint, refusal, call.url);
    this.#stopped = stopped;
    for (const call of this.#open) call.abort.abort(stopped);
    return stopped;
  }

  /** One call more than the limit is queued at the pacer, so that the pacer knows of the demand. */
  mostInFlight(): number {
    return Math.min(this.#options.concurrency, this.#options.pacer.inFlightLimit() + 1);
  }

  #adjustConcurrency(): void {
    const most = this.mostInFlight();
    if (most !== this.#queue.concurrency) this.#queue.concurrency = most;
  }
}
