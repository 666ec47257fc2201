import { type BlockCheckpoint, checkpointHeights } from '../../coverage/checkpoints.ts';
import { Fault } from '../../fault.ts';
import { CallFailure } from '../http/call-failure.ts';
import type { Caller } from '../http/caller.ts';
import { textOf } from '../walk/wire.ts';
import { type BlockSource, blockAt, blockLookUp } from './block-look-up.ts';

/** Hash of the block at a height, lower-case; undefined where the service does not say. */
export type HashAt = (height: number) => Promise<string | undefined>;

export interface BlockHashes {
  readonly at: HashAt;
  /** Whether the height was asked for already, and costs no request any more. */
  isRead(height: number): boolean;
}

/** Reads every height at most once: what is compared with it is compared at one moment. */
export function blockHashes(caller: Caller, source: BlockSource): BlockHashes {
  const known = new Map<number, Promise<string | undefined>>();
  return {
    isRead: (height) => known.has(height),
    at: (height) => {
      const reading = known.get(height) ?? read(height);
      known.set(height, reading);
      return reading;
    },
  };

  async function read(height: number): Promise<string | undefined> {
    try {
      const block = await blockAt(caller, source, height);
      const hash = block && textOf(blockLookUp(source.axis), block, 'block_hash');
      return hash?.toLowerCase();
    } catch (error) {
      if (error instanceof CallFailure && error.outcome === 'permanent') return undefined;
      throw error;
    }
  }
}

export interface Taking {
  /** Remembered, and standing when `hashes` were read; in order of height. */
  readonly known: readonly BlockCheckpoint[];
  readonly hashes: BlockHashes;
  /** Reads anew. */
  readonly reading: () => BlockHashes;
  readonly safe: number;
  readonly head: number;
}

/**
 * The checkpoints that a run remembers; those whose hashes the service does not say are left out.
 * undefined where the chain changed meanwhile. A checkpoint vouches for all that lies below it, so
 * what is remembered of that is looked at once more after the new ones were read.
 */
export async function takeCheckpoints(of: Taking): Promise<BlockCheckpoint[] | undefined> {
  const { known, hashes, reading, safe, head } = of;
  const heights = checkpointHeights(safe, known);
  const isNew = heights.some((height) => !hashes.isRead(height));
  const checkpoints: BlockCheckpoint[] = [];
  for (const height of heights) {
    const hash = await hashes.at(height);
    if (hash !== undefined) checkpoints.push({ height, hash });
  }
  if (isNew && (await changedFrom(reading().at, known, head)) !== undefined) return undefined;
  return checkpoints;
}

/** Requests that `takeCheckpoints` sends. */
export function requestsToTake({ known, hashes, safe }: Omit<Taking, 'reading' | 'head'>): number {
  const unread = checkpointHeights(safe, known).filter((height) => !hashes.isRead(height));
  return unread.length + (unread.length > 0 && known.length > 0 ? 1 : 0);
}

/**
 * The lowest height that may have changed since the checkpoints were read; undefined where nothing has.
 * A block's hash vouches for all blocks below it, so one request tells that nothing has changed;
 * else it gallops back 1, 2, 4 ... checkpoints to one that still stands, and closes in between. Checkpoints
 * above the head cannot be looked at. Throws Fault('lake') where no checkpoint stands: a
 * reorganisation leaves some, another chain none.
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
  const now = await hashAt(top.height);
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
    const hash = await hashAt(checkpoint.height);
    // Taken for a change, silence would demote what stands, or call it another chain.
    if (hash === undefined) throw unanswered(checkpoint.height);
    return hash === checkpoint.hash;
  }
}

function unanswered(height: number): Fault {
  return new Fault('refused', `The service does not say the hash of block ${height}.`, {
    advice: 'Run again later: what was landed is not looked at without it, and stays as it is.',
  });
}

function anotherChain({ height, hash }: BlockCheckpoint, now: string | undefined): Fault {
  const before = `block ${height} had the hash ${hash}`;
  return new Fault('lake', `This is another chain than the data root holds: ${before}.`, {
    where: `block ${height}: ${now ?? 'no hash'}`,
    advice: 'Check source.url and source.chain, or use another data root (--data DIR).',
  });
}
