import type { SeedWords } from '../primitives/random.ts';
import { seedWords, wordAt } from '../primitives/random.ts';

/**
 * A fork replaces a chain's blocks from some height on, like a reorganisation. Turns, times and
 * base fees are the same on every branch, so every sender's nonces stay 0, 1, 2, ... Each branch
 * draws the transactions of the turns again, with two exceptions. Bridge transactions stay the same
 * in other blocks of the same heights, so that both legs of every crossing stay as they were. Some
 * other transactions are mined a block earlier or later.
 */
export interface Fork {
  /** The lowest height with another block, from 0 up. */
  readonly from: number;
  /** Any text; another text gives other blocks. */
  readonly salt: string;
}

/** A fork, and the random words of its blocks. */
export interface Branch extends Fork {
  readonly words: SeedWords;
}

const REMINED_STREAM = 27;

/**
 * The forks that still determine some height: a later fork replaces earlier ones at its height and
 * above. Their heights ascend.
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

/** The branch of a height's block; undefined for a block that was never replaced. */
export function branchAt(branches: readonly Branch[], height: number): Branch | undefined {
  return branches.findLast(({ from }) => from <= height);
}

/**
 * The height whose sparse sender's transaction is mined in the replaced block of this height
 * instead of its own; undefined if that transaction is drawn again. The two heights of half of the
 * pairs (0, 1), (2, 3), ... exchange theirs. Rounds of sparse senders and steps of the base fee
 * begin with a pair, so neither an order of nonces nor a transaction's hash changes. The branch of
 * the lower height decides for both.
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
 * Infinity if they are the same.
 */
export function firstDifference(one: readonly Fork[], other: readonly Fork[]): number {
  const fromOf = (fork: Fork | undefined): number => fork?.from ?? Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < Math.max(one.length, other.length); nth += 1) {
    const [a, b] = [one[nth], other[nth]];
    if (a?.from !== b?.from || a?.salt !== b?.salt) return Math.min(fromOf(a), fromOf(b));
  }
  return Number.POSITIVE_INFINITY;
}
