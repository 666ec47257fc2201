import type { CommonPace } from '../../fetch/rate/rate-share.ts';

/** The part of one process in the common pace of a key. */
export interface Lease extends CommonPace {
  readonly id: string;
  readonly sinceMs: number;
  readonly renewedMs: number;
  /** Pipelines with a higher priority get the rate first. */
  readonly priority: number;
  /** The share that the process would use, from 0 to 1. */
  readonly wanted: number;
  /** The share that the process uses. The shares of all processes add up to 1 at most. */
  readonly share: number;
  /** Time of the last change of the ceiling that the process itself found. */
  readonly ceilingAtMs: number;
}

/** No process gets less, so that each goes on, if slowly. */
const LEAST_SHARE = 0.02;
/** A process that wants less than this cannot test the limit. */
const LEADING_SHARE = 0.5;

/**
 * The shares that processes should have, by id. Higher priorities get what they want first, equal
 * ones the same; a rest that no process wants is divided equally. The sum is 1.
 */
export function sharesByPriority(
  leases: readonly Pick<Lease, 'id' | 'priority' | 'wanted'>[],
): Map<string, number> {
  const least = Math.min(LEAST_SHARE, 1 / (2 * leases.length));
  const shares = new Map(leases.map(({ id }) => [id, least]));
  let left = 1 - least * leases.length;
  const priorities = [...new Set(leases.map(({ priority }) => priority))].sort((a, b) => b - a);
  for (const priority of priorities) {
    const equals = leases.filter((lease) => lease.priority === priority);
    equals.sort((a, b) => a.wanted - b.wanted);
    for (const [at, { id, wanted }] of equals.entries()) {
      const more = Math.min(Math.max(0, wanted - least), left / (equals.length - at));
      shares.set(id, least + more);
      left -= more;
    }
  }
  for (const [id, share] of shares) shares.set(id, share + left / leases.length);
  return shares;
}

/** The process that tests whether the limit is higher: the first that has enough to send. */
export function leaderOf(leases: readonly Lease[]): Lease | undefined {
  const sorted = [...leases].sort(
    (a, b) => b.priority - a.priority || a.sinceMs - b.sinceMs || (a.id < b.id ? -1 : 1),
  );
  return sorted.find(({ wanted }) => wanted >= LEADING_SHARE) ?? sorted[0];
}

/** The pace of the others, for one process; undefined if it is alone. */
export function paceOfOthers(own: Lease, others: readonly Lease[]): CommonPace | undefined {
  if (others.length === 0) return undefined;
  const all = [own, ...others];
  const leader = leaderOf(all) ?? own;
  const learned = all.filter(({ ceilingPerSecond }) => ceilingPerSecond !== null);
  const newest = learned.sort((a, b) => b.ceilingAtMs - a.ceilingAtMs)[0];
  return {
    ratePerSecond: leader.ratePerSecond,
    ceilingPerSecond: newest?.ceilingPerSecond ?? null,
    isProbing: others.some(({ isProbing }) => isProbing),
    blockedUntilMs: Math.max(...others.map(({ blockedUntilMs }) => blockedUntilMs)),
  };
}
