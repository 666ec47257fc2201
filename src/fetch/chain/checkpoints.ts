import { type Anchor, anchorHeights } from '../../coverage/checkpoints.ts';
import { Fault } from '../../fault.ts';
import { CallFailure } from '../http/call-failure.ts';
import type { Caller } from '../http/caller.ts';
import { textOf } from '../walk/wire.ts';
import { type BlockSource, blockAt, blockLookUp } from './block-look-up.ts';

/** Hash of the block at a height, lower-case; undefined where the service does not return one. */
export type HashAt = (height: number) => Promise<string | undefined>;

export interface BlockHashes {
  readonly at: HashAt;
  /** Whether the hash at the height was already requested, so reading it again sends no request. */
  isRead(height: number): boolean;
}

/** Reads every height at most once, so all comparisons use the hashes of one moment. */
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

export interface CheckpointOptions {
  /** Stored checkpoints that still matched when `hashes` were read, by height. */
  readonly known: readonly Anchor[];
  readonly hashes: BlockHashes;
  /** Creates a reader without cached hashes. */
  readonly reading: () => BlockHashes;
  readonly safe: number;
  readonly head: number;
}

/**
 * The block hash checkpoints to store for this run, without heights whose hash the service does not
 * return. A checkpoint vouches for all blocks below it, so the known checkpoints are compared again
 * after new ones were read. Returns undefined where the chain changed meanwhile.
 */
export async function readCheckpoints(of: CheckpointOptions): Promise<Anchor[] | undefined> {
  const { known, hashes, reading, safe, head } = of;
  const heights = anchorHeights(safe, known);
  const isNew = heights.some((height) => !hashes.isRead(height));
  const anchors: Anchor[] = [];
  for (const height of heights) {
    const hash = await hashes.at(height);
    if (hash !== undefined) anchors.push({ height, hash });
  }
  if (isNew && (await changedFrom(reading().at, known, head)) !== undefined) return undefined;
  return anchors;
}

/** The number of requests that `readCheckpoints` sends. */
export function checkpointRequests({
  known,
  hashes,
  safe,
}: Omit<CheckpointOptions, 'reading' | 'head'>): number {
  const unread = anchorHeights(safe, known).filter((height) => !hashes.isRead(height));
  return unread.length + (unread.length > 0 && known.length > 0 ? 1 : 0);
}

/**
 * The lowest height that may have changed since the checkpoints were read; undefined where no
 * checkpoint differs. A block hash vouches for all blocks below it, so an unchanged chain costs one
 * request. Otherwise the search steps back 1, 2, 4 ... checkpoints to one that still matches, and
 * bisects between the last two. Checkpoints above the head are skipped. Throws Fault('lake') where
 * no checkpoint matches: a reorganisation leaves some of them, another chain none.
 */
export async function changedFrom(
  hashAt: HashAt,
  anchors: readonly Anchor[],
  head: number,
): Promise<number | undefined> {
  const seen = anchors.filter(({ height }) => height <= head);
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
    const anchor = seen[at];
    if (anchor === undefined) return false;
    const hash = await hashAt(anchor.height);
    // Treating a missing hash as a change would demote valid blocks or report another chain.
    if (hash === undefined) throw unanswered(anchor.height);
    return hash === anchor.hash;
  }
}

function unanswered(height: number): Fault {
  return new Fault('refused', `The service returned no hash for block ${height}.`, {
    advice:
      'Run again later. The landed rows stay as they are; without the hash they cannot be checked.',
  });
}

function anotherChain({ height, hash }: Anchor, now: string | undefined): Fault {
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
