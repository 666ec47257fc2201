import type { Kind, SqlType } from './kind.ts';

/**
 * The words of the catalogue. An entry is a value: everything that client, planner, decoder, lake,
 * views and service need to know of an endpoint is declared here as data, so no shared code ever
 * asks which endpoint it has before it.
 */

/** A column of the lake, by the vocabulary all datasets share. */
export interface ColumnWord {
  readonly column: string;
  readonly kind: Kind;
  /** What the value means, as the column's comment. */
  readonly meaning: string;
  readonly unit?: string;
  /**
   * The value may change after the fact, without a reorganisation; never part of digests, audits
   * or comparisons.
   */
  readonly volatile?: true;
}

/** One field of a record as the interface spells it, and the column it lands in. */
export interface Field extends ColumnWord {
  /** The documented name: the one the service answers with. */
  readonly wire: string;
  /** Other spellings met in samples or in the field. Present together and different is an error. */
  readonly aliases: readonly string[];
}

export type ParamType = 'String' | 'Integer' | 'Long' | 'Array' | 'Boolean';

/** Kinds of keys; views prefer the fields of lists that are asked by an earlier kind. */
export const KEY_KINDS = ['transaction', 'address', 'token'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What a parameter is for. Columns name where a record must agree with the parameter's value. */
export type Role =
  | { readonly role: 'chain' }
  /**
   * Up to `max` comma-separated keys; a record matches when one of `columns` names one of them. A
   * list whose keys are not required can be asked without, and is then another list.
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
  /** `from` or `to`: which of the two columns must name the key. */
  | { readonly role: 'side'; readonly from: string; readonly to: string }
  /**
   * The column equals the value. With `fills`, records lack it and the walk fills it in. With
   * `datasets`, the value says which dataset the records belong to, and fills the column only
   * where it is one of `fills`.
   */
  | {
      readonly role: 'equals';
      readonly column: ColumnWord;
      readonly fills?: true | readonly string[];
      readonly datasets?: Readonly<Record<string, string>>;
    }
  /** One of the columns holds the value. */
  | { readonly role: 'names'; readonly columns: readonly ColumnWord[] }
  /** The column is at least, or at most, the value; both bounds belong to what they bound. */
  | { readonly role: 'at-least' | 'at-most'; readonly column: ColumnWord }
  /** A member of the JSON body of a submission. */
  | { readonly role: 'body'; readonly column?: ColumnWord; readonly max?: number }
  | { readonly role: 'page' }
  | { readonly role: 'limit' };

export type Param = Role & {
  readonly name: string;
  readonly type: ParamType;
  readonly required: boolean;
  /** Required all the same unless another parameter has this value. */
  readonly requiredUnless?: { readonly name: string; readonly is: string };
  readonly meaning: string;
  /** The only values allowed, where the interface lists them. */
  readonly values?: readonly string[];
  /** Used by the service when the parameter is absent. */
  readonly default?: string;
};

export type ReplyShape =
  /** `data` is one object with the paging fields and one list. */
  | {
      readonly shape: 'paged';
      readonly list: string;
      /** Other names of the list met in samples. */
      readonly listAliases?: readonly string[];
      /** Fields beside page, limit and totalPage. */
      readonly extras?: readonly string[];
      /** Which of the extras counts all records of the list. */
      readonly total?: string;
    }
  /** `data` is the list itself. */
  | { readonly shape: 'bare' }
  /** `data` holds one text. */
  | { readonly shape: 'single'; readonly column: ColumnWord };

/**
 * - `ranged`: closed by block bounds, so a walk of it can be proven complete;
 * - `positional`: newest first, and moving while it is read;
 * - `by-key`: what belongs to the keys or the height asked, and to nothing else;
 * - `snapshot`: a state as of the moment it is read, without heights;
 * - `submission`: no list at all, but something handed in.
 */
export type ListKind = 'ranged' | 'positional' | 'by-key' | 'snapshot' | 'submission';

export type Axis = 'primary' | 'zone';

export interface Limits {
  /** Largest and default page size; absent for replies that are not paged. */
  readonly pageSize?: { readonly max: number; readonly default: number };
  /** Largest difference between the last and the first block asked. Absent: any interval. */
  readonly blockSpan?: number;
  /** How many of the newest heights the list can reach. Absent: all. */
  readonly depthBlocks?: number;
  /** How many records the list has at most, by its definition. Absent: any number. */
  readonly depthRecords?: number;
  /** How many years before the newest record of the keys the list can reach. Absent: all. */
  readonly depthYears?: number;
}

/**
 * How a list shows what is in no block yet. Such a record has this state and none of the absent
 * columns; it is not broken, and lands in a table of its own without a height. A record that lacks
 * one of these columns in any other state is broken.
 */
export interface PendingState {
  readonly state: ColumnWord;
  readonly is: string;
  readonly absent: readonly ColumnWord[];
  /** Words in place of the dataset's, by its column: the value means something else here. */
  readonly instead: Readonly<Record<string, ColumnWord>>;
}

export interface Endpoint {
  /** The URL's segments after the version: also the entry's place in the tree. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly axis: Axis;
  readonly summary: string;
  /** Where its records land, unless a parameter says otherwise; see `datasetOf`. */
  readonly dataset: string;
  readonly params: readonly Param[];
  readonly reply: ReplyShape;
  readonly list: ListKind;
  /** Its first record is the newest block of the axis. */
  readonly servesHead?: true;
  readonly limits: Limits;
  readonly fields: readonly Field[];
  /** Absent: every record of the list is in a block. */
  readonly pending?: PendingState;
  /** Where the interface contradicts itself or is silent on this operation, and what we do. */
  readonly contradictions?: readonly string[];
}

export interface Dataset {
  readonly name: string;
  readonly axis: Axis;
  readonly summary: string;
  /** Columns that identify a record, or none: then equal records are all kept. */
  readonly identity: readonly string[];
  /** Columns that every record has a field for, be it empty; a record without it is broken. */
  readonly essential: readonly string[];
  /** Column that holds the record's height on the dataset's axis. */
  readonly heightColumn: string;
  /** Columns the rows of a file are sorted by, after the height. */
  readonly sortedBy: readonly string[];
  /** As far as is known there is one record at every height; only estimates rely on it. */
  readonly isOnePerHeight?: true;
  /** Columns that no record carries, and that windrow knows from how it asked. */
  readonly words?: readonly ColumnWord[];
}

/** A vocabulary word. */
export function word(
  column: string,
  kind: Kind,
  meaning: string,
  more: { readonly unit?: string; readonly volatile?: true } = {},
): ColumnWord {
  return { column, kind, meaning, ...more };
}

/** A field of a record: its documented name, the word it stands for, and what differs here. */
export function field(
  wire: string,
  of: ColumnWord,
  more: { readonly aliases?: readonly string[]; readonly unit?: string } = {},
): Field {
  return { ...of, ...more, wire, aliases: more.aliases ?? [] };
}

export function endpoint<const E extends Endpoint>(entry: E): E {
  return entry;
}

export function dataset<const D extends Dataset>(entry: D): D {
  return entry;
}

/** A column as it stands in a table: a word may become several. */
export interface Column {
  readonly name: string;
  readonly type: SqlType;
  readonly comment: string;
  readonly volatile: boolean;
}

/** The columns a word becomes, in order. */
export function columnsOf(of: ColumnWord): Column[] {
  const unit = of.unit === undefined ? '' : ` [${of.unit}]`;
  return of.kind.columns.map((shape) => ({
    name: of.column + shape.suffix,
    type: shape.type,
    comment: `${of.meaning}${unit}`,
    volatile: of.volatile === true,
  }));
}
