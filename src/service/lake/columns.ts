import { chainFullName } from '../../catalogue/blocks-vocabulary.ts';
import {
  address,
  amount,
  hash,
  type Kind,
  party,
  type SqlType,
} from '../../catalogue/column-kind.ts';
import type { ColumnWord, Dataset, Endpoint } from '../../catalogue/entry.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import {
  datasetNamed,
  datasetsOf,
  endpoints,
  fieldFor,
  filledBy,
  paramOf,
  wordsOfDataset,
} from '../../catalogue/index.ts';
import type { CanonicalRecord } from '../../catalogue/record.ts';
import { blockTime } from '../../catalogue/vocabulary.ts';
import { findList } from '../../coverage/list.ts';
import type { LandedList } from '../../curate/rule/lists.ts';
import { LIST_POSITION } from '../../land/rows/columns.ts';
import { isInAnswerOrder } from '../../land/rows/decode.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { columnsNamed } from '../memory/filter-columns.ts';
import { isSnapshot } from '../memory/snapshots.ts';

/**
 * The table that a dataset is served from: each record as one text, and beside it the columns that
 * queries filter by.
 */

/**
 * Position of a record in the order of its dataset, from 0 without gaps; the last is listed first.
 */
export const POSITION = '_position';
/**
 * The record: a JSON array of the canonical texts and flags of its words, followed by `EXPORTED`.
 * Reading a page of records touches this one column instead of one column for every word.
 */
export const RECORD = '_record';
/** Position of a record in the answer for its block, and for its hash; NULL if unknown. */
const PLACE_IN_BLOCK = '_place_in_block';
const PLACE_IN_HASH = '_place_in_hash';
/** The lowest position in the block among the records of the same transaction. */
const FIRST_IN_BLOCK = '_first_in_block';
/** The words for which the lists that contain the record have fields: bit n for the nth word. */
export const EXPORTED = '_exported';
/** Whether a party of the record names several addresses. */
export const NAMES_SEVERAL = '_names_several';

export interface StoredColumn {
  readonly name: string;
  /** SQL over a row of the lake. */
  readonly value: string;
  /** Later readings take precedence over readings with more fields. */
  readonly volatile: boolean;
}

export interface ServedDataset {
  readonly name: string;
  readonly words: readonly ColumnWord[];
  readonly heightColumn: string;
  readonly isSnapshot: boolean;
  /** The columns that are merged: one for each word, and the numeric values of amounts. */
  readonly columns: readonly StoredColumn[];
  /** The columns among them that queries filter by; they are stored beside the record. */
  readonly asked: readonly string[];
  /** The words that name parties. */
  readonly parties: readonly string[];
  /** The hashes by which records are looked up. */
  readonly hashes: readonly string[];
  /** The columns by which records are looked up: hashes and addresses. */
  readonly lookedUp: readonly string[];
  /** SQL for the order of positions. */
  readonly order: string;
  /**
   * SQL for columns that the order needs besides the stored ones: empty, or with a leading comma.
   */
  readonly ordering: string;
}

/** The served columns of a dataset, and how they are stored. */
export function servedDataset(name: string): ServedDataset {
  const dataset = datasetNamed(name);
  const words = wordsOfDataset(name);
  const places = placeColumns(name);
  const stored = [...words.flatMap(storedColumns), ...places];
  const askedWords = words.filter(({ column }) => isAsked(dataset, column));
  const sorted = dataset.sortedBy.map(identifier);
  // Copies without a key may differ in any column; the order is deterministic.
  const rest = dataset.identity.length > 0 ? [] : stored.map(({ name: each }) => identifier(each));
  // Lists run backwards, so the first record of a ranking or an answer has the highest position.
  const order = isSnapshot(dataset)
    ? sorted.map((each) => `${each} DESC NULLS FIRST`)
    : [identifier(dataset.heightColumn), ...(places.length === 0 ? sorted : placed(sorted))];
  return {
    name,
    words,
    heightColumn: dataset.heightColumn,
    isSnapshot: isSnapshot(dataset),
    columns: stored,
    asked: askedWords.flatMap(storedColumns).map(({ name: each }) => each),
    parties: words.filter(({ kind }) => kind === party).map(({ column }) => column),
    hashes: lookedUpColumns(name, words, [hash]),
    lookedUp: lookedUpColumns(name, words, [hash, party, address]),
    order: [...order, ...rest].join(', '),
    ordering: places.length === 0 ? '' : `, ${firstInBlockSql(dataset)}`,
  };
}

/**
 * SQL for the order of records within a block. Transactions have the order of the block's list.
 * Records of one transaction have the order of the list by its hash, or else of the block's list.
 */
function placed([transaction = '', ...sorted]: readonly string[]): string[] {
  const backwards = (column: string): string => `${column} DESC NULLS FIRST`;
  const places = [PLACE_IN_HASH, PLACE_IN_BLOCK].map(backwards);
  return [backwards(FIRST_IN_BLOCK), transaction, ...places, ...sorted];
}

function firstInBlockSql({ heightColumn, sortedBy }: Dataset): string {
  const within = [heightColumn, ...sortedBy.slice(0, 1)].map(identifier).join(', ');
  return `min(${PLACE_IN_BLOCK}) OVER (PARTITION BY ${within}) AS ${FIRST_IN_BLOCK}`;
}

function storedColumns(word: ColumnWord): StoredColumn[] {
  const volatile = word.volatile === true;
  const [first, number] = columnsOf(word);
  if (first === undefined) throw new Error(`${word.column} has no column`);
  const plain = identifier(first.name);
  const text = { name: first.name, value: storedSql(plain, first.type), volatile };
  if (word.kind !== amount || number === undefined) return [text];
  return [text, { name: number.name, value: identifier(number.name), volatile }];
}

/** Empty if no list of the dataset has a recorded order. */
function placeColumns(dataset: string): StoredColumn[] {
  const ordered = endpoints.filter(
    (each) => isInAnswerOrder(each) && datasetsOf(each).includes(dataset),
  );
  if (ordered.length === 0) return [];
  const placeSql = (lists: readonly Endpoint[]): string => {
    const paths = ["''", ...lists.map(({ path }) => literal(path))].join(', ');
    return `CASE WHEN _endpoint IN (${paths}) THEN ${LIST_POSITION} END`;
  };
  const isByHash = (each: Endpoint): boolean => paramOf(each, 'keys') !== undefined;
  const byHash = ordered.filter(isByHash);
  const byBlock = ordered.filter((each) => !isByHash(each));
  return [
    { name: PLACE_IN_BLOCK, value: placeSql(byBlock), volatile: false },
    { name: PLACE_IN_HASH, value: placeSql(byHash), volatile: false },
  ];
}

/**
 * Numbers of more than 64 bits are stored as text, because reading single values is slow otherwise.
 */
function storedSql(plain: string, type: SqlType): string {
  if (type === 'TIMESTAMPTZ') return `epoch_ms(${plain})`;
  return type === 'DECIMAL(38,0)' ? `CAST(${plain} AS VARCHAR)` : plain;
}

/** Name of the column that stores the word's value. */
export function storedName(word: ColumnWord): string {
  return columnsOf(word)[0]?.name ?? word.column;
}

/** SQL for the word's value as canonical text, or as a flag. */
export function canonicalSql(word: ColumnWord): string {
  const plain = identifier(storedName(word));
  if (word.kind.wire === 'boolean' || columnsOf(word)[0]?.type === 'VARCHAR') return plain;
  return `CAST(${plain} AS VARCHAR)`;
}

/** SQL for the text of a record. */
export function recordSql({ words }: ServedDataset): string {
  return `json_array(${[...words.map(canonicalSql), EXPORTED].join(', ')})`;
}

/** Parses the text of a record. Words for which no list of the record has a field are left out. */
export function recordOf(words: readonly ColumnWord[], text: string): CanonicalRecord {
  const values: unknown[] = JSON.parse(text);
  const exported = Number(values[words.length]);
  const record: Record<string, string | boolean | null> = {};
  words.forEach(({ column }, i) => {
    const value = values[i];
    if (typeof value === 'string' || typeof value === 'boolean') record[column] = value;
    else if (hasBit(exported, i)) record[column] = null;
  });
  return record;
}

/**
 * The words that a list has fields for, or that follow from its parameters, as bits of a number. A
 * dataset has fewer than 53 words. All bits are set for a list that is not in the catalogue.
 */
export function exportedBy({ words }: Pick<ServedDataset, 'words'>, list: LandedList): number {
  const found = findList(list);
  const filled = found && [...filledBy(found.entry, found.filters).keys()];
  return words.reduce((bits, { column }, i) => {
    const isExported =
      found === undefined ||
      fieldFor(found.entry, column) !== undefined ||
      filled?.some((word) => word.column === column) === true;
    return isExported ? bits + 2 ** i : bits;
  }, 0);
}

function hasBit(bits: number, nth: number): boolean {
  return Math.floor(bits / 2 ** nth) % 2 === 1;
}

/** A depth limit in years needs times. The chain's name comes from the newest record. */
const ALWAYS_ASKED = new Set([blockTime.column, chainFullName.column]);
const NAMED_BY_REQUESTS = new Set(endpoints.flatMap(({ params }) => params).flatMap(columnsNamed));

function isAsked({ heightColumn }: Dataset, column: string): boolean {
  return column === heightColumn || ALWAYS_ASKED.has(column) || NAMED_BY_REQUESTS.has(column);
}

function lookedUpColumns(
  dataset: string,
  words: readonly ColumnWord[],
  kinds: readonly Kind[],
): string[] {
  const asked = endpoints
    .filter((endpoint) => datasetsOf(endpoint).includes(dataset))
    .flatMap(({ params }) => params)
    .filter(({ role }) => role === 'keys' || role === 'names')
    .flatMap(columnsNamed);
  return words
    .filter(({ column, kind }) => kinds.includes(kind) && asked.includes(column))
    .map(({ column }) => column);
}
