import type { Effects } from '../../effects.ts';
import { momentText } from '../../pipeline/syntax/duration.ts';
import type { LimitReached, RequestLimits } from './request-limits.ts';

/** The daily quota of a key, which all its runs share. */
export interface Quota {
  /** Most requests per day, in UTC. */
  readonly perDay: number;
  /** Counts a request that is sent now, or refuses it until the next day. */
  take(): TakenRequest | Promise<TakenRequest>;
}

export type TakenRequest =
  | { readonly isGranted: true; readonly left: number }
  | { readonly isGranted: false; readonly untilMs: number; readonly reason?: string };

/** A request that is not sent: for ever, or before a time. */
export type Refused =
  | { readonly outcome: 'limit'; readonly reached: LimitReached }
  | { readonly outcome: 'quota'; readonly untilMs: number };

/** A long wait: requested with Retry-After, or until the next day of the own quota. */
export interface LongWait {
  readonly waitMs: number;
  /** End of the wait in Unix milliseconds, by the local clock. */
  readonly untilMs: number;
  /** The code and message of the service, without secrets. */
  readonly reason: string;
  /** Set if windrow itself waits, for its quota. */
  readonly isOwn?: true;
}

export interface AdmissionOptions {
  readonly effects: Pick<Effects, 'now'>;
  readonly limits?: RequestLimits;
  readonly quota?: Quota | undefined;
  /** The longest wait for the next day; a run without one ends instead. */
  readonly maxWaitMs?: number | undefined;
  readonly onLongWait?: (wait: LongWait) => void;
}

/** Requests at the end of a day that are kept for slices under way. */
const KEPT_REQUESTS = 20;
const KEPT_SHARE = 0.05;

/** Counts each request before it is sent, by the limits of the run and by the quota. */
export class Admission {
  readonly #options: AdmissionOptions;
  #announcedMs = Number.NEGATIVE_INFINITY;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Why the request may not be sent; undefined if it was counted and must be sent. */
  async refusal(): Promise<Refused | undefined> {
    const { limits, quota } = this.#options;
    const taken = limits?.refusal() === undefined ? await quota?.take() : undefined;
    // Other requests may have been counted meanwhile.
    const reached = limits?.refusal();
    if (reached !== undefined) return { outcome: 'limit', reached };
    if (taken?.isGranted === false) return this.#usedUp(taken);
    limits?.sent();
    if (quota !== undefined && taken !== undefined) this.#keepRest(quota, taken.left);
    return undefined;
  }

  #usedUp(taken: { readonly untilMs: number; readonly reason?: string }): Refused {
    const { effects, limits, quota, maxWaitMs = 0, onLongWait } = this.#options;
    const { untilMs, reason = `the quota of ${quota?.perDay} requests a day is used up` } = taken;
    const waitMs = untilMs - effects.now();
    if (waitMs <= maxWaitMs) {
      if (untilMs > this.#announcedMs) onLongWait?.({ waitMs, untilMs, reason, isOwn: true });
      this.#announcedMs = untilMs;
      return { outcome: 'quota', untilMs };
    }
    const reached = {
      limit: 'quota',
      message: `${reason} until ${momentText(untilMs)}`,
    } as const;
    limits?.end(reached);
    return { outcome: 'limit', reached };
  }

  /** Ends the run before the quota does, unless the run may wait for the next day. */
  #keepRest({ perDay }: Quota, left: number): void {
    const { limits, maxWaitMs = 0 } = this.#options;
    const kept = Math.min(KEPT_REQUESTS, Math.floor(perDay * KEPT_SHARE));
    if (maxWaitMs > 0 || left > kept) return;
    limits?.end({
      limit: 'quota',
      message: `the quota of ${perDay} requests a day is used up until 00:00 UTC`,
    });
  }
}
