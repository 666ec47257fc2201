import type { ColumnWord } from '../catalogue/entry.ts';
import { columnsOf } from '../catalogue/entry.ts';
import { datasetNamed, datasetsOf, endpoints, wordsOfDataset } from '../catalogue/index.ts';
import { amount, hash, party, type SqlType } from '../catalogue/kind.ts';
import type { CanonicalRecord } from '../catalogue/record.ts';
import { identifier } from '../land/parquet.ts';
import { isSnapshot } from './snapshots.ts';

/**
 * How the records of a dataset stand in the table they are served from: one column a word, with
 * what canonical text is made from, and a few that questions are decided by.
 */

/** Place of a record in the order of its dataset, from 0 without gaps; the last is listed first. */
export const POSITION = '_position';
/** Whether a party of the record names several addresses. */
export const NAMES_SEVERAL = '_names_several';

export interface StoredColumn {
  readonly name: string;
  /** SQL over a row of the lake. */
  readonly value: string;
  /** Later readings are believed before richer ones. */
  readonly volatile: boolean;
}

export interface ServedDataset {
  readonly name: string;
  readonly words: readonly ColumnWord[];
  readonly heightColumn: string;
  readonly isSnapshot: boolean;
  readonly columns: readonly StoredColumn[];
  /** The words that name parties. */
  readonly parties: readonly string[];
  /** Columns of hashes that records are looked up by. */
  readonly lookedUp: readonly string[];
  /** SQL of the order of positions. */
  readonly order: string;
}

/** What is served of a dataset, and how it is stored. */
export function servedDataset(name: string): ServedDataset {
  const dataset = datasetNamed(name);
  const words = wordsOfDataset(name);
  const stored = words.flatMap(storedColumns);
  const sorted = dataset.sortedBy.map(identifier);
  // Copies without a key may differ in anything; the order is the same whenever it is built.
  const rest = dataset.identity.length > 0 ? [] : stored.map(({ name: each }) => identifier(each));
  // Listings run backwards, so the first of a ranking has to stand last.
  const order = isSnapshot(dataset)
    ? sorted.map((each) => `${each} DESC NULLS FIRST`)
    : [identifier(dataset.heightColumn), ...sorted];
  return {
    name,
    words,
    heightColumn: dataset.heightColumn,
    isSnapshot: isSnapshot(dataset),
    columns: stored,
    parties: words.filter(({ kind }) => kind === party).map(({ column }) => column),
    lookedUp: lookedUpColumns(name, words),
    order: [...order, ...rest].join(', '),
  };
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

/** Numbers of more than 64 bits are kept as text: single ones are dear to read otherwise. */
function storedSql(plain: string, type: SqlType): string {
  if (type === 'TIMESTAMPTZ') return `epoch_ms(${plain})`;
  return type === 'DECIMAL(38,0)' ? `CAST(${plain} AS VARCHAR)` : plain;
}

/** Name of the column that holds the word's value. */
export function storedName(word: ColumnWord): string {
  return columnsOf(word)[0]?.name ?? word.column;
}

/** SQL for the word's value as canonical text, or as a flag. */
export function canonicalSql(word: ColumnWord): string {
  const plain = identifier(storedName(word));
  if (word.kind.wire === 'boolean' || columnsOf(word)[0]?.type === 'VARCHAR') return plain;
  return `CAST(${plain} AS VARCHAR)`;
}

/** The record of a row that holds the words' values in their order, from `first` on. */
export function recordOf(
  words: readonly ColumnWord[],
  row: readonly unknown[],
  first: number,
): CanonicalRecord {
  const record: Record<string, string | boolean | null> = {};
  words.forEach(({ column }, i) => {
    const value = row[first + i];
    record[column] = typeof value === 'string' || typeof value === 'boolean' ? value : null;
  });
  return record;
}

function lookedUpColumns(dataset: string, words: readonly ColumnWord[]): string[] {
  const asked = endpoints
    .filter((endpoint) => datasetsOf(endpoint).includes(dataset))
    .flatMap(({ params }) => params)
    .flatMap((param) => {
      if (param.role === 'keys') return param.columns;
      return param.role === 'names' ? param.columns.map(({ column }) => column) : [];
    });
  return words
    .filter(({ column, kind }) => kind === hash && asked.includes(column))
    .map(({ column }) => column);
}
