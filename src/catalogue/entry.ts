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

export type ParamType = 'String' | 'Integer' | 'Long' | 'Array';

/** What a parameter is for. Columns name where a record must agree with the parameter's value. */
export type Role =
  | { readonly role: 'chain' }
  /** Up to `max` comma-separated keys; a record matches when one of `columns` names one of them. */
  | { readonly role: 'keys'; readonly max: number; readonly columns: readonly string[] }
  /** Inclusive lower bound of the heights. */
  | { readonly role: 'from-block' }
  | { readonly role: 'to-block' }
  /** Exactly one height. */
  | { readonly role: 'height' }
  /** `from` or `to`: which of the two columns must name the key. */
  | { readonly role: 'side'; readonly from: string; readonly to: string }
  /** The column equals the value. With `fills`, records lack it and the walk fills it in. */
  | { readonly role: 'equals'; readonly column: ColumnWord; readonly fills?: true }
  | { readonly role: 'page' }
  | { readonly role: 'limit' };

export type Param = Role & {
  readonly name: string;
  readonly type: ParamType;
  readonly required: boolean;
  readonly meaning: string;
  /** The only values allowed, where the interface lists them. */
  readonly values?: readonly string[];
  /** Used by the service when the parameter is absent. */
  readonly default?: string;
};

export type Reply =
  /** `data` is one object with the paging fields and one list. */
  | {
      readonly shape: 'paged';
      readonly list: string;
      /** Other names of the list met in samples. */
      readonly listAliases?: readonly string[];
      /** Fields beside page, limit and totalPage. */
      readonly extras?: readonly string[];
    }
  /** `data` is the list itself. */
  | { readonly shape: 'bare' };

/**
 * - `ranged`: closed by block bounds, so a walk of it can be proven complete;
 * - `positional`: newest first, and moving while it is read;
 * - `by-key`: what belongs to the keys asked, at once.
 */
export type ListKind = 'ranged' | 'positional' | 'by-key';

export type Axis = 'primary' | 'zone';

export interface Limits {
  /** Largest and default page size; absent for replies that are not paged. */
  readonly pageSize?: { readonly max: number; readonly default: number };
  /** Largest difference between the last and the first block asked. Absent: any interval. */
  readonly blockSpan?: number;
  /** How many of the newest heights the list can reach. Absent: all. */
  readonly depthBlocks?: number;
}

export interface Endpoint {
  /** The URL's segments after the version: also the entry's place in the tree. */
  readonly path: string;
  readonly method: 'GET';
  readonly axis: Axis;
  readonly summary: string;
  readonly dataset: string;
  readonly params: readonly Param[];
  readonly reply: Reply;
  readonly list: ListKind;
  /** Its first record is the newest block of the axis. */
  readonly servesHead?: true;
  readonly limits: Limits;
  readonly fields: readonly Field[];
}

export interface Dataset {
  readonly name: string;
  readonly axis: Axis;
  readonly summary: string;
  /** Columns that identify a record, or none: then equal records are all kept. */
  readonly identity: readonly string[];
  /** Column that holds the record's height on the dataset's axis. */
  readonly heightColumn: string;
  /** Columns the rows of a file are sorted by, after the height. */
  readonly sortedBy: readonly string[];
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
