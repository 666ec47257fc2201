import type { Cell } from '../../catalogue/column-kind.ts';
import { columnsOf, type Endpoint } from '../../catalogue/entry.ts';
import { fieldFor, filledBy } from '../../catalogue/index.ts';
import { type Deviation, EXTRA, missing } from '../../catalogue/record.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { TextFormat } from '../../catalogue/text-format.ts';
import type { List } from '../../coverage/list.ts';
import type { Landable } from '../rule/claim.ts';
import { tableColumns } from './columns.ts';
import { type LandedRecord, repeatsOf } from './occurrences.ts';

/**
 * A record with the properties that merging needs. DuckDB decodes its text when it is written
 * (`text-rows.ts`). A row does not keep its record, whose other values would stay in memory until
 * the commit.
 */
export class Row implements Landable {
  readonly list: List;
  readonly format: TextFormat;
  readonly text: string;
  readonly height: number;
  readonly touches: readonly string[];
  /** 1 for the first of several records of the walk with equal stable columns. */
  occurrence = 1;
  /**
   * Position in the answer, from 1, among the records of the same block (lists by height) or of the
   * same key (lists by hash); null in other lists and if it is unknown.
   */
  listPosition: number | null = null;

  constructor(list: List, { format, text }: ListedRecord, at: Landable) {
    this.list = list;
    this.format = format;
    this.text = text;
    this.height = at.height;
    this.touches = at.touches;
  }

  /** One cell per column of the table, in its order; a commit fills in the lineage. */
  get cells(): readonly Cell[] {
    const { entry, filters, dataset } = this.list;
    const values = JSON.parse(this.text) as Readonly<Record<string, unknown>>;
    const cells = new Map<string, Cell>([[EXTRA, (values[EXTRA] as string | undefined) ?? null]]);
    const words = entry.fields.map((field) => {
      return [field, String(values[this.format.names.get(field.column) ?? ''] ?? '')] as const;
    });
    for (const [word, text] of [...words, ...filledBy(entry, filters)]) {
      const decoded = text === '' ? undefined : word.kind.decode(text);
      columnsOf(word).forEach(({ name }, i) => {
        cells.set(name, decoded?.[i] ?? null);
      });
    }
    if (entry.list === 'snapshot') cells.set(dataset.heightColumn, BigInt(this.height));
    return tableColumns(dataset.name).map(({ name }) => cells.get(name) ?? null);
  }
}

/** A record that breaks its contract: its JSON text and the reason. */
export interface BrokenRecord {
  readonly reason: string;
  readonly raw: string;
  /** undefined where it cannot be read. */
  readonly height: number | undefined;
}

export interface DecodedRecords {
  readonly rows: readonly Row[];
  readonly broken: readonly BrokenRecord[];
  /** Number of records by field that the catalogue does not know. */
  readonly drift: ReadonlyMap<string, number>;
  /** Number of rows by stable field that they lack; an empty field is present. */
  readonly absent: ReadonlyMap<string, number>;
}

/**
 * The rows of one walk. A record is broken if its height or an identity column has no value, if an
 * essential field is missing, or if one of its key columns is odd and the record names none of the
 * requested `keys`, or may name another one there; its walk continues. Records of snapshots have no
 * height and get `readAt`, the head when they were read.
 */
export function decode(
  list: List,
  records: readonly ListedRecord[],
  readAt?: number,
  keys?: readonly string[],
): DecodedRecords {
  const landed: LandedRecord<Row>[] = [];
  const broken: BrokenRecord[] = [];
  const drift = new Map<string, number>();
  const absent = new Map<string, number>();
  const placed = new Map<string, number>();
  const { keyColumns } = list;
  const isOrdered = isInAnswerOrder(list.entry);
  for (const record of records) {
    const { deviation } = record;
    // Counted for broken records too: a missing field may have a new name.
    for (const name of deviation?.unknown ?? NONE) countOne(drift, name);
    const touches = keyColumns === undefined ? NO_KEYS : record.keysIn(keyColumns);
    const height = list.entry.list === 'snapshot' ? readAt : record.height;
    const reason = deviation && faultOf(list, record, deviation, height, touches, keys);
    if (reason !== undefined || height === undefined) {
      const raw = JSON.stringify(deviation?.sent);
      broken.push({ reason: reason ?? 'the record has no height', raw, height: record.height });
      continue;
    }
    const row = new Row(list, record, { height, touches });
    if (isOrdered) row.listPosition = countOne(placed, `${height} ${touches.join()}`);
    landed.push({ row, record });
    for (const { wire } of record.lacking) countOne(absent, wire);
  }
  for (const [{ row }, occurrence] of repeatsOf(landed)) row.occurrence = occurrence;
  return { rows: landed.map(({ row }) => row), broken, drift, absent };
}

/** Why a rewritten record is broken; undefined where it is not. */
function faultOf(
  { entry, dataset: { essential, identity, heightColumn }, keyColumns = [] }: List,
  record: ListedRecord,
  { lacking, odd, sent }: Deviation,
  height: number | undefined,
  touches: readonly string[],
  keys: readonly string[] | undefined,
): string | undefined {
  const vital = lacking.find(({ column }) => essential.includes(column));
  if (vital !== undefined) return `the record has no ${vital.wire}`;
  const nameless = entry.fields.find(({ column }) => {
    return identity.includes(column) && record.valueIn(column) === undefined;
  });
  if (nameless !== undefined) return missing(nameless, sent);
  const field = fieldFor(entry, heightColumn);
  if (height === undefined) return field && missing(field, sent);
  const oddKeys = odd.filter(({ column }) => keyColumns.includes(column));
  const isKeyed = touches.some((key) => keys?.includes(key) ?? true);
  const others = (keys ?? []).filter((key) => !touches.includes(key));
  const wrong = oddKeys.find(({ wire, aliases }) => {
    const sentText = JSON.stringify([wire, ...aliases].map((name) => sent[name]));
    return !isKeyed || others.some((key) => mayBe(key, sentText));
  });
  return wrong && missing(wrong, sent);
}

/** Whether an odd text may be this address, cut or with other characters in and around it. */
function mayBe(address: string, text: string): boolean {
  const digits = text.toLowerCase().replaceAll(/0x|[^0-9a-f]/g, '');
  return digits.includes(address.slice(2)) || (digits.length >= 32 && digits.length < 48);
}

const NONE: readonly never[] = [];
const NO_KEYS: readonly string[] = [''];

/**
 * Whether the order of the endpoint's records has a meaning, as in pages of one block or one hash
 * (the calls of a transaction, for instance). Ranges of blocks are read in parts, and look-ups
 * without pages return one record per key.
 */
function isInAnswerOrder({ list, reply }: Endpoint): boolean {
  return list === 'by-key' && reply.shape === 'paged';
}

/** Increments the count of a name and returns it. */
function countOne(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
