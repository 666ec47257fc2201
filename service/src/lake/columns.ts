import { hash, party } from '../../../src/catalogue/column-kind.ts';
import { type Axis, type ColumnWord, columnsOf, type Param } from '../../../src/catalogue/entry.ts';
import {
  datasetNamed,
  datasetsOf,
  endpoints,
  fieldFor,
  findEndpoint,
  wordsOfDataset,
} from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { crossStatus, zoneStatus } from '../../../src/catalogue/zone-vocabulary.ts';
import { identifier } from '../../../src/land/storage/sql-text.ts';
import { isSnapshot } from '../memory/snapshots.ts';

/** A dataset, and how its records are read from its curated table. */
export interface ServedDataset {
  readonly name: string;
  readonly axis: Axis;
  readonly words: readonly ColumnWord[];
  readonly heightColumn: string;
  readonly isSnapshot: boolean;
  /** The words that name parties. */
  readonly parties: readonly string[];
  /** The hashes by which records are looked up. */
  readonly hashes: readonly string[];
  /** SQL for the order of lists: the newest record comes first, the first rank of a ranking. */
  readonly order: string;
  /** SQL for a column that the order needs: empty, or with a leading comma. */
  readonly ordering: string;
}

/** The lowest place in the block among the records of the same transaction. */
const FIRST_IN_BLOCK = '_first_in_block';

export function servedDataset(name: string): ServedDataset {
  const dataset = datasetNamed(name);
  const words = wordsOfDataset(name);
  const sorted = dataset.sortedBy.map(identifier);
  // Copies without a key may differ in any column; the order is deterministic.
  const rest = dataset.identity.length > 0 ? [] : words.map((word) => canonicalSql(dataset, word));
  const places = PLACES.get(name);
  const last = (term: string): string => `${term} DESC NULLS LAST`;
  const ranked = sorted.map((term) => `${term} NULLS LAST`);
  const within = places === undefined ? sorted.map(last) : placed(sorted, places.within);
  return {
    name,
    axis: dataset.axis,
    words,
    heightColumn: dataset.heightColumn,
    isSnapshot: isSnapshot(dataset),
    parties: words.filter(({ kind }) => kind === party).map(({ column }) => column),
    hashes: lookedUpColumns(name, words),
    order: (isSnapshot(dataset)
      ? ranked
      : [`${identifier(dataset.heightColumn)} DESC`, ...within, ...rest.map(last)]
    ).join(', '),
    ordering:
      places === undefined
        ? ''
        : `, min(${places.inBlock}) OVER (
            PARTITION BY ${identifier(dataset.heightColumn)}, ${sorted[0]}
          ) AS ${FIRST_IN_BLOCK}`,
  };
}

/**
 * SQL by dataset for the place of a record in the list of its block, and among the records of its
 * transaction. Places of a look-up by hash come first: all records of the transaction have one.
 */
const PLACES: ReadonlyMap<string, { readonly inBlock: string; readonly within: string }> = new Map([
  ['transactions', { inBlock: 'list_position', within: 'list_position' }],
  ...['internal_transactions', 'token_transfers'].map(
    (name) =>
      [
        name,
        { inBlock: 'block_position', within: 'coalesce(list_position, block_position)' },
      ] as const,
  ),
]);

/** Transactions have the order of the block's list; records of one transaction, that of places. */
function placed([transaction = '', ...sorted]: readonly string[], within: string): string[] {
  const first = [`${FIRST_IN_BLOCK} NULLS LAST`, `${transaction} DESC NULLS LAST`];
  return [...first, `${within} NULLS LAST`, ...sorted.map((term) => `${term} DESC NULLS LAST`)];
}

/** Curated tables have one word for a status on both chains; the zone chain serves another one. */
const ZONE_STATUSES = [zoneStatus.column, crossStatus.column];

/** SQL for the word's value: text, a flag, or a whole number (of a time, its milliseconds). */
export function valueSql({ axis }: Pick<ServedDataset, 'axis'>, word: ColumnWord): string {
  const [first] = columnsOf(word);
  const plain = identifier(first?.name ?? word.column);
  if (axis === 'zone' && ZONE_STATUSES.includes(word.column)) {
    return `CASE ${plain} WHEN 'success' THEN '0x1' WHEN 'fail' THEN '0x0' ELSE ${plain} END`;
  }
  return first?.type === 'TIMESTAMPTZ' ? `epoch_ms(${plain})` : plain;
}

/** SQL for the word's value as canonical text, or as a flag. */
export function canonicalSql(dataset: Pick<ServedDataset, 'axis'>, word: ColumnWord): string {
  const value = valueSql(dataset, word);
  if (word.kind.wire === 'boolean' || columnsOf(word)[0]?.type === 'VARCHAR') return value;
  return `CAST(${value} AS VARCHAR)`;
}

/** SQL for a record: a JSON array of the texts and flags of its words, and of its endpoints. */
export function recordSql(dataset: ServedDataset): string {
  const texts = dataset.words.map((word) => canonicalSql(dataset, word));
  return `CAST(json_array(${[...texts, 'sources'].join(', ')}) AS VARCHAR)`;
}

/** Parses a record. Words for which no endpoint of the record has a field are left out. */
export function recordOf({ words }: ServedDataset, text: string): CanonicalRecord {
  const values: unknown[] = JSON.parse(text);
  const sources = values[words.length] as readonly string[];
  const record: Record<string, string | boolean | null> = {};
  words.forEach(({ column }, i) => {
    const value = values[i];
    if (typeof value === 'string' || typeof value === 'boolean') record[column] = value;
    else if (sources.some((path) => isServedBy(path, column))) record[column] = null;
  });
  return record;
}

const servedColumns = new Map<string, boolean>();

/** Whether the endpoint has a field for the column; true for one that is not in the catalogue. */
function isServedBy(path: string, column: string): boolean {
  const id = `${path} ${column}`;
  const cached = servedColumns.get(id);
  if (cached !== undefined) return cached;
  const endpoint = findEndpoint(path);
  const isServed = endpoint === undefined || fieldFor(endpoint, column) !== undefined;
  servedColumns.set(id, isServed);
  return isServed;
}

function lookedUpColumns(dataset: string, words: readonly ColumnWord[]): string[] {
  const columns = endpoints
    .filter((endpoint) => datasetsOf(endpoint).includes(dataset))
    .flatMap(({ params }) => params)
    .flatMap(namedColumns);
  return words
    .filter(({ column, kind }) => kind === hash && columns.includes(column))
    .map(({ column }) => column);
}

/** The columns that a parameter looks up. */
function namedColumns(param: Param): readonly string[] {
  if (param.role === 'keys') return param.columns;
  return param.role === 'names' ? param.columns.map(({ column }) => column) : [];
}
