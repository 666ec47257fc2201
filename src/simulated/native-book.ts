import { settle } from './balances.ts';
import type { ExecutedBlock } from './blocks.ts';

/** Native movements added up block after block, for a ranking that needs no more than that. */
export interface NativeBook {
  /** Counts up to so many blocks more, or takes some back; true once the sums are of `height`. */
  count(height: number, mostBlocks: number): boolean;
  /** Wei by address as in `Balances`, of the height counted last; it changes with the next one. */
  readonly sums: ReadonlyMap<string, bigint>;
  /** The book of a chain with other blocks from a height on. */
  forked(from: number, blockAt: (height: number) => ExecutedBlock): NativeBook;
}

/** What the newest blocks moved, so that it can be taken back. */
type Moves = ReadonlyMap<string, bigint>;

interface State {
  /** The newest block that is counted. */
  readonly height: number;
  readonly sums: ReadonlyMap<string, bigint>;
  /** Of the newest blocks, the last one at the end. */
  readonly journal: readonly Moves[];
}

/** Forks are at most 300 blocks deep. */
const JOURNAL_BLOCKS = 320;
const NOTHING: State = { height: -1, sums: new Map(), journal: [] };

/** The book of these blocks, which goes on from what is counted already. */
export function nativeBook(
  blockAt: (height: number) => ExecutedBlock,
  from: State = NOTHING,
): NativeBook {
  let { height } = from;
  let sums = new Map(from.sums);
  let journal = [...from.journal];
  const add = (moves: Moves, sign: bigint): void => {
    for (const [address, wei] of moves) sums.set(address, (sums.get(address) ?? 0n) + sign * wei);
  };
  const countNext = (): void => {
    const moved = { native: new Map<string, bigint>(), tokens: new Map<string, bigint>() };
    for (const each of blockAt(height + 1).executed) settle(moved, each);
    height += 1;
    add(moved.native, 1n);
    journal.push(moved.native);
    if (journal.length > JOURNAL_BLOCKS) journal.shift();
  };
  const backTo = (lower: number): void => {
    if (height - lower > journal.length) {
      height = -1;
      sums = new Map();
      journal = [];
    }
    for (; height > lower; height -= 1) add(journal.pop() ?? new Map(), -1n);
  };
  return {
    count: (to, mostBlocks) => {
      backTo(to);
      for (let i = 0; i < mostBlocks && height < to; i += 1) countNext();
      return height === to;
    },
    get sums() {
      return sums;
    },
    forked: (fork, otherBlockAt) => {
      const other = nativeBook(otherBlockAt, { height, sums, journal });
      other.count(Math.min(height, fork - 1), 0);
      return other;
    },
  };
}
