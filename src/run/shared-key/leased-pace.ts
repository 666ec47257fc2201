import type { Effects } from '../../effects.ts';
import type { CommonPace } from '../../fetch/rate/rate-share.ts';
import type { SharedPace, ShareOfPace } from '../../fetch/rate/shared-pace.ts';
import { type Lease, leaderOf, paceOfOthers, sharesByPriority } from './shares.ts';

/** The leases of a key. */
export interface LeaseStore {
  /** Replaces the leases; no other process reads or writes them meanwhile. */
  update(change: (leases: readonly Lease[]) => readonly Lease[]): Promise<void>;
}

export interface LeasedPaceOptions {
  readonly store: LeaseStore;
  readonly effects: Pick<Effects, 'now' | 'log'>;
  /** Differs between processes. */
  readonly id: string;
  readonly priority: number;
}

/** A process that has requests to send renews its lease this often. */
const RENEW_MS = 400;
/** A process without a newer lease sends nothing. */
const VALID_MS = 2_000;
/** Other processes count a lease for longer than its holder uses it. */
const EXPIRED_MS = 3_000;

/**
 * The share of this process in the common pace of its key. A process takes no more than the others
 * leave, and gives up at its next renewal what others should have, so the sum of all shares is
 * never above 1. A process that ends without a word loses its lease after 3 seconds.
 */
export class LeasedPace implements SharedPace {
  readonly #options: LeasedPaceOptions;
  readonly #sinceMs: number;
  #share = 0;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #triedMs = Number.NEGATIVE_INFINITY;
  #ceiling: number | null = null;
  #ceilingAtMs = 0;
  #hasFailed = false;

  constructor(options: LeasedPaceOptions) {
    this.#options = options;
    this.#sinceMs = options.effects.now();
  }

  isDue(nowMs: number): boolean {
    return Math.abs(nowMs - this.#triedMs) >= RENEW_MS;
  }

  shareAt(nowMs: number): number {
    const isValid = this.#hasFailed || Math.abs(nowMs - this.#renewedMs) <= VALID_MS;
    return isValid ? this.#share : 0;
  }

  async renew(common: CommonPace, wanted: number): Promise<ShareOfPace> {
    const { effects, store } = this.#options;
    const nowMs = effects.now();
    this.#triedMs = nowMs;
    if (common.ceilingPerSecond !== this.#ceiling) {
      this.#ceiling = common.ceilingPerSecond;
      this.#ceilingAtMs = nowMs;
    }
    let own = this.#leaseOf(common, wanted, nowMs);
    let others: readonly Lease[] = [];
    try {
      await store.update((leases) => {
        others = leases.filter(({ id, renewedMs }) => {
          return id !== own.id && Math.abs(nowMs - renewedMs) <= EXPIRED_MS;
        });
        own = { ...own, share: shareBeside(own, others) };
        return [...others, own];
      });
      this.#hasFailed = false;
    } catch (error) {
      this.#failed(error);
    }
    this.#share = this.#hasFailed ? this.#share : own.share;
    this.#renewedMs = nowMs;
    const pace = paceOfOthers(own, others);
    if (pace?.ceilingPerSecond != null) this.#ceiling = pace.ceilingPerSecond;
    const isLeader = leaderOf([own, ...others])?.id === own.id;
    return { share: this.#share, isLeader, others: pace };
  }

  async close(): Promise<void> {
    const { store, id } = this.#options;
    await store
      .update((leases) => leases.filter((lease) => lease.id !== id))
      .catch(() => undefined);
  }

  #leaseOf(common: CommonPace, wanted: number, nowMs: number): Lease {
    const { id, priority } = this.#options;
    const times = { sinceMs: this.#sinceMs, renewedMs: nowMs, ceilingAtMs: this.#ceilingAtMs };
    return { ...common, ...times, id, priority, wanted, share: 0 };
  }

  /** Without the others the run goes on with its share, or as if it were alone. */
  #failed(error: unknown): void {
    const { effects } = this.#options;
    const level = this.#hasFailed ? 'debug' : 'warn';
    effects.log(level, `The rate is not shared with other runs: ${String(error)}`);
    this.#hasFailed = true;
    if (this.#share === 0) this.#share = 1;
  }
}

/** The share that a process should have, as far as the others leave it. */
function shareBeside(own: Lease, others: readonly Lease[]): number {
  const fair = sharesByPriority([own, ...others]).get(own.id) ?? 0;
  const left = 1 - others.reduce((sum, { share }) => sum + share, 0);
  return others.length === 0 ? 1 : Math.max(0, Math.min(fair, left));
}
