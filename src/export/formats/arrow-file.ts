import { type DuckDBDataChunk, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import {
  AsyncByteQueue,
  type DataType,
  Field,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Struct,
} from 'apache-arrow';
import type { PreparedSelect, SelectedColumn } from '../../load/query/stream.ts';
import { type ArrowCell, arrowCell, arrowData, arrowType, cellBytes } from './arrow-columns.ts';
import {
  type Carried,
  carriedAs,
  carriedAsText,
  carriedExactly,
  carriedType,
  isNested,
  isWide,
  WIDE_AS,
} from './exact-types.ts';
import { type Sink, sendTo, type Written } from './sink.ts';

/** A batch is written when it has this many rows or bytes, so memory is bounded by both. */
const BATCH_ROWS = 32_768;
const BATCH_BYTES = 64 * 1024 * 1024;

/** `file` allows random access, `stream` is read from its beginning. */
export type ArrowLayout = 'file' | 'stream';

/**
 * Writes a selection as Arrow IPC, column by column and batch by batch, with exact types:
 * Decimal128, times in microseconds UTC, 64-bit integers, UTF-8, lists. Whole numbers of 128 bits
 * become decimals of 38 digits, or text if one of them does not fit. Types without an Arrow type
 * become text, and structs and maps become JSON, with a note.
 */
export async function writeArrow(
  selection: PreparedSelect,
  sink: Sink,
  layout: ArrowLayout,
): Promise<Written> {
  const { expressions, notes } = await carriedExactly(carried, selection);
  const { types, chunks } = await selection.read(expressions);
  const fields = selection.columns.map(({ name }, i) => new Field(name, typeOf(types[i]), true));
  const schema = new Schema(fields);
  const parts = new Parts();
  const writer = layout === 'file' ? new RecordBatchFileWriter() : new RecordBatchStreamWriter();
  writer.reset(parts, schema);
  let rows = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const batch of batchesOf(schema, chunks)) {
      rows += batch.numRows;
      writer.write(batch);
      yield* parts.taken();
    }
    writer.finish();
    yield* parts.taken();
  }
  await sendTo(sink, bytes());
  return { rows, notes };
}

/** The type of a column that was cast to one that Arrow holds. */
function typeOf(type: DuckDBType | undefined): DataType {
  const held = type && arrowType(type);
  if (held === undefined) throw new Error(`no column of Arrow holds a ${type}`);
  return held;
}

function arrowLeaf(type: DuckDBType): string {
  if (isWide(type)) return WIDE_AS;
  return arrowType(type) === undefined ? 'VARCHAR' : String(type);
}

function carried(column: SelectedColumn): Carried {
  const { type } = column;
  const wanted = listType(type);
  if (wanted === undefined) return carriedAsText(column, `JSON: Arrow gets no ${type} here`);
  return carriedAs(column, wanted, () => `Arrow gets no exact ${type} here`);
}

/** The type for scalars and lists of scalars; undefined for other nested types. */
function listType(type: DuckDBType): string | undefined {
  if (type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY) {
    const item = listType(type.valueType);
    return item === undefined ? undefined : `${item}[]`;
  }
  return isNested(type) ? undefined : carriedType(type, arrowLeaf);
}

/** Collects the output of the Arrow writer. */
class Parts extends AsyncByteQueue {
  #parts: Uint8Array[] = [];

  override write(value: ArrayBufferView): void {
    if (value.byteLength === 0) return;
    this.#parts.push(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }

  taken(): Uint8Array[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}

/** The rows of chunks in batches. */
async function* batchesOf(
  schema: Schema,
  chunks: AsyncIterable<DuckDBDataChunk>,
): AsyncGenerator<RecordBatch> {
  const type = new Struct(schema.fields);
  let columns: ArrowCell[][] = schema.fields.map(() => []);
  let length = 0;
  let bytes = 0;
  const batch = (): RecordBatch => {
    const children = schema.fields.map((field, i) => arrowData(field.type, columns[i] ?? []));
    return new RecordBatch(schema, makeData({ type, length, nullCount: 0, children }));
  };
  for await (const chunk of chunks) {
    columns.forEach((cells, i) => {
      for (const value of chunk.getColumnValues(i)) {
        const cell = arrowCell(value);
        bytes += cellBytes(cell);
        cells.push(cell);
      }
    });
    length += chunk.rowCount;
    if (length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch();
    columns = schema.fields.map(() => []);
    length = 0;
    bytes = 0;
  }
  if (length > 0) yield batch();
}
