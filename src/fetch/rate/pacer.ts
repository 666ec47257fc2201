import type { Effects } from '../../effects.ts';
import { Demand } from './demand.ts';
import { Pace, type PaceState } from './pace.ts';
import type { SentRequest } from './rate-probe.ts';
import type { SharedPace } from './shared-pace.ts';

/**
 * Permission to send one request now. One of the reports must end it; later reports are ignored.
 */
export interface Permit {
  /** The source answered the request after `latencyMs`. */
  succeeded(latencyMs: number): void;
  /**
   * The source refused the request for its rate limit, or seemed to. Below the floor, the rate is
   * not the cause.
   */
  rejected(report: { readonly retryAfterMs?: number; readonly floorPerSecond?: number }): void;
  /** Any other end: a lost connection, an aborted request, an error of the source. */
  failed(): void;
}

/** The state that a pacer keeps between runs, as plain JSON. */
interface PacerMemory {
  /** Highest rate that the source is known to accept; null before the first rejection. */
  readonly ceilingPerSecond: number | null;
}

type LimitedBy = 'rate' | 'concurrency' | 'server latency';

export interface PacerExplanation {
  readonly state: PaceState;
  readonly ratePerSecond: number;
  /** null before the first rejection. */
  readonly ceilingPerSecond: number | null;
  /**
   * The cause that limited the recent rate most of the time; `concurrency` where demand was too
   * low.
   */
  readonly limitedBy: LimitedBy;
  readonly inFlight: number;
  readonly waiting: number;
  readonly medianLatencyMs: number;
}

export interface PacerOptions {
  readonly effects: Effects;
  /**
   * The initial rate for a source that is known to be fast. Ignored once a ceiling has been
   * learned.
   */
  readonly startPerSecond?: number;
  /** The user's own limit. */
  readonly maxPerSecond?: number;
  readonly memory?: PacerMemory;
  /** Default: the process is alone. */
  readonly shared?: SharedPace;
}

export interface Pacer {
  /** Resolves when the next request may be sent, in the order of the calls. */
  permit(signal?: AbortSignal): Promise<Permit>;
  /** Most requests in flight, at the current rate and latency. */
  inFlightLimit(): number;
  explain(): PacerExplanation;
  memory(): PacerMemory;
}

const DEFAULT_START_PER_SECOND = 2;
const START_BELOW_MEMORY = 0.8;
const IN_FLIGHT_MARGIN = 1.5;
const IN_FLIGHT_SPARE = 2;
/**
 * Up to this rate no two requests are sent together; above it timers are too coarse to separate
 * them.
 */
const STRICT_PER_SECOND = 500;
const CREDIT_MS = 8;
/** A sleeping pacer wakes at least this often, because the rate may have risen. */
const LONGEST_SLEEP_MS = 1000;
/** Pause before another look whether the process has a share of the common rate. */
const NO_SHARE_MS = 50;
/** Weight of the past in the explanation, applied once per request. */
const FORGETTING = 0.95;

export function createPacer(options: PacerOptions): Pacer {
  return new FifoPacer(options);
}

interface Waiter {
  resolve(permit: Permit): void;
  readonly release: () => void;
}

class FifoPacer implements Pacer {
  readonly #effects: Effects;
  readonly #pace: Pace;
  readonly #waiters = new Set<Waiter>();
  readonly #limitedMs: Record<LimitedBy, number> = { rate: 0, concurrency: 0, 'server latency': 0 };
  #limitedBy: LimitedBy = 'concurrency';
  #limitedSinceMs: number;
  #inFlight = 0;
  readonly #shared: SharedPace | undefined;
  readonly #demand = new Demand();
  #isRenewing = false;
  /** Scheduled time of the last request, from which the next one is spaced. */
  #lastMs = Number.NEGATIVE_INFINITY;
  #wake: { readonly atMs: number; readonly abort: AbortController } | undefined;

  constructor({ effects, startPerSecond, maxPerSecond, memory, shared }: PacerOptions) {
    this.#shared = shared;
    this.#effects = effects;
    this.#limitedSinceMs = effects.now();
    const ceiling = sensible(memory?.ceilingPerSecond);
    const start =
      ceiling === undefined
        ? (startPerSecond ?? DEFAULT_START_PER_SECOND)
        : START_BELOW_MEMORY * ceiling;
    this.#pace = new Pace({
      startPerSecond: start,
      maxPerSecond: maxPerSecond ?? Number.POSITIVE_INFINITY,
      ...(ceiling === undefined ? {} : { ceilingPerSecond: ceiling }),
      nowMs: effects.now(),
      random: () => effects.random(),
    });
  }

  permit(signal?: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const leave = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
        this.#pump();
      };
      const release = (): void => signal?.removeEventListener('abort', leave);
      const waiter: Waiter = { resolve, release };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
      this.#pump();
    });
  }

  inFlightLimit(): number {
    const { ratePerSecond, medianLatencyMs } = this.#pace;
    const underWay = (ratePerSecond * medianLatencyMs) / 1000;
    return Math.ceil(IN_FLIGHT_MARGIN * underWay) + IN_FLIGHT_SPARE;
  }

  explain(): PacerExplanation {
    const { state, ratePerSecond, medianLatencyMs } = this.#pace;
    this.#account(this.#effects.now());
    const causes = Object.keys(this.#limitedMs) as LimitedBy[];
    return {
      state,
      ratePerSecond,
      ceilingPerSecond: this.memory().ceilingPerSecond,
      limitedBy: causes.reduce((a, b) => (this.#limitedMs[b] > this.#limitedMs[a] ? b : a)),
      inFlight: this.#inFlight,
      waiting: this.#waiters.size,
      medianLatencyMs,
    };
  }

  memory(): PacerMemory {
    const ceiling = this.#pace.ceilingPerSecond;
    return { ceilingPerSecond: Number.isFinite(ceiling) ? ceiling : null };
  }

  /** Sends every request that may leave now, and schedules a wake-up for the next one. */
  #pump(): void {
    this.#account(this.#effects.now());
    for (const waiter of this.#waiters) {
      const nowMs = this.#effects.now();
      this.#pace.advance(nowMs);
      this.#renewShare(nowMs);
      if (this.#shared?.shareAt(nowMs) === 0) {
        this.#limitedBy = 'rate';
        this.#wakeAt(nowMs + NO_SHARE_MS);
        return;
      }
      if (this.#inFlight >= this.inFlightLimit()) {
        this.#limitedBy = 'server latency';
        this.#wakeAt(Number.POSITIVE_INFINITY);
        return;
      }
      const atMs = Math.max(this.#pace.openAtMs, this.#lastMs + 1000 / this.#pace.ratePerSecond);
      if (atMs > nowMs) {
        this.#limitedBy = 'rate';
        this.#demand.waits();
        this.#wakeAt(Math.min(atMs, nowMs + LONGEST_SLEEP_MS));
        return;
      }
      this.#letGo(waiter, nowMs);
    }
    this.#limitedBy = 'concurrency';
    this.#wakeAt(Number.POSITIVE_INFINITY);
  }

  /** Renews the share of this process, and takes what other processes have learned. */
  #renewShare(nowMs: number): void {
    const shared = this.#shared;
    if (shared === undefined || this.#isRenewing || !shared.isDue(nowMs)) return;
    this.#isRenewing = true;
    const { common } = this.#pace;
    shared.renew(common, this.#demand.shareOf(common.ratePerSecond, nowMs)).then(
      ({ share, isLeader, others }) => {
        this.#isRenewing = false;
        this.#pace.share(this.#effects.now(), share, isLeader, others);
        this.#pump();
      },
      () => {
        this.#isRenewing = false;
      },
    );
  }

  /** Adds the time since the last call to the cause that was found then. */
  #account(nowMs: number): void {
    this.#limitedMs[this.#limitedBy] += nowMs - this.#limitedSinceMs;
    this.#limitedSinceMs = nowMs;
  }

  #letGo(waiter: Waiter, nowMs: number): void {
    this.#waiters.delete(waiter);
    waiter.release();
    const spacingMs = 1000 / this.#pace.ratePerSecond;
    // A late timer shortens the next spacing, but never lets two requests leave at once.
    const strict = this.#pace.ratePerSecond <= STRICT_PER_SECOND;
    const creditMs = strict ? Math.min(spacingMs / 2, CREDIT_MS) : CREDIT_MS;
    this.#lastMs = Math.max(this.#lastMs + spacingMs, nowMs - creditMs);
    for (const cause of Object.keys(this.#limitedMs) as LimitedBy[]) {
      this.#limitedMs[cause] *= FORGETTING;
    }
    this.#inFlight += 1;
    this.#demand.sent();
    waiter.resolve(this.#permitFor(this.#pace.sent(nowMs)));
  }

  #permitFor(sent: SentRequest): Permit {
    let reported = false;
    const report = (tell: (nowMs: number) => void): void => {
      if (reported) return;
      reported = true;
      this.#inFlight -= 1;
      tell(this.#effects.now());
      this.#pump();
    };
    return {
      succeeded: (latencyMs) => report((nowMs) => this.#pace.granted(nowMs, sent, latencyMs)),
      rejected: ({ retryAfterMs, floorPerSecond }) =>
        report((nowMs) => this.#pace.rejected(nowMs, sent, retryAfterMs, floorPerSecond)),
      failed: () => report((nowMs) => this.#pace.failed(nowMs, sent)),
    };
  }

  /** Sleeps until `atMs` or a little earlier; Infinity cancels the sleep, so no timer remains. */
  #wakeAt(atMs: number): void {
    if (this.#wake !== undefined && this.#wake.atMs <= atMs && atMs < Number.POSITIVE_INFINITY) {
      return;
    }
    this.#wake?.abort.abort();
    this.#wake = undefined;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const wake = { atMs, abort: new AbortController() };
    this.#wake = wake;
    this.#effects.sleep(Math.ceil(atMs - this.#effects.now()), wake.abort.signal).then(
      () => {
        if (this.#wake === wake) this.#wake = undefined;
        this.#pump();
      },
      () => {},
    );
  }
}

/** The remembered value comes from a file and may be invalid. */
function sensible(ceilingPerSecond: number | null | undefined): number | undefined {
  const ceiling = ceilingPerSecond ?? 0;
  return Number.isFinite(ceiling) && ceiling > 0 ? ceiling : undefined;
}
