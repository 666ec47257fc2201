import { constants } from 'node:buffer';
import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import {
  Binary,
  Bool,
  type Data,
  DataType,
  DateDay,
  Decimal,
  Field,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  makeData,
  TimestampMicrosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow';
import { Fault } from '../../fault.ts';

/** A cell in the form that its buffer takes: decimals, times and dates are numbers of units. */
export type ArrowCell =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly ArrowCell[];

/** The Arrow types that hold scalars of DuckDB unchanged. */
const SCALARS: Partial<Record<DuckDBTypeId, DataType>> = {
  [DuckDBTypeId.BOOLEAN]: new Bool(),
  [DuckDBTypeId.TINYINT]: new Int8(),
  [DuckDBTypeId.SMALLINT]: new Int16(),
  [DuckDBTypeId.INTEGER]: new Int32(),
  [DuckDBTypeId.BIGINT]: new Int64(),
  [DuckDBTypeId.UTINYINT]: new Uint8(),
  [DuckDBTypeId.USMALLINT]: new Uint16(),
  [DuckDBTypeId.UINTEGER]: new Uint32(),
  [DuckDBTypeId.UBIGINT]: new Uint64(),
  [DuckDBTypeId.FLOAT]: new Float32(),
  [DuckDBTypeId.DOUBLE]: new Float64(),
  [DuckDBTypeId.DATE]: new DateDay(),
  [DuckDBTypeId.TIMESTAMP]: new TimestampMicrosecond(),
  [DuckDBTypeId.TIMESTAMP_TZ]: new TimestampMicrosecond('UTC'),
  [DuckDBTypeId.VARCHAR]: new Utf8(),
  [DuckDBTypeId.BLOB]: new Binary(),
};

/** The Arrow type that holds values of a DuckDB type unchanged; undefined without one. */
export function arrowType(type: DuckDBType): DataType | undefined {
  if (type.typeId === DuckDBTypeId.DECIMAL) return new Decimal(type.scale, type.width, 128);
  if (type.typeId !== DuckDBTypeId.LIST) return SCALARS[type.typeId];
  const item = arrowType(type.valueType);
  return item === undefined ? undefined : new List(new Field('item', item, true));
}

/** A value as the cell of a column. */
export function arrowCell(value: DuckDBValue): ArrowCell {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof DuckDBDecimalValue) return value.value;
  if (value instanceof DuckDBTimestampTZValue) return value.micros;
  if (value instanceof DuckDBTimestampValue) return value.micros;
  if (value instanceof DuckDBDateValue) return value.days;
  if (value instanceof DuckDBBlobValue) return value.bytes;
  if (value instanceof DuckDBListValue) return value.items.map(arrowCell);
  throw new Error(`${String(value)} is not a value of Arrow`);
}

/** The approximate size of a cell [bytes]. */
export function cellBytes(cell: ArrowCell): number {
  if (typeof cell === 'string') return cell.length;
  if (typeof cell !== 'object' || cell === null) return 8;
  if (cell instanceof Uint8Array) return cell.length;
  return cell.reduce<number>((sum, item) => sum + cellBytes(item), 4);
}

/** The cells of a column as Arrow data. */
export function arrowData(type: DataType, cells: readonly ArrowCell[]): Data {
  const nullBitmap = bits(cells, (cell) => cell !== null);
  const parts = { type, length: cells.length, nullBitmap, ...buffers(type, cells) };
  // The overloads need the type at compile time; here it is known only at run time.
  return (makeData as (parts: object) => Data)(parts);
}

/** The buffers of the values by the names that Arrow gives them; those of NULLs are zero. */
function buffers(type: DataType, cells: readonly ArrowCell[]) {
  if (DataType.isBool(type)) return { data: bits(cells, (cell) => cell === true) };
  if (DataType.isUtf8(type)) return texts(cells);
  if (DataType.isBinary(type)) return binaries(cells);
  if (DataType.isList(type)) {
    const items = cells.map((cell) => (Array.isArray(cell) ? cell : []) as readonly ArrowCell[]);
    const valueOffsets = offsets(items.map(({ length }) => length));
    return { valueOffsets, child: arrowData(type.valueType, items.flat(1)) };
  }
  if (DataType.isDecimal(type)) return { data: decimals(cells) };
  const data = new type.ArrayType(cells.length);
  const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array;
  cells.forEach((cell, i) => {
    if (cell !== null) data[i] = isBig ? BigInt(cell as bigint) : Number(cell);
  });
  return { data };
}

/** One bit per cell, least significant bit first. */
function bits(cells: readonly ArrowCell[], isSet: (cell: ArrowCell) => boolean): Uint8Array {
  const bytes = new Uint8Array((cells.length + 7) >> 3);
  for (let i = 0; i < cells.length; i += 1) {
    if (isSet(cells[i] ?? null)) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return bytes;
}

/** Units of the last digit, as 128 bits in two's complement. */
function decimals(cells: readonly ArrowCell[]): Uint32Array {
  const words = new BigInt64Array(2 * cells.length);
  cells.forEach((cell, i) => {
    const units = BigInt((cell ?? 0) as number | bigint);
    words[2 * i] = BigInt.asIntN(64, units);
    words[2 * i + 1] = units >> 64n;
  });
  return new Uint32Array(words.buffer);
}

/** Text in UTF-8. */
function texts(cells: readonly ArrowCell[]) {
  const lengths = cells.map((cell) => Buffer.byteLength((cell ?? '') as string));
  const valueOffsets = offsets(lengths);
  // One call for all cells takes a third of the time of a call for each, but strings have an end.
  const isLong = (valueOffsets.at(-1) ?? 0) > constants.MAX_STRING_LENGTH;
  const parts = isLong ? cells.map((cell) => Buffer.from((cell ?? '') as string)) : [];
  return { valueOffsets, data: isLong ? Buffer.concat(parts) : Buffer.from(cells.join('')) };
}

function binaries(cells: readonly ArrowCell[]) {
  const parts = cells.map((cell) => (cell ?? new Uint8Array()) as Uint8Array);
  return { valueOffsets: offsets(parts.map(({ length }) => length)), data: Buffer.concat(parts) };
}

/** Offsets in Arrow's columns of text and lists have 32 bits. */
const MAX_OFFSET = 2 ** 31 - 1;

/** The offset of each cell, and the end of the last one. */
export function offsets(lengths: readonly number[]): Int32Array {
  const items = new Int32Array(lengths.length + 1);
  let end = 0;
  lengths.forEach((length, i) => {
    end += length;
    items[i + 1] = end;
  });
  if (end <= MAX_OFFSET) return items;
  throw new Fault('query', 'A column has more than 2 GiB in few rows: too much for Arrow.', {
    advice: 'Leave the column out, or use --format parquet.',
  });
}
