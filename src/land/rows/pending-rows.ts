import type { Cell } from '../../catalogue/column-kind.ts';
import { type Column, columnsOf, lineage } from '../../catalogue/entry.ts';
import { datasetNamed, pendingStateOf } from '../../catalogue/index.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import { isProven } from '../../coverage/coverage.ts';
import { isSameList, type List } from '../../coverage/list.ts';
import { microsOf } from '../quarantine/quarantine-record.ts';
import type { Claim } from '../rule/claim.ts';
import { tableColumns } from './columns.ts';
import { type DecodedRecords, decode } from './decode.ts';

/**
 * Rows of pending records (in no block yet), without disk or clock. They have no height, so they
 * are stored outside the table of their dataset. The newest reading of a list and key replaces
 * older ones.
 */

/** A record that a list showed as pending for a key. */
export interface PendingRow {
  readonly endpoint: string;
  readonly variant: string;
  /** The requested key. */
  readonly key: string;
  /** Values of the record's identity columns, as text. */
  readonly identity: string;
  /** Last requested block of the walk that listed it. */
  readonly to: number;
  readonly readAtMs: number;
  /** One cell per column of `pendingColumns`. */
  readonly cells: readonly Cell[];
}

/** The pending records in a walk: all those of its keys if the walk is complete or provisional. */
export interface PendingReading {
  readonly claim: Claim;
  readonly rows: readonly PendingRow[];
}

/** Name of the table and of the view of a dataset's pending records. */
export function pendingName(dataset: string): string {
  return `pending_${dataset}`;
}

export function pendingSummary(dataset: string): string {
  return `${datasetNamed(dataset).summary} that are in no block yet, as their lists showed them`;
}

/** Columns that identify the reading of a row. */
const READING: readonly Column[] = [
  lineage('key', 'VARCHAR', 'Key of the request'),
  lineage('from_block', 'BIGINT', 'First block of the request'),
  lineage('to_block', 'BIGINT', 'Last block of the request'),
  lineage('as_of_block', 'BIGINT', 'Head of the chain when it was read'),
];
const LINEAGE: readonly Column[] = [
  lineage('_endpoint', 'VARCHAR', 'Endpoint that served the record'),
  lineage('_variant', 'VARCHAR', 'Filters of the request'),
  lineage('_slice', 'VARCHAR', 'Name of the slice that fetched it; never an identity'),
  lineage('_fetched_at', 'TIMESTAMPTZ', 'When it was fetched [UTC]'),
  lineage('_run', 'VARCHAR', 'Run that fetched it'),
];

/** The columns of the table of a dataset's pending records. */
export function pendingColumns(dataset: string): readonly Column[] {
  const content = contentOf(dataset).map(({ column }) => column);
  return [...READING, ...content, ...LINEAGE];
}

/** Columns of the dataset that pending records have, each with its index in the dataset's table. */
function contentOf(dataset: string): { readonly column: Column; readonly at: number }[] {
  const { absent = [], instead = {} } = pendingStateOf(dataset) ?? {};
  const gone = new Set(absent.flatMap(columnsOf).map(({ name }) => name));
  return tableColumns(dataset).flatMap((column, at) => {
    if (gone.has(column.name) || column.name.startsWith('_')) return [];
    const word = instead[column.name];
    const [other] = word === undefined ? [] : columnsOf(word);
    return [{ column: other ?? column, at }];
  });
}

/** Decodes pending records; like records of snapshots, they get the head as their height. */
export function decodePending(
  list: List,
  records: readonly ListedRecord[],
  head: number,
): DecodedRecords {
  // Nearly every walk has none, and planning the columns of a snapshot takes longer than the rest.
  if (records.length === 0) return { rows: [], broken: [], drift: new Map(), absent: new Map() };
  return decode({ ...list, entry: { ...list.entry, list: 'snapshot' } }, records, head);
}

/** The rows of decoded records: one for each key of the claim that a record touches. */
export function pendingRows(
  dataset: string,
  { rows }: Pick<DecodedRecords, 'rows'>,
  { list, keys, interval, head, readAtMs }: Claim,
  walk: { readonly slice: string; readonly run: string },
): PendingRow[] {
  const content = contentOf(dataset);
  const bounds = [interval.from, interval.to, head].map(BigInt);
  const lineage = [list.endpoint, list.variant, walk.slice, microsOf(readAtMs), walk.run];
  return rows.flatMap(({ cells, touches }) => {
    const values = content.map(({ at }) => cells[at] ?? null);
    return keys
      .filter((key) => touches.includes(key))
      .map((key) => pendingRowOf(dataset, [key, ...bounds, ...values, ...lineage]));
  });
}

/** A row from its cells, as the table has them. */
export function pendingRowOf(dataset: string, cells: readonly Cell[]): PendingRow {
  const columns = pendingColumns(dataset);
  const cell = new Map(columns.map(({ name }, i) => [name, cells[i] ?? null]));
  const text = (name: string): string => String(cell.get(name) ?? '');
  return {
    endpoint: text('_endpoint'),
    variant: text('_variant'),
    key: text('key'),
    identity: datasetNamed(dataset).identity.map(text).join(' '),
    to: Number(cell.get('to_block')),
    readAtMs: Number(cell.get('_fetched_at')) / 1000,
    cells,
  };
}

/**
 * The rows after these readings, in order. A reading replaces older rows of the records that it
 * lists. If its walk is complete or provisional, it also removes older rows of its list and keys
 * that it does not list, as far as their reading ended no higher than its own: a list may show
 * pending records only to requests that reach the head.
 */
export function mergePending(
  tableRows: readonly PendingRow[],
  readings: readonly PendingReading[],
): PendingRow[] {
  let rows = [...tableRows];
  for (const { claim, rows: listed } of readings) {
    const names = new Set(listed.map(nameOf));
    const isNewer = (row: PendingRow): boolean => row.readAtMs > claim.readAtMs;
    const kept = rows.filter((row) => {
      return isNewer(row) || !(names.has(nameOf(row)) || isSilentOf(claim, row));
    });
    const newer = new Set(kept.filter(isNewer).map(nameOf));
    rows = [...kept, ...listed.filter((row) => !newer.has(nameOf(row)))];
  }
  return rows;
}

/** Whether a reading that does not list the row proves that it is no longer pending. */
function isSilentOf({ list, keys, interval, status }: Claim, row: PendingRow) {
  return (
    isProven(status) && isSameList(list, row) && keys.includes(row.key) && row.to <= interval.to
  );
}

function nameOf({ endpoint, variant, key, identity }: PendingRow): string {
  return JSON.stringify([endpoint, variant, key, identity]);
}
