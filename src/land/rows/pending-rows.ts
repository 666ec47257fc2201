import type { Column } from '../../catalogue/entry.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { datasetNamed, pendingStateOf } from '../../catalogue/index.ts';
import type { Cell } from '../../catalogue/kind.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { List } from '../../coverage/list.ts';
import type { Claim } from '../rule/merge.ts';
import { tableColumns } from './columns.ts';
import { type DecodedRecords, decode } from './decode.ts';

/**
 * Rows of records that are in no block yet, without disk or clock. They have no height, so they are
 * no rows of their dataset: a reading of them is a state as of a moment, and the newest one counts.
 */

/** One record that one list showed as pending for one key. */
export interface PendingRow {
  readonly endpoint: string;
  readonly variant: string;
  /** The key it was asked by. */
  readonly key: string;
  /** What identifies the record in its dataset, as text. */
  readonly identity: string;
  /** Last block that was asked when it was listed. */
  readonly to: number;
  readonly readAtMs: number;
  /** One cell per column of `pendingColumns`. */
  readonly cells: readonly Cell[];
}

/** The records that a walk found to be pending: all of its keys, if it proved anything. */
export interface PendingReading {
  readonly claim: Claim;
  readonly rows: readonly PendingRow[];
}

/** Name of the table of a dataset's pending records, and of its view. */
export function pendingName(dataset: string): string {
  return `pending_${dataset}`;
}

export function pendingSummary(dataset: string): string {
  return `${datasetNamed(dataset).summary} that are in no block yet, as their lists showed them`;
}

/** Columns that say which reading a row is from; the last five are lineage. */
const READING: readonly Column[] = [
  column('key', 'VARCHAR', 'Key that the list was asked by'),
  column('from_block', 'BIGINT', 'First block asked'),
  column('to_block', 'BIGINT', 'Last block asked'),
  column('as_of_block', 'BIGINT', 'Head of the chain when it was read'),
];
const LINEAGE: readonly Column[] = [
  column('_endpoint', 'VARCHAR', 'Endpoint that served the record'),
  column('_variant', 'VARCHAR', 'Filters it was asked with'),
  column('_slice', 'VARCHAR', 'Name of the slice that fetched it; never an identity'),
  column('_fetched_at', 'TIMESTAMPTZ', 'When it was fetched [UTC]'),
  column('_run', 'VARCHAR', 'Run that fetched it'),
];

/** The columns of the table of a dataset's pending records. */
export function pendingColumns(dataset: string): readonly Column[] {
  const content = contentOf(dataset).map(({ column: each }) => each);
  return [...READING, ...content, ...LINEAGE];
}

/** Columns of the dataset that pending records have, each with its place among the dataset's. */
function contentOf(dataset: string): { readonly column: Column; readonly at: number }[] {
  const { absent = [], instead = {} } = pendingStateOf(dataset) ?? {};
  const gone = new Set(absent.flatMap(columnsOf).map(({ name }) => name));
  return tableColumns(dataset).flatMap((each, at) => {
    if (gone.has(each.name) || each.name.startsWith('_')) return [];
    const word = instead[each.name];
    const [other] = word === undefined ? [] : columnsOf(word);
    return [{ column: other ?? each, at }];
  });
}

/** Decodes pending records: they lie at the head of their reading, as records of snapshots do. */
export function decodePending(
  list: List,
  records: readonly WireRecord[],
  head: number,
): DecodedRecords {
  return decode({ ...list, entry: { ...list.entry, list: 'snapshot' } }, records, head);
}

/** The rows of decoded records: one for each key of the claim that a record names. */
export function pendingRows(
  dataset: string,
  { rows }: Pick<DecodedRecords, 'rows'>,
  claim: Claim,
  of: { readonly slice: string; readonly run: string },
): PendingRow[] {
  const { endpoint, variant, interval, head, readAtMs } = claim;
  const content = contentOf(dataset);
  const names = tableColumns(dataset).map(({ name }) => name);
  const naming = datasetNamed(dataset).identity.map((name) => names.indexOf(name));
  const lineage = [endpoint, variant, of.slice, BigInt(Math.trunc(readAtMs)) * 1000n, of.run];
  return rows.flatMap(({ cells, touches }) => {
    const identity = naming.map((at) => String(cells[at] ?? '')).join(' ');
    const said = content.map(({ at }) => cells[at] ?? null);
    const bounds = [interval.from, interval.to, head].map(BigInt);
    return claim.keys
      .filter((key) => touches.includes(key))
      .map((key) => {
        const all = [key, ...bounds, ...said, ...lineage];
        return { endpoint, variant, key, identity, to: interval.to, readAtMs, cells: all };
      });
  });
}

/** The row that was landed as these cells. */
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
 * The rows after these readings, in order. A reading takes the place of older rows of its list and
 * keys: of the records it lists, and, where its walk proved what it read, of all that were listed
 * in blocks up to its last one. One that ends further down does not speak of the rows of one that
 * reached the head, because a list may show pending records there alone.
 */
export function mergePending(
  known: readonly PendingRow[],
  readings: readonly PendingReading[],
): PendingRow[] {
  let rows = [...known];
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

/** Whether a reading that does not list the row shows that it is pending no longer. */
function isSilentOf({ endpoint, variant, keys, interval, status }: Claim, row: PendingRow) {
  const isProven = status === 'complete' || status === 'provisional';
  const isOfList = row.endpoint === endpoint && row.variant === variant;
  return isProven && isOfList && keys.includes(row.key) && row.to <= interval.to;
}

function nameOf({ endpoint, variant, key, identity }: PendingRow): string {
  return JSON.stringify([endpoint, variant, key, identity]);
}

function column(name: string, type: Column['type'], comment: string): Column {
  return { name, type, comment, volatile: true };
}
