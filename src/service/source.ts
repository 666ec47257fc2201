import type { Axis } from '../catalogue/entry.ts';
import type { CanonicalRecord } from '../catalogue/record.ts';
import type { Interval } from '../plan/ranges.ts';

/** What a service answers from. It knows datasets and columns, and nothing of endpoints. */
export interface Source {
  readonly names: Readonly<Record<Axis, ChainNames>>;
  /** The newest height of the axis; -1 when it has none. */
  head(axis: Axis): number;
  /** The records a query asks for, newest first. Datasets it does not hold are empty. */
  find(query: Query): Found | Promise<Found>;
}

export interface ChainNames {
  /** As requests and records spell it. */
  readonly shortName: string;
  readonly fullName: string;
}

export const DEFAULT_NAMES: Readonly<Record<Axis, ChainNames>> = {
  primary: { shortName: 'MAINCHAIN', fullName: 'Main chain' },
  zone: { shortName: 'ZONECHAIN', fullName: 'Zone chain' },
};

export interface Query {
  readonly dataset: string;
  /** Of the dataset's own heights; may be empty (`from` above `to`). */
  readonly interval: Interval;
  /** Absent: all records. Else those that name one of `values` in one of `columns`. */
  readonly keys?: Keys;
  /** All of these must hold as well. */
  readonly equals: readonly { readonly column: string; readonly value: string }[];
  /** A record that names two of the keys is listed twice, and not once. */
  readonly oncePerKey: boolean;
  /** How many of the newest records to leave out. */
  readonly offset: number;
  readonly count: number;
}

export interface Keys {
  readonly columns: readonly string[];
  /** Distinct, in canonical spelling. */
  readonly values: readonly string[];
}

export interface Found {
  /** How many records the query has without `offset` and `count`. */
  readonly total: number;
  readonly records: readonly CanonicalRecord[];
}
