import type { RpcMethod } from '../../catalogue/rpc/rpc-method.ts';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { MAX_ATTEMPTS, retryDelayMs } from '../http/retries.ts';
import type { Admission } from '../limits/admission.ts';
import type { RateLimiter } from '../rate/pacer.ts';
import { asTransportFailure } from '../transport/failures.ts';
import type { HttpSource } from '../transport/transport.ts';
import { type RpcOutcome, type RpcReply, rpcOutcomeOf } from './rpc-reply.ts';

export interface RpcCall {
  readonly entry: Pick<RpcMethod, 'method'>;
  readonly params: readonly unknown[];
}

export interface RpcClientOptions {
  readonly transport: HttpSource;
  /** For messages. */
  readonly origin: string;
  readonly words?: { readonly subject: string; readonly setting: string };
  /** Calls per request at first; by default 50. */
  readonly batchCalls?: number;
  /** A request that has failed is not sent again after this time. */
  readonly patienceMs?: number;
  /** The pacer of the source, so that lists and calls share one rate. */
  readonly pacer: RateLimiter;
  readonly admission: Admission;
  readonly effects: Effects;
}

/** Calls per request at first. */
const BATCH_CALLS = 50;
/** Refusals for the rate limit in a row, before a request is given up. */
const MAX_THROTTLES = 20;

/**
 * A client of a JSON-RPC endpoint. Calls are sent in batches. A service that refuses a batch gets
 * smaller ones from then on, down to single calls. A request counts once for the pacer, the limits
 * of the run and the quota, however many calls it has.
 */
export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #words: { readonly subject: string; readonly setting: string };
  #batchCalls: number;
  #requests = 0;

  constructor(options: RpcClientOptions) {
    this.#options = options;
    this.#batchCalls = options.batchCalls ?? BATCH_CALLS;
    this.#words = options.words ?? { subject: 'The pending state', setting: 'pending.url' };
  }

  /** Number of requests sent. */
  get requests(): number {
    return this.#requests;
  }

  /** The replies in the order of the calls. Throws a Fault, or the reason of the signal. */
  async call(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcReply[]> {
    const replies: RpcReply[] = [];
    while (replies.length < calls.length) {
      const batch = calls.slice(replies.length, replies.length + this.#batchCalls);
      const answer = await this.#persist(batch, signal);
      if (answer.outcome === 'replies') replies.push(...answer.replies);
      else if (batch.length > 1) this.#batchCalls = Math.floor(batch.length / 2);
      else throw this.#fault('refused', `refuses ${batch[0]?.entry.method} (${answer.reason})`);
    }
    return replies;
  }

  /** Sends a batch until the service answers it or refuses it. */
  async #persist(
    batch: readonly RpcCall[],
    signal: AbortSignal,
  ): Promise<Extract<RpcOutcome, { outcome: 'replies' | 'refused' }>> {
    const { effects, patienceMs = Number.POSITIVE_INFINITY } = this.#options;
    const lastMs = effects.now() + patienceMs;
    let [failures, throttles] = [0, 0];
    for (;;) {
      const answer = await this.#attempt(batch, signal);
      if (answer.outcome === 'replies' || answer.outcome === 'refused') return answer;
      const isLate = effects.now() >= lastMs;
      if (answer.outcome === 'throttle') {
        throttles += 1;
        if (throttles >= MAX_THROTTLES || isLate) {
          throw this.#fault('throttled', `refused ${throttles} requests in a row for their rate`);
        }
        continue;
      }
      failures += 1;
      if (failures >= MAX_ATTEMPTS || isLate) {
        throw this.#fault('unreachable', `does not answer (${answer.reason})`);
      }
      await effects.sleep(
        retryDelayMs(failures, () => effects.random()),
        signal,
      );
    }
  }

  async #attempt(batch: readonly RpcCall[], signal: AbortSignal): Promise<RpcOutcome> {
    const { pacer, effects, transport } = this.#options;
    const permit = await pacer.permit(signal);
    try {
      await this.#admitted(signal);
      const sentMs = effects.now();
      this.#requests += 1;
      const request = {
        method: 'POST',
        target: transport.basePath === '' ? '/' : transport.basePath,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: bodyOf(batch),
      } as const;
      const answer = rpcOutcomeOf(await transport.send(request, signal), batch.length);
      if (answer.outcome === 'throttle') permit.rejected(answer);
      else if (answer.outcome !== 'transient') permit.succeeded(effects.now() - sentMs);
      return answer;
    } catch (error) {
      if (error instanceof Fault) throw error;
      signal.throwIfAborted();
      return { outcome: 'transient', reason: asTransportFailure(error).message };
    } finally {
      // Has an effect only where the permit has not ended.
      permit.failed();
    }
  }

  /** Waits for the quota of the key. Throws a Fault where the run may send no more requests. */
  async #admitted(signal: AbortSignal): Promise<void> {
    const { admission, effects } = this.#options;
    for (;;) {
      const refused = await admission.refusal();
      if (refused === undefined) return;
      if (refused.outcome === 'limit') {
        throw new Fault(
          'limited',
          `${this.#words.subject} is not read: ${refused.reached.message}.`,
          {
            advice: 'Readings so far are kept. Raise the limit if every run ends like this.',
          },
        );
      }
      await effects.sleep(Math.max(0, refused.untilMs - effects.now()), signal);
    }
  }

  #fault(kind: 'refused' | 'throttled' | 'unreachable', problem: string): Fault {
    return new Fault(kind, `The JSON-RPC endpoint ${this.#options.origin} ${problem}.`, {
      advice:
        `Check ${this.#words.setting} in the pipeline, and that its service is up. ` +
        'Readings are kept.',
    });
  }
}

/** A single call is not wrapped, so that services without batches answer it. */
function bodyOf(batch: readonly RpcCall[]): string {
  const calls = batch.map(({ entry, params }, id) => {
    return { jsonrpc: '2.0', id, method: entry.method, params };
  });
  return JSON.stringify(calls.length === 1 ? calls[0] : calls);
}
