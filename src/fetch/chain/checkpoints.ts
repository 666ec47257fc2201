import { type BlockCheckpoint, checkpointHeights } from '../../coverage/checkpoints.ts';
import { Fault } from '../../fault.ts';
import { unlessRefused } from '../http/call-failure.ts';
import type { Caller } from '../http/caller.ts';
import { type BlockSource, blockAt } from './block-look-up.ts';

/**
 * Hash of the block at a height, lower-case; undefined if the service does not return it. A hash
 * that is not `expected` is read again, because one replica may be wrong.
 */
export type HashAt = (height: number, expected?: string) => Promise<string | undefined>;

export interface BlockHashes {
  readonly at: HashAt;
  /** Whether the height was requested already, so that another read costs no request. */
  isRead(height: number): boolean;
}

/** Number of readings of a height whose hash is not the expected one. */
const READINGS = 5;
/** Number of them that must return the expected hash all the same. */
const LEAST_EXPECTED = 2;

/** Reads every height at most once, so all comparisons use the same state of the chain. */
export function blockHashes(caller: Caller, source: BlockSource): BlockHashes {
  const hashByHeight = new Map<number, Promise<string | undefined>>();
  const refuted = new Set<string>();
  return {
    isRead: (height) => hashByHeight.has(height),
    at: (height, expected) => {
      const before = hashByHeight.get(height) ?? read(height);
      const isOpen = expected !== undefined && !refuted.has(`${height} ${expected}`);
      const reading = isOpen ? confirmed(height, expected, before) : before;
      hashByHeight.set(height, reading);
      return reading;
    },
  };

  async function confirmed(
    height: number,
    expected: string,
    before: Promise<string | undefined>,
  ): Promise<string | undefined> {
    const first = await before;
    if (first === undefined || first === expected) return first;
    const again = await several(height, READINGS - 1);
    const isExpected = again.filter((hash) => hash === expected).length >= LEAST_EXPECTED;
    // Replicas on two branches differ at the next height, too.
    const next = new Set(isExpected ? await several(height + 1, READINGS) : []);
    const isOneBranch = next.size === 1 && !next.has(undefined);
    if (isOneBranch) return expected;
    refuted.add(`${height} ${expected}`);
    return first;
  }

  async function several(height: number, readings: number): Promise<(string | undefined)[]> {
    const hashes = [];
    for (let i = 0; i < readings; i += 1) hashes.push(await read(height));
    return hashes;
  }

  async function read(height: number): Promise<string | undefined> {
    const block = await blockAt(caller, source, height).catch(unlessRefused);
    return block?.valueIn('block_hash')?.toLowerCase();
  }
}

export interface CheckpointReading {
  /** Checkpoints that matched when `hashes` were read, in order of height. */
  readonly matches: readonly BlockCheckpoint[];
  readonly hashes: BlockHashes;
  /** Returns block hashes without a cache of earlier reads. */
  readonly reading: () => BlockHashes;
  readonly safe: number;
  readonly head: number;
}

/**
 * Reads the checkpoints that a run stores, without those whose hash the service does not return. A
 * checkpoint vouches for all blocks below it, so the known checkpoints are compared once more after
 * the new ones were read; undefined if the chain has changed meanwhile.
 */
export async function takeCheckpoints(
  options: CheckpointReading,
): Promise<BlockCheckpoint[] | undefined> {
  const { matches, hashes, reading, safe, head } = options;
  const heights = checkpointHeights(safe, matches);
  // The newest known checkpoint matched, and it vouches for the older ones.
  const matching = new Map(matches.map(({ height, hash }) => [height, hash]));
  const isNew = heights.some((height) => !matching.has(height) && !hashes.isRead(height));
  const checkpoints: BlockCheckpoint[] = [];
  for (const height of heights) {
    const hash = matching.get(height) ?? (await hashes.at(height));
    if (hash !== undefined) checkpoints.push({ height, hash });
  }
  if (isNew && (await changedFrom(reading().at, matches, head)) !== undefined) return undefined;
  return checkpoints;
}

/** Number of requests that `takeCheckpoints` sends. */
export function requestsToTake({
  matches,
  hashes,
  safe,
}: Omit<CheckpointReading, 'reading' | 'head'>): number {
  const matching = new Set(matches.map(({ height }) => height));
  const heights = checkpointHeights(safe, matches);
  const unread = heights.filter((height) => !matching.has(height) && !hashes.isRead(height));
  return unread.length + (unread.length > 0 && matches.length > 0 ? 1 : 0);
}

/**
 * The lowest height that may have changed since the checkpoints were read; undefined when nothing
 * has changed. A block hash vouches for all blocks below it, so one request proves that nothing has
 * changed. After a change, which several readings confirm, an exponential search (1, 2, 4 ...
 * checkpoints back) and a binary search find the newest matching checkpoint. Checkpoints above the
 * head are ignored. Throws Fault('lake') if no checkpoint matches: then the service serves another
 * chain.
 */
export async function changedFrom(
  hashAt: HashAt,
  checkpoints: readonly BlockCheckpoint[],
  head: number,
): Promise<number | undefined> {
  const seen = checkpoints.filter(({ height }) => height <= head);
  seen.sort((a, b) => a.height - b.height);
  const newest = seen.length - 1;
  const top = seen[newest];
  if (top === undefined) return undefined;
  const now = await hashAt(top.height, top.hash);
  if (now === undefined || now === top.hash) return undefined;
  let changed = newest;
  let standing = newest - 1;
  for (let step = 1; standing >= 0 && !(await stands(standing)); step *= 2) {
    changed = standing;
    standing = Math.max(standing - step, standing > 0 ? 0 : -1);
  }
  const lowest = seen[0];
  if (standing < 0 && lowest !== undefined) throw anotherChain(lowest, await hashAt(lowest.height));
  while (changed - standing > 1) {
    const middle = (standing + changed) >> 1;
    if (await stands(middle)) standing = middle;
    else changed = middle;
  }
  return (seen[standing]?.height ?? -1) + 1;

  async function stands(at: number): Promise<boolean> {
    const checkpoint = seen[at];
    if (checkpoint === undefined) return false;
    const hash = await hashAt(checkpoint.height, checkpoint.hash);
    // Without a hash, neither a match nor a change is proven.
    if (hash === undefined) throw unanswered(checkpoint.height);
    return hash === checkpoint.hash;
  }
}

function unanswered(height: number): Fault {
  return new Fault('refused', `The service returned no hash for block ${height}.`, {
    advice:
      'Run again later. The landed rows stay as they are; without the hash they cannot be checked.',
  });
}

function anotherChain({ height, hash }: BlockCheckpoint, now: string | undefined): Fault {
  const before = `block ${height} had the hash ${hash}`;
  return new Fault(
    'lake',
    `The service serves another chain than the data root holds: ${before}.`,
    {
      where: `block ${height}: ${now ?? 'no hash'}`,
      advice: 'Check source.url and source.chain, or use another data root (--data DIR).',
    },
  );
}
