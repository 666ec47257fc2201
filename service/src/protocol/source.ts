import type { Axis } from '../../../src/catalogue/entry.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';

/** The data behind a service. It knows datasets and columns, and no endpoints. */
export interface Source {
  readonly names: Readonly<Record<Axis, ChainNames>>;
  /** The newest height of the axis; -1 if it has none. */
  head(axis: Axis): number;
  /**
   * Whether it has records of the axis but no blocks, so that no block list gives the head. Absent:
   * never.
   */
  lacksBlocks?(axis: Axis): boolean;
  /**
   * The records of a query, newest first; of a ranking the newest one, from the first rank down.
   * Unknown datasets are empty.
   */
  find(query: Query): Found | Promise<Found>;
  /**
   * Describes the selected records that were never fetched; undefined if all of them were. A list
   * that `endsEarly` is complete within its depth limit. A column that was never fetched is absent
   * from its records; NULL means that the chain has no value there. Absent: the source holds all
   * records.
   */
  lacks?(selection: Selection, endsEarly: boolean): Promise<string | undefined>;
  /**
   * Runs work over the source as it is at one moment; changes wait for its end. The source's own
   * calls wait too, so the work must use only the source that it receives. Absent: the source never
   * changes while a question is answered.
   */
  steady?<T>(work: (source: Source) => Promise<T>): Promise<T>;
  /** The first record that `find` would list; a source may find it without counting the others. */
  newest(selection: Selection): CanonicalRecord | undefined | Promise<CanonicalRecord | undefined>;
  /**
   * Matching transactions of the dataset `transactions` that are in no block yet and have no
   * height, the newest first. They count as transactions of the block above the head. Absent: there
   * are none.
   */
  pending?(selection: Selection): readonly CanonicalRecord[];
  /** Called for every request before it is answered, so that a chain can move while it is read. */
  requested?(): void;
  /**
   * Replaces the newest `depth` blocks of the primary chain by other blocks of the same heights.
   * `depth` lies between 1 and `MOST_REORGANISED_BLOCKS`, and is at most the number of blocks. All
   * later answers use the new blocks. Every call gives other blocks; the same series of calls gives
   * the same ones. Throws a RangeError for another depth. Absent: the chain cannot be reorganised.
   */
  reorganise?(depth: number): void;
  /**
   * Sets the newest height of the primary chain; the zone chain grows accordingly. Throws a
   * RangeError for a height below the present one. Absent: the source grows by itself, or not at
   * all.
   */
  growTo?(head: number): void;
  /**
   * Leaves out the internal transactions of the newest `blocks` heights, a whole number from 0 up;
   * 0 lists all of them again. Blocks still give the number of these transactions. Throws a
   * RangeError for another number. Absent: they cannot be delayed.
   */
  delayInternal?(blocks: number): void;
}

/** Largest depth of a reorganisation. */
export const MOST_REORGANISED_BLOCKS = 300;

export interface ChainNames {
  /** In the spelling of requests and records. */
  readonly shortName: string;
  readonly fullName: string;
}

export const DEFAULT_NAMES: Readonly<Record<Axis, ChainNames>> = {
  primary: { shortName: 'MAINCHAIN', fullName: 'Main chain' },
  zone: { shortName: 'ZONECHAIN', fullName: 'Zone chain' },
};

/** A selection of records: those that match all of it. */
export interface Selection {
  readonly dataset: string;
  /** Heights of the dataset's own axis; may be empty (`from` above `to`). */
  readonly interval: Interval;
  /** Absent: the records of all keys. */
  readonly keys?: Naming;
  readonly filters: readonly Naming[];
  readonly bounds: readonly Bound[];
  /** Whether a record that names two of the keys is listed twice instead of once. */
  readonly oncePerKey: boolean;
}

export interface Query extends Selection {
  /** Number of records to skip. */
  readonly offset: number;
  readonly count: number;
}

/** A record matches if one of `columns` names one of `values`. */
export interface Naming {
  readonly columns: readonly string[];
  /** Distinct, in canonical spelling. */
  readonly values: readonly string[];
}

/** A record matches if the column is a number between the two, both included. */
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
