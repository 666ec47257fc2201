import type { Kind, SqlType } from './column-kind.ts';

/**
 * The types of the catalogue. An entry is a value that declares everything the client, planner,
 * decoder, lake, views and service need to know about an endpoint, so shared code never depends on
 * the name of an endpoint.
 */

/** A column of the lake, from the vocabulary that all datasets share. */
export interface ColumnWord {
  readonly column: string;
  readonly kind: Kind;
  /** The comment of the column. */
  readonly meaning: string;
  readonly unit?: string;
  /**
   * The value may change later without a reorganisation, so digests, audits and comparisons ignore
   * it.
   */
  readonly volatile?: true;
}

/** One field of a record: its name in the interface, and the column it lands in. */
export interface Field extends ColumnWord {
  /** The documented name, which the service sends. */
  readonly wire: string;
  /**
   * Other spellings in samples or real responses. Two spellings with different values in one record
   * are an error.
   */
  readonly aliases: readonly string[];
}

export type ParamType = 'String' | 'Integer' | 'Long' | 'Array' | 'Boolean';

/** Kinds of keys. Views prefer fields from lists with an earlier kind. */
export const KEY_KINDS = ['transaction', 'address', 'token'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** The purpose of a parameter. Its columns are those that must agree with the parameter's value. */
export type Role =
  | { readonly role: 'chain' }
  /**
   * Up to `max` comma-separated keys. A record matches when one of `columns` holds one of them.
   * Where keys are optional, a request without keys reads another list.
   */
  | {
      readonly role: 'keys';
      readonly keyKind: KeyKind;
      readonly max: number;
      readonly columns: readonly string[];
    }
  /** Inclusive lower bound of the heights. */
  | { readonly role: 'from-block' }
  | { readonly role: 'to-block' }
  /** Exactly one height. */
  | { readonly role: 'height' }
  /** The column that must hold the key: that of `from` or that of `to`. */
  | { readonly role: 'side'; readonly from: string; readonly to: string }
  /**
   * The column equals the value. With `fills`, records lack the column and the walk fills it in.
   * With `datasets`, the value selects the dataset of the records, and fills the column only if
   * the value is one of `fills`.
   */
  | {
      readonly role: 'equals';
      readonly column: ColumnWord;
      readonly fills?: true | readonly string[];
      readonly datasets?: Readonly<Record<string, string>>;
    }
  /** One of the columns holds the value. */
  | { readonly role: 'names'; readonly columns: readonly ColumnWord[] }
  /** The column is at least, or at most, the value. Bounds are inclusive. */
  | { readonly role: 'at-least' | 'at-most'; readonly column: ColumnWord }
  /** A member of the JSON body of a submission. */
  | { readonly role: 'body'; readonly column?: ColumnWord; readonly max?: number }
  | { readonly role: 'page' }
  | { readonly role: 'limit' };

export type Param = Role & {
  readonly name: string;
  readonly type: ParamType;
  readonly required: boolean;
  /** Required unless another parameter has this value. */
  readonly requiredUnless?: { readonly name: string; readonly is: string };
  readonly meaning: string;
  /** The allowed values, where the interface lists them. */
  readonly values?: readonly string[];
  /** Used by the service when the parameter is absent. */
  readonly default?: string;
};

export type ReplyShape =
  /** `data` is one object with the paging fields and one list. */
  | {
      readonly shape: 'paged';
      readonly list: string;
      /** Other names of the list in samples. */
      readonly listAliases?: readonly string[];
      /** Fields beside page, limit and totalPage. */
      readonly extras?: readonly string[];
      /** The extra field that counts all records of the list. */
      readonly total?: string;
    }
  /** `data` is the list itself. */
  | { readonly shape: 'bare' }
  /** `data` holds one text. */
  | { readonly shape: 'single'; readonly column: ColumnWord };

/**
 * - `ranged`: has block bounds, so a walk of it can be proven complete;
 * - `positional`: newest first, and its records shift while it is read;
 * - `by-key`: the records of the requested keys or height;
 * - `snapshot`: the state at the time of the request, without heights;
 * - `submission`: a POST of data instead of a list.
 */
export type ListKind = 'ranged' | 'positional' | 'by-key' | 'snapshot' | 'submission';

export type Axis = 'primary' | 'zone';

export interface Limits {
  /** Largest and default page size; absent for replies that are not paged. */
  readonly pageSize?: { readonly max: number; readonly default: number };
  /** Largest difference between the last and the first block of a request. Absent: no limit. */
  readonly blockSpan?: number;
  /** Depth limit in blocks below the head. Absent: no limit. */
  readonly depthBlocks?: number;
  /** Most records of the list, by its definition. Absent: no limit. */
  readonly depthRecords?: number;
  /** Depth limit in years before the newest record of the keys. Absent: no limit. */
  readonly depthYears?: number;
}

/**
 * How a list shows pending records, which are in no block yet. Such a record has this state and
 * none of the absent columns. It lands in a separate table, without a height. A record in another
 * state that lacks one of these columns is broken.
 */
export interface PendingState {
  readonly state: ColumnWord;
  readonly is: string;
  readonly absent: readonly ColumnWord[];
  /** Columns that replace those of the dataset, by name: the value has another meaning here. */
  readonly instead: Readonly<Record<string, ColumnWord>>;
}

/**
 * A column that the service may fill in after it lists the record. A record is unfinished while the
 * column is empty, or while its height on another axis is not final.
 */
export interface LateColumn {
  readonly column: ColumnWord;
  /** Only records with this value in another column get one. */
  readonly where?: { readonly column: ColumnWord; readonly is: string };
  /** The column is a height of this axis. */
  readonly axis?: Axis;
}

export interface Endpoint {
  /** The segments of the URL after the version; also the path of the entry's file. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly axis: Axis;
  readonly summary: string;
  /** The dataset of its records, unless a parameter selects another; see `datasetOf`. */
  readonly dataset: string;
  readonly params: readonly Param[];
  readonly reply: ReplyShape;
  readonly list: ListKind;
  /** Its first record is the newest block of the axis. */
  readonly servesHead?: true;
  readonly limits: Limits;
  readonly fields: readonly Field[];
  /** Absent: the list has no pending records. */
  readonly pending?: PendingState;
  /** A record is finished once none of these is missing. Absent: its first listing is final. */
  readonly finishedBy?: readonly LateColumn[];
  /** Contradictions and ambiguities of this operation, each with windrow's decision. */
  readonly contradictions?: readonly string[];
}

export interface Dataset {
  readonly name: string;
  readonly axis: Axis;
  readonly summary: string;
  /** Columns that identify a record. Empty: equal records are all kept. */
  readonly identity: readonly string[];
  /** Columns for which every record has a field, possibly empty. Other records are broken. */
  readonly essential: readonly string[];
  /** Column that holds the record's height on the dataset's axis. */
  readonly heightColumn: string;
  /** Sort order of the rows of a file, after the height. */
  readonly sortedBy: readonly string[];
  /** Assumes one record per height. Used by estimates only. */
  readonly isOnePerHeight?: true;
  /** Columns that no record carries and that windrow fills in from the request. */
  readonly words?: readonly ColumnWord[];
}

/** A column of the vocabulary. */
export function word(
  column: string,
  kind: Kind,
  meaning: string,
  more: { readonly unit?: string; readonly volatile?: true } = {},
): ColumnWord {
  return { column, kind, meaning, ...more };
}

/** A field of a record: its documented name, its column, and deviations from that column. */
export function field(
  wire: string,
  word: ColumnWord,
  more: { readonly aliases?: readonly string[]; readonly unit?: string } = {},
): Field {
  return { ...word, ...more, wire, aliases: more.aliases ?? [] };
}

export function endpoint<const E extends Endpoint>(entry: E): E {
  return entry;
}

export function dataset<const D extends Dataset>(entry: D): D {
  return entry;
}

/** A column of a table. One `ColumnWord` may become several. */
export interface Column<T extends SqlType = SqlType> {
  readonly name: string;
  readonly type: T;
  readonly comment: string;
  readonly volatile: boolean;
}

/**
 * A table of rows that windrow captures outside of the lists: of the stream or the pending state.
 * Its rows are only appended, and no coverage speaks of them.
 */
export interface CapturedShape {
  readonly name: string;
  readonly summary: string;
  readonly columns: readonly Column[];
  /** Integer column of a height of the primary chain. */
  readonly heightColumn: string;
  readonly sortedBy: readonly string[];
}

export function column<T extends SqlType>(name: string, type: T, comment: string): Column<T> {
  return { name, type, comment, volatile: false };
}

/** A column that is never part of digests, audits or comparisons. */
export function lineage<T extends SqlType>(name: string, type: T, comment: string): Column<T> {
  return { name, type, comment, volatile: true };
}

/** The table columns of a `ColumnWord`, in order. */
export function columnsOf(word: ColumnWord): Column[] {
  const unit = word.unit === undefined ? '' : ` [${word.unit}]`;
  return word.kind.columns.map((shape) => ({
    name: word.column + shape.suffix,
    type: shape.type,
    comment: `${word.meaning}${unit}`,
    volatile: word.volatile === true,
  }));
}

/** The fields of an endpoint that do not change without a reorganisation. */
export function stableFields({ fields }: Endpoint): Field[] {
  return fields.filter(({ volatile }) => volatile !== true);
}
