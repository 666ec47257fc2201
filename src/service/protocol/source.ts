import type { Axis } from '../../catalogue/entry.ts';
import type { CanonicalRecord } from '../../catalogue/record.ts';
import type { Interval } from '../../coverage/ranges.ts';

/** What a service answers from. It knows datasets and columns, and nothing of endpoints. */
export interface Source {
  readonly names: Readonly<Record<Axis, ChainNames>>;
  /** The newest height of the axis; -1 when it has none. */
  head(axis: Axis): number;
  /**
   * Whether it has records of the axis and none of its blocks, so that no list of them tells the
   * head. Absent: never.
   */
  lacksBlocks?(axis: Axis): boolean;
  /**
   * The records a query asks for, newest first; of a ranking the newest one, from the first rank
   * down. Datasets it does not hold are empty.
   */
  find(query: Query): Found | Promise<Found>;
  /**
   * What of a question's records was never taken in, in words; undefined where all of them were.
   * A list that `endsEarly` is whole as far as it reaches. A column that was never taken in is
   * missing in the records that lack it, where NULL says that they have nothing there. Absent:
   * everything is there.
   */
  lacks?(asked: Selection, endsEarly: boolean): Promise<string | undefined>;
  /**
   * Does work over the source as it is at one moment: whatever comes in meanwhile waits for its
   * end. The source itself waits too, so only the one that is handed in may be asked. Absent: it
   * never changes while a question is answered.
   */
  steady?<T>(work: (source: Source) => Promise<T>): Promise<T>;
  /** The first record that `find` would list; a source may find it without counting the others. */
  newest(asked: Selection): CanonicalRecord | undefined | Promise<CanonicalRecord | undefined>;
  /**
   * Transactions that agree with a question about the dataset `transactions`, in no block yet and
   * without a height, the newest first. They count as transactions of the block above the head.
   * Absent: there are none.
   */
  pending?(asked: Selection): readonly CanonicalRecord[];
  /** Told of every request before it is answered: how a chain moves while it is read. */
  requested?(): void;
  /**
   * Replaces the newest `depth` blocks of the primary chain, 1 to `MOST_REORGANISED_BLOCKS` and no
   * more than there are, by others of the same heights: everything asked from now on tells of
   * these. Every call gives other blocks, the same ones for the same calls. A RangeError for
   * another depth. Absent: the chain cannot be reorganised.
   */
  reorganise?(depth: number): void;
  /**
   * Internal transactions of the newest `blocks` heights, a whole number from 0 up, are not listed
   * yet; 0 lists all of them again. Blocks still state their number. A RangeError for another
   * number. Absent: they cannot be kept back.
   */
  delayInternal?(blocks: number): void;
}

/** A reorganisation is at most so deep. */
export const MOST_REORGANISED_BLOCKS = 300;

export interface ChainNames {
  /** As requests and records spell it. */
  readonly shortName: string;
  readonly fullName: string;
}

export const DEFAULT_NAMES: Readonly<Record<Axis, ChainNames>> = {
  primary: { shortName: 'MAINCHAIN', fullName: 'Main chain' },
  zone: { shortName: 'ZONECHAIN', fullName: 'Zone chain' },
};

/** Which records are asked for: those that agree with all of it. */
export interface Selection {
  readonly dataset: string;
  /** Of the dataset's own heights; may be empty (`from` above `to`). */
  readonly interval: Interval;
  /** Absent: the records of everybody. */
  readonly keys?: Naming;
  readonly filters: readonly Naming[];
  readonly bounds: readonly Bound[];
  /** A record that names two of the keys is listed twice, and not once. */
  readonly oncePerKey: boolean;
}

export interface Query extends Selection {
  /** How many of the first records to leave out. */
  readonly offset: number;
  readonly count: number;
}

/** A record agrees when one of `columns` names one of `values`. */
export interface Naming {
  readonly columns: readonly string[];
  /** Distinct, in canonical spelling. */
  readonly values: readonly string[];
}

/** A record agrees when the column is a number between the two, both included. */
export interface Bound {
  readonly column: string;
  /** Decimal texts of any size. */
  readonly least?: string;
  readonly most?: string;
}

export interface Found {
  /** How many records the selection has. */
  readonly total: number;
  readonly records: readonly CanonicalRecord[];
}
