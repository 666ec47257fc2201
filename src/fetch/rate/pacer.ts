import type { Effects } from '../../effects.ts';
import { memoryCell } from './cell/memory-cell.ts';
import type { PaceCell } from './cell/pace-cell.ts';
import { KeyPace, type OutcomeReport } from './key-pace.ts';
import { failed, granted, rejected, scheduledMs } from './pace.ts';
import type { PaceRecord, PaceState } from './pace-record.ts';
import type { SentRequest } from './rate-probe.ts';

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
  /** The rate of all processes with the key, up to the limit of this one. */
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
  readonly memory?: PacerMemory | undefined;
  /** The pace of all processes with the key. Default: this process is alone. */
  readonly cell?: PaceCell<PaceRecord> | undefined;
}

const DEFAULT_START_PER_SECOND = 2;
const START_BELOW_MEMORY = 0.8;
const IN_FLIGHT_MARGIN = 1.5;
const IN_FLIGHT_SPARE = 2;
/** All that clients know of a rate limiter. */
export type RateLimiter = Pick<Pacer, 'permit' | 'inFlightLimit' | 'explain'>;

/** Weight of the past in the explanation, applied once per request. */
const FORGETTING = 0.95;

interface Waiter {
  resolve(permit: Permit): void;
  reject(error: unknown): void;
  readonly release: () => void;
}

export class Pacer {
  readonly #effects: Effects;
  readonly #key: KeyPace;
  readonly #maxPerSecond: number;
  readonly #waiters = new Set<Waiter>();
  readonly #limitedMs: Record<LimitedBy, number> = { rate: 0, concurrency: 0, 'server latency': 0 };
  #limitedBy: LimitedBy = 'concurrency';
  #limitedSinceMs: number;
  #inFlight = 0;
  /** Scheduled time of the last request of this process. */
  #lastMs = 0;
  #wake: { readonly atMs: number; readonly abort: AbortController } | undefined;

  constructor({ effects: localEffects, startPerSecond, maxPerSecond, memory, cell }: PacerOptions) {
    const effects = cell?.now === undefined ? localEffects : { ...localEffects, now: cell.now };
    this.#effects = effects;
    this.#limitedSinceMs = effects.now();
    this.#maxPerSecond = maxPerSecond ?? Number.POSITIVE_INFINITY;
    const ceiling = memory?.ceilingPerSecond ?? undefined;
    const options = {
      startPerSecond:
        ceiling === undefined
          ? (startPerSecond ?? DEFAULT_START_PER_SECOND)
          : START_BELOW_MEMORY * ceiling,
      maxPerSecond: this.#maxPerSecond,
      random: () => effects.random(),
    };
    this.#key = new KeyPace(cell ?? memoryCell(), ceiling, options, effects);
  }

  /**
   * Resolves when the next request may be sent, in the order of the calls. Rejects where the pace
   * that processes share cannot be reached: without it, no request is sent.
   */
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
      const waiter: Waiter = { resolve, reject, release };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
      this.#pump();
    });
  }

  /** Most requests in flight, at the current rate and latency. */
  inFlightLimit(): number {
    const underWay = (this.#ratePerSecond * this.#key.pace.throughput.medianLatencyMs) / 1000;
    return Math.ceil(IN_FLIGHT_MARGIN * underWay) + IN_FLIGHT_SPARE;
  }

  explain(): PacerExplanation {
    this.#account(this.#effects.now());
    const causes = Object.keys(this.#limitedMs) as LimitedBy[];
    return {
      state: this.#key.pace.state,
      ratePerSecond: this.#ratePerSecond,
      ceilingPerSecond: this.memory().ceilingPerSecond,
      limitedBy: causes.reduce((a, b) => (this.#limitedMs[b] > this.#limitedMs[a] ? b : a)),
      inFlight: this.#inFlight,
      waiting: this.#waiters.size,
      medianLatencyMs: this.#key.pace.throughput.medianLatencyMs,
    };
  }

  memory(): PacerMemory {
    const { ceiling } = this.#key.pace;
    return { ceilingPerSecond: Number.isFinite(ceiling) ? ceiling : null };
  }

  get #ratePerSecond(): number {
    return Math.min(this.#key.pace.rate, this.#maxPerSecond);
  }

  /** Sends every request that may leave now, and schedules a wake-up for the next one. */
  #pump(): void {
    const nowMs = this.#effects.now();
    this.#account(nowMs);
    if (this.#key.isVisiting) return;
    this.#key.keepTurns(this.#waiters.size + this.#key.returning(this.#inFlight), nowMs);
    if (this.#key.isUrgent) {
      this.#visit();
      return;
    }
    for (const waiter of this.#waiters) {
      const nowMs = this.#effects.now();
      if (this.#inFlight >= this.inFlightLimit()) {
        this.#limitedBy = 'server latency';
        this.#wakeAt(Number.POSITIVE_INFINITY);
        return;
      }
      const turn = this.#key.turns[0];
      if (turn === undefined && this.#key.isVisitDue(nowMs)) {
        this.#visit();
        return;
      }
      // A later time is that of a clock that was set back.
      this.#lastMs = Math.min(this.#lastMs, nowMs);
      const freeMs = this.#lastMs + 1000 / this.#ratePerSecond;
      const atMs = turn === undefined ? this.#key.visitAtMs : Math.max(turn.atMs, freeMs);
      if (turn === undefined || atMs > nowMs) {
        this.#limitedBy = 'rate';
        this.#wakeAt(atMs);
        return;
      }
      this.#key.turns.shift();
      this.#letGo(waiter, turn.sent, nowMs);
    }
    this.#limitedBy = 'concurrency';
    this.#wakeAt(Number.POSITIVE_INFINITY);
  }

  #visit(): void {
    this.#key.visit(this.#waiters.size, this.#inFlight).then(
      () => this.#pump(),
      (error: unknown) => this.#refuseAll(error),
    );
  }

  #refuseAll(error: unknown): void {
    for (const waiter of this.#waiters) {
      waiter.release();
      waiter.reject(error);
    }
    this.#waiters.clear();
  }

  /** Adds the time since the last call to the cause that was found then. */
  #account(nowMs: number): void {
    this.#limitedMs[this.#limitedBy] += nowMs - this.#limitedSinceMs;
    this.#limitedSinceMs = nowMs;
  }

  #letGo(waiter: Waiter, sent: SentRequest, nowMs: number): void {
    this.#waiters.delete(waiter);
    waiter.release();
    this.#lastMs = scheduledMs(this.#lastMs, this.#ratePerSecond, nowMs);
    for (const cause of Object.keys(this.#limitedMs) as LimitedBy[]) {
      this.#limitedMs[cause] *= FORGETTING;
    }
    this.#inFlight += 1;
    waiter.resolve(this.#permitFor({ ...sent, atMs: nowMs }));
  }

  #permitFor(sent: SentRequest): Permit {
    let hasReported = false;
    const report = (outcome: OutcomeReport, isUrgent: boolean): void => {
      if (hasReported) return;
      hasReported = true;
      this.#inFlight -= 1;
      this.#key.report(outcome, isUrgent);
      this.#pump();
    };
    const isTrial = this.#key.pace.state === 'wait';
    return {
      succeeded: (latencyMs) =>
        report((pace, nowMs) => granted(pace, nowMs, sent, latencyMs), isTrial),
      rejected: (refusal) =>
        report((pace, nowMs, { random }) => {
          rejected(pace, nowMs, sent, { ...refusal, random });
        }, true),
      failed: () => report((pace, nowMs, { random }) => failed(pace, nowMs, sent, random), isTrial),
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
