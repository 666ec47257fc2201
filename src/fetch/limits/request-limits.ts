import type { Effects } from '../../effects.ts';
import type { RunLimits } from '../../pipeline/run-limits.ts';
import { durationText } from '../../pipeline/syntax/duration.ts';

/** The bound or quota that ended a run before the end of its plan. */
export interface LimitReached {
  readonly limit: 'requests' | 'time' | 'quota';
  /** A clause without a full stop. */
  readonly message: string;
}

/**
 * The last part of a bound is kept for slices that are under way, so that their records land: from
 * then on no slice is started.
 */
const KEPT_SHARE = 0.05;
const MIN_KEPT_REQUESTS = 3;

/** Counts the requests and the time of a run, and says when it must end. */
export class RequestLimits {
  readonly #bounds: Partial<RunLimits>;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  readonly #closing = new AbortController();
  #requests = 0;
  #reached: LimitReached | undefined;

  constructor(bounds: Partial<RunLimits> = {}) {
    this.#bounds = bounds;
  }

  /** The time of the run begins; `close` ends the timer. */
  start(effects: Pick<Effects, 'sleep'>): void {
    const { forMs } = this.#bounds;
    if (forMs !== undefined) this.#watchTime(forMs, effects).catch(() => undefined);
  }

  /** Aborted when no other slice may be started. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Calls the listener when open requests must end, too. */
  onOver(listener: (reached: LimitReached) => void): void {
    this.#over.signal.addEventListener('abort', () => {
      if (this.#reached !== undefined) listener(this.#reached);
    });
  }

  /** The limit that ends the run; undefined while none does. */
  get reached(): LimitReached | undefined {
    return this.#reached;
  }

  /** The limit that forbids the next request; undefined if it may be sent. */
  refusal(): LimitReached | undefined {
    const { maxRequests = Number.POSITIVE_INFINITY } = this.#bounds;
    const isOver = this.#over.signal.aborted || this.#requests >= maxRequests;
    return isOver ? this.#reached : undefined;
  }

  /** Counts a request that is sent. */
  sent(): void {
    this.#requests += 1;
    const { maxRequests } = this.#bounds;
    if (maxRequests === undefined) return;
    const kept = Math.max(MIN_KEPT_REQUESTS, Math.floor(maxRequests * KEPT_SHARE));
    if (this.#requests < maxRequests - kept) return;
    this.end({ limit: 'requests', message: `its limit of ${maxRequests} requests is used up` });
  }

  /** No other slice is started. */
  end(reached: LimitReached): void {
    this.#reached ??= reached;
    this.#ending.abort(new Error('a limit of the run was reached'));
  }

  close(): void {
    this.#closing.abort(new Error('closed'));
  }

  async #watchTime(forMs: number, effects: Pick<Effects, 'sleep'>): Promise<void> {
    const { signal } = this.#closing;
    const keptMs = forMs * KEPT_SHARE;
    await effects.sleep(forMs - keptMs, signal);
    this.end({ limit: 'time', message: `its time of ${durationText(forMs)} is used up` });
    await effects.sleep(keptMs, signal);
    this.#over.abort(new Error('a limit of the run was reached'));
  }
}
