import { type SeedWords, seedWords, wordAt } from '../primitives/random.ts';

/**
 * A fork replaces the blocks from a height on, like a reorganisation. The turns of senders, block
 * times and base fees are the same on all branches, so the nonces of every sender stay 0, 1, 2, ...
 * The transactions of the turns differ between branches, with two exceptions. Bridge transactions
 * are the same in blocks of the same heights, so both legs of every crossing stay. Some other
 * transactions are mined one block earlier or later.
 */
export interface Fork {
  /** The lowest height with another block, from 0 up. */
  readonly from: number;
  /** Any text. Different texts give different blocks. */
  readonly salt: string;
}

/** A fork with the random words of its blocks. */
export interface Branch extends Fork {
  readonly words: SeedWords;
}

const REMINED_STREAM = 27;

/**
 * The forks that decide the block of at least one height, in order of height. A later fork replaces
 * earlier ones at its height and above.
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

/** The branch of the block at a height; undefined for a block below all forks. */
export function branchAt(branches: readonly Branch[], height: number): Branch | undefined {
  return branches.findLast(({ from }) => from <= height);
}

/**
 * The height whose sparse sender's transaction is mined in the replaced block at `height`;
 * undefined if that block has a new one. In half of the pairs (0, 1), (2, 3), ... the two heights
 * exchange their transactions. Rounds of sparse senders and steps of the base fee begin with a
 * pair, so the exchange changes neither the order of nonces nor the hash of a transaction. The
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
 * The lowest height at which two chains of one seed may have different blocks, from their standing
 * forks; Infinity if the chains are equal.
 */
export function firstDifference(one: readonly Fork[], other: readonly Fork[]): number {
  const fromOf = (fork: Fork | undefined): number => fork?.from ?? Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < Math.max(one.length, other.length); nth += 1) {
    const [a, b] = [one[nth], other[nth]];
    if (a?.from !== b?.from || a?.salt !== b?.salt) return Math.min(fromOf(a), fromOf(b));
  }
  return Number.POSITIVE_INFINITY;
}
