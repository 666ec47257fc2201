import type { Effects } from '../../effects.ts';
import { Pace, type PaceState } from './pace.ts';
import type { Sent } from './rate-probe.ts';

/** Leave to send one request now. Exactly one of the reports ends it; later ones are ignored. */
export interface Permit {
  /** The source did the work asked, after `latencyMs`. */
  succeeded(latencyMs: number): void;
  /** The source refused for its rate limit, or seemed to: below the floor, the cause is another. */
  rejected(report: { readonly retryAfterMs?: number; readonly floorPerSecond?: number }): void;
  /** Anything else: a lost connection, an aborted request, an error of the source. */
  failed(): void;
}

/** What a pacer keeps between runs, as plain JSON. */
interface PacerMemory {
  /** Highest rate the source is known to bear; null while no rejection was ever met. */
  readonly ceilingPerSecond: number | null;
}

type LimitedBy = 'rate' | 'concurrency' | 'server latency';

export interface PacerExplanation {
  readonly state: PaceState;
  readonly ratePerSecond: number;
  /** null while no rejection was ever met. */
  readonly ceilingPerSecond: number | null;
  /** What most of the time went by for lately; `concurrency` where too little was asked for. */
  readonly limitedBy: LimitedBy;
  readonly inFlight: number;
  readonly waiting: number;
  readonly medianLatencyMs: number;
}

export interface PacerOptions {
  readonly effects: Effects;
  /** For a source that is known to be fast. Not used once a ceiling has been learned. */
  readonly startPerSecond?: number;
  /** The user's own limit. */
  readonly maxPerSecond?: number;
  readonly memory?: PacerMemory;
}

export interface Pacer {
  /** Resolves, first come first served, when the next request may leave. */
  permit(signal?: AbortSignal): Promise<Permit>;
  /** How many requests may be under way at once, at the rate and latency of the moment. */
  inFlightLimit(): number;
  explain(): PacerExplanation;
  memory(): PacerMemory;
}

const DEFAULT_START_PER_SECOND = 2;
const START_BELOW_MEMORY = 0.8;
const IN_FLIGHT_MARGIN = 1.5;
const IN_FLIGHT_SPARE = 2;
/** Up to this rate no two requests leave together; above it timers are too coarse to part them. */
const STRICT_PER_SECOND = 500;
const CREDIT_MS = 8;
/** A sleeping pacer looks again this often, because the rate may have grown. */
const LONGEST_SLEEP_MS = 1000;
/** With every request, what went before it weighs a little less in the explanation. */
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
  readonly #heldMs: Record<LimitedBy, number> = { rate: 0, concurrency: 0, 'server latency': 0 };
  #heldBy: LimitedBy = 'concurrency';
  #heldSinceMs: number;
  #inFlight = 0;
  /** When the last request should have left; the next one is spaced from it. */
  #lastMs = Number.NEGATIVE_INFINITY;
  #wake: { readonly atMs: number; readonly abort: AbortController } | undefined;

  constructor({ effects, startPerSecond, maxPerSecond, memory }: PacerOptions) {
    this.#effects = effects;
    this.#heldSinceMs = effects.now();
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
    const causes = Object.keys(this.#heldMs) as LimitedBy[];
    return {
      state,
      ratePerSecond,
      ceilingPerSecond: this.memory().ceilingPerSecond,
      limitedBy: causes.reduce((a, b) => (this.#heldMs[b] > this.#heldMs[a] ? b : a)),
      inFlight: this.#inFlight,
      waiting: this.#waiters.size,
      medianLatencyMs,
    };
  }

  memory(): PacerMemory {
    const ceiling = this.#pace.ceilingPerSecond;
    return { ceilingPerSecond: Number.isFinite(ceiling) ? ceiling : null };
  }

  /** Lets go every request that may leave now, and sees to it that the next is not forgotten. */
  #pump(): void {
    this.#account(this.#effects.now());
    for (const waiter of this.#waiters) {
      const nowMs = this.#effects.now();
      this.#pace.advance(nowMs);
      if (this.#inFlight >= this.inFlightLimit()) {
        this.#heldBy = 'server latency';
        this.#wakeAt(Number.POSITIVE_INFINITY);
        return;
      }
      const atMs = Math.max(this.#pace.openAtMs, this.#lastMs + 1000 / this.#pace.ratePerSecond);
      if (atMs > nowMs) {
        this.#heldBy = 'rate';
        this.#wakeAt(Math.min(atMs, nowMs + LONGEST_SLEEP_MS));
        return;
      }
      this.#letGo(waiter, nowMs);
    }
    this.#heldBy = 'concurrency';
    this.#wakeAt(Number.POSITIVE_INFINITY);
  }

  /** The time since it was last asked went by for the reason that was found then. */
  #account(nowMs: number): void {
    this.#heldMs[this.#heldBy] += nowMs - this.#heldSinceMs;
    this.#heldSinceMs = nowMs;
  }

  #letGo(waiter: Waiter, nowMs: number): void {
    this.#waiters.delete(waiter);
    waiter.release();
    const spacingMs = 1000 / this.#pace.ratePerSecond;
    // A timer that fired late is made good by the next request, but never by two at once.
    const strict = this.#pace.ratePerSecond <= STRICT_PER_SECOND;
    const creditMs = strict ? Math.min(spacingMs / 2, CREDIT_MS) : CREDIT_MS;
    this.#lastMs = Math.max(this.#lastMs + spacingMs, nowMs - creditMs);
    for (const cause of Object.keys(this.#heldMs) as LimitedBy[]) {
      this.#heldMs[cause] *= FORGETTING;
    }
    this.#inFlight += 1;
    waiter.resolve(this.#permitFor(this.#pace.sent(nowMs)));
  }

  #permitFor(sent: Sent): Permit {
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

  /** Sleeps until `atMs` or a little before; Infinity ends the sleep, so nothing keeps running. */
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

/** What is remembered comes from a file, which may say anything. */
function sensible(ceilingPerSecond: number | null | undefined): number | undefined {
  const ceiling = ceilingPerSecond ?? 0;
  return Number.isFinite(ceiling) && ceiling > 0 ? ceiling : undefined;
}
