import { HOLD_BELOW_CEILING } from './pace-tuning.ts';
import type { RateProbe } from './rate-probe.ts';

/** The pace that the processes with one key have in common. */
export interface CommonPace {
  /** The rate of all processes together. */
  readonly ratePerSecond: number;
  /** The learned limit of all processes together; null before the first rejection. */
  readonly ceilingPerSecond: number | null;
  /** Whether a process tests if the limit is higher. */
  readonly isProbing: boolean;
  /** End of the longest Retry-After. */
  readonly blockedUntilMs: number;
}

/**
 * The share of one process in the common rate. One process, the leader, tests whether the limit is
 * higher; its probe raises the sum by a step, so the leader alone sends the requests of the step.
 */
export class RateShare {
  readonly #maxPerSecond: number;
  #share = 1;
  #isLeader = true;
  #isOtherProbing = false;

  /** `maxPerSecond` is the limit of this process. */
  constructor(maxPerSecond: number) {
    this.#maxPerSecond = maxPerSecond;
  }

  set(share: number, isLeader: boolean, others: CommonPace | undefined): void {
    this.#share = share;
    this.#isLeader = isLeader;
    this.#isOtherProbing = others?.isProbing === true;
  }

  /** The limit of this process as a rate of all of them. */
  get maxPerSecond(): number {
    return this.#maxPerSecond / this.#share;
  }

  get isFollower(): boolean {
    return !this.#isLeader;
  }

  /** Rejections during the probe of another process are caused by it. */
  get isOtherProbing(): boolean {
    return this.#isOtherProbing;
  }

  ownPerSecond(commonPerSecond: number, probe: RateProbe | undefined): number {
    const others = this.#othersPerSecond(commonPerSecond, probe);
    return Math.min(commonPerSecond - others, this.#maxPerSecond);
  }

  /** Requests of all processes for each one of this process. */
  weightOf(commonPerSecond: number, probe: RateProbe | undefined): number {
    const own = this.ownPerSecond(commonPerSecond, probe);
    return (own + this.#othersPerSecond(commonPerSecond, probe)) / own;
  }

  #othersPerSecond(commonPerSecond: number, probe: RateProbe | undefined): number {
    if (this.#share === 1) return 0;
    const held = probe && HOLD_BELOW_CEILING * probe.ceilingBefore;
    return (1 - this.#share) * (held ?? commonPerSecond);
  }
}
