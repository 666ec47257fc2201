import { settle } from './balances.ts';
import type { ExecutedBlock } from './blocks.ts';

/** Sums of native movements, block by block, for the ranking of holders. */
export interface NativeBook {
  /** Adds or removes up to this number of blocks; true once the sums are those of `height`. */
  count(height: number, mostBlocks: number): boolean;
  /** Wei by address as in `Balances`, at the current height. The next step changes this map. */
  readonly sums: ReadonlyMap<string, bigint>;
  /** The book of a chain with other blocks from a height on. */
  forked(from: number, blockAt: (height: number) => ExecutedBlock): NativeBook;
}

/** The movements of a recent block, which allow its removal. */
type Moves = ReadonlyMap<string, bigint>;

interface State {
  /** The newest block in the sums. */
  readonly height: number;
  readonly sums: ReadonlyMap<string, bigint>;
  /** Movements of the newest blocks, in order of height. */
  readonly journal: readonly Moves[];
}

/** Forks are at most 300 blocks deep. */
const JOURNAL_BLOCKS = 320;
const NOTHING: State = { height: -1, sums: new Map(), journal: [] };

/** The book of these blocks, which continues from known sums. */
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
