import type { Axis } from '../../catalogue/entry.ts';
import type { Heads } from '../../plan/plan.ts';

/** A reading below an earlier one counts as the lag of a replica for this long. */
const REMEMBERED_MS = 600_000;

/**
 * The heads of a chain that is read again and again, one reading at a time. A load-balanced address
 * may lead to a replica that lags. Its readings are below earlier ones, and the largest such lag of
 * the last ten minutes moves the safe height down, because lists may come from that replica.
 */
export class HeadMemory {
  readonly #highest = new Map<Axis, number>();
  readonly #lags = new Map<Axis, { readonly blocks: number; readonly atMs: number }[]>();

  /** The reading, with a safe height below which all replicas seen lately have their records. */
  noted(axis: Axis, { head, safe }: Heads, nowMs: number): Heads {
    const highest = Math.max(head, this.#highest.get(axis) ?? head);
    this.#highest.set(axis, highest);
    const history = this.#lags.get(axis) ?? [];
    const lags = history.filter(({ atMs }) => nowMs - atMs < REMEMBERED_MS);
    if (head < highest) lags.push({ blocks: highest - head, atMs: nowMs });
    this.#lags.set(axis, lags);
    const lag = lags.reduce((most, { blocks }) => Math.max(most, blocks), 0);
    // The lagging replica itself was read: its head is that far down already.
    const missing = Math.max(0, lag - (highest - head));
    return { head: head - missing, safe: Math.max(0, safe - missing) };
  }
}
