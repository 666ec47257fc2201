import type { SeedWords } from '../primitives/random.ts';
import { seedWords, wordAt } from '../primitives/random.ts';

/**
 * A chain's blocks from some height on may be replaced by others, as a reorganisation does. Who
 * takes a turn when, times and base fees belong to no branch, and so every sender's nonces stay
 * 0, 1, 2, ...; what a turn is spent on is drawn anew on every branch, with two exceptions:
 * transactions to the bridge are the same ones in other blocks of the same heights, so that both
 * legs of every crossing stay as they were, and some others are mined a block earlier or later.
 */
export interface Fork {
  /** The lowest height with another block, from 0 up. */
  readonly from: number;
  /** Any text; another one gives other blocks. */
  readonly salt: string;
}

/** A fork, and the words its blocks are drawn from. */
export interface Branch extends Fork {
  readonly words: SeedWords;
}

const REMINED_STREAM = 27;

/**
 * Those forks that still say what stands at some height: a later one replaces what earlier ones
 * did at its height and above. They rise from fork to fork.
 */
export function standingForks(forks: readonly Fork[]): readonly Fork[] {
  const standing: Fork[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  for (const fork of forks.toReversed()) {
    if (fork.from >= lowest) continue;
    standing.push(fork);
    lowest = fork.from;
  }
  return standing.reverse();
}

/** The branches of a chain with this seed, by its standing forks. */
export function branchesOf(seed: string, forks: readonly Fork[]): readonly Branch[] {
  return forks.map((fork) => ({ ...fork, words: seedWords(`fork ${fork.salt} of ${seed}`) }));
}

/** The branch that a height's block is on; undefined for a block that was never replaced. */
export function branchAt(branches: readonly Branch[], height: number): Branch | undefined {
  return branches.findLast(({ from }) => from <= height);
}

/**
 * The height whose one transaction of a sparse sender is mined in the replaced block of this one
 * instead of its own; undefined where that transaction is drawn anew. The two heights of half of
 * the pairs (0, 1), (2, 3), ... exchange theirs. Rounds of sparse senders and steps of the base fee
 * begin with a pair, so neither an order of nonces nor a transaction's hash changes by it. The
 * branch of the lower height decides for both.
 */
export function minedFrom(branches: readonly Branch[], height: number): number | undefined {
  const lower = height - (height % 2);
  const branch = branchAt(branches, lower);
  if (branch === undefined || wordAt(branch.words, REMINED_STREAM, lower) % 2 === 0) {
    return undefined;
  }
  return height === lower ? lower + 1 : lower;
}

/**
 * The lowest height at which chains of one seed may hold different blocks, by their standing forks;
 * Infinity where they are the same.
 */
export function firstDifference(one: readonly Fork[], other: readonly Fork[]): number {
  const fromOf = (fork: Fork | undefined): number => fork?.from ?? Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < Math.max(one.length, other.length); nth += 1) {
    const [a, b] = [one[nth], other[nth]];
    if (a?.from !== b?.from || a?.salt !== b?.salt) return Math.min(fromOf(a), fromOf(b));
  }
  return Number.POSITIVE_INFINITY;
}
