import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListVector,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  type DuckDBVector,
} from '@duckdb/node-api';
import {
  Binary,
  Bool,
  type Data,
  type DataType,
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
import {
  Bits,
  BooleanValues,
  ByteValues,
  type ColumnValues,
  FixedValues,
  Offsets,
} from './arrow-buffers.ts';

/** Collects the cells of one column and returns them as Arrow data. */
export interface ArrowColumn {
  readonly type: DataType;
  /** Approximate size of the cells since the last `flush` [bytes]. */
  readonly sizeBytes: number;
  /** Adds `count` cells of a vector, starting with its cell `from`. */
  take(vector: DuckDBVector, from: number, count: number): void;
  /** Returns the collected cells and empties the column. */
  flush(): Data;
}

/** A column for values of a DuckDB type. Throws for types that `arrowHolds` denies. */
export function arrowColumn(type: DuckDBType): ArrowColumn {
  if (type.typeId === DuckDBTypeId.LIST) return new ListColumn(arrowColumn(type.valueType));
  const scalar = SCALARS[type.typeId];
  if (scalar === undefined) throw new Error(`no column of Arrow holds a ${type}`);
  return new ScalarColumn(scalar.type(type), scalar.values);
}

/** Whether an Arrow column can hold values of a DuckDB type unchanged. */
export function arrowHolds(type: DuckDBType): boolean {
  return type.typeId === DuckDBTypeId.LIST ? arrowHolds(type.valueType) : type.typeId in SCALARS;
}

class ScalarColumn implements ArrowColumn {
  readonly type: DataType;
  readonly #make: () => ColumnValues;
  #values: ColumnValues;
  #validity = new Bits();

  constructor(type: DataType, make: () => ColumnValues) {
    this.type = type;
    this.#make = make;
    this.#values = make();
  }

  get sizeBytes(): number {
    return this.#values.sizeBytes;
  }

  take(vector: DuckDBVector, from: number, count: number): void {
    for (let i = from; i < from + count; i += 1) {
      const value = vector.getItem(i);
      this.#values.push(value);
      this.#validity.push(value !== null);
    }
  }

  flush(): Data {
    const data = dataOf(this.type, this.#validity, this.#values.buffers());
    this.#values = this.#make();
    this.#validity = new Bits();
    return data;
  }
}

class ListColumn implements ArrowColumn {
  readonly type: DataType;
  readonly #child: ArrowColumn;
  #offsets = new Offsets();
  #validity = new Bits();

  constructor(child: ArrowColumn) {
    this.#child = child;
    this.type = new List(new Field('item', child.type, true));
  }

  get sizeBytes(): number {
    return this.#child.sizeBytes + 4 * this.#validity.length;
  }

  take(vector: DuckDBVector, from: number, count: number): void {
    if (!(vector instanceof DuckDBListVector)) throw new Error('a list has no list vector');
    for (let i = from; i < from + count; i += 1) {
      // Cheaper than reading the values, which are not needed here.
      const isThere = vector.getItemVector(i) !== null;
      const length = isThere ? vector.getEntryLength(i) : 0;
      if (length > 0) this.#child.take(vector.childVector, vector.getEntryOffset(i), length);
      this.#offsets.push(length);
      this.#validity.push(isThere);
    }
  }

  flush(): Data {
    const valueOffsets = this.#offsets.items();
    const data = dataOf(this.type, this.#validity, { valueOffsets, child: this.#child.flush() });
    this.#offsets = new Offsets();
    this.#validity = new Bits();
    return data;
  }
}

function dataOf(type: DataType, validity: Bits, buffers: Readonly<Record<string, unknown>>): Data {
  const { length, unset: nullCount } = validity;
  const nullBitmap = validity.bytes();
  // The overloads need the type at compile time; here it is known only at run time.
  return (makeData as (parts: object) => Data)({ type, length, nullCount, nullBitmap, ...buffers });
}

/** The Arrow type for a DuckDB type, and the layout of its values. */
interface Scalar {
  readonly type: (type: DuckDBType) => DataType;
  readonly values: () => ColumnValues;
}

const INT32: () => ColumnValues = () =>
  new FixedValues(4, (view, at, value) => view.setInt32(at, Number(units(value)), true));
const INT64: () => ColumnValues = () =>
  new FixedValues(8, (view, at, value) => view.setBigInt64(at, BigInt(units(value)), true));

const SCALARS: Partial<Record<DuckDBTypeId, Scalar>> = {
  [DuckDBTypeId.BOOLEAN]: { type: () => new Bool(), values: () => new BooleanValues() },
  [DuckDBTypeId.TINYINT]: {
    type: () => new Int8(),
    values: () => new FixedValues(1, (view, at, value) => view.setInt8(at, Number(value))),
  },
  [DuckDBTypeId.SMALLINT]: {
    type: () => new Int16(),
    values: () => new FixedValues(2, (view, at, value) => view.setInt16(at, Number(value), true)),
  },
  [DuckDBTypeId.INTEGER]: { type: () => new Int32(), values: INT32 },
  [DuckDBTypeId.BIGINT]: { type: () => new Int64(), values: INT64 },
  [DuckDBTypeId.UTINYINT]: {
    type: () => new Uint8(),
    values: () => new FixedValues(1, (view, at, value) => view.setUint8(at, Number(value))),
  },
  [DuckDBTypeId.USMALLINT]: {
    type: () => new Uint16(),
    values: () => new FixedValues(2, (view, at, value) => view.setUint16(at, Number(value), true)),
  },
  [DuckDBTypeId.UINTEGER]: {
    type: () => new Uint32(),
    values: () => new FixedValues(4, (view, at, value) => view.setUint32(at, Number(value), true)),
  },
  [DuckDBTypeId.UBIGINT]: {
    type: () => new Uint64(),
    values: () =>
      new FixedValues(8, (view, at, value) => view.setBigUint64(at, BigInt(units(value)), true)),
  },
  [DuckDBTypeId.FLOAT]: {
    type: () => new Float32(),
    values: () => new FixedValues(4, (view, at, value) => view.setFloat32(at, Number(value), true)),
  },
  [DuckDBTypeId.DOUBLE]: {
    type: () => new Float64(),
    values: () => new FixedValues(8, (view, at, value) => view.setFloat64(at, Number(value), true)),
  },
  [DuckDBTypeId.DECIMAL]: { type: decimalOf, values: () => new FixedValues(16, putDecimal) },
  [DuckDBTypeId.DATE]: { type: () => new DateDay(), values: INT32 },
  [DuckDBTypeId.TIMESTAMP]: { type: () => new TimestampMicrosecond(), values: INT64 },
  [DuckDBTypeId.TIMESTAMP_TZ]: { type: () => new TimestampMicrosecond('UTC'), values: INT64 },
  [DuckDBTypeId.VARCHAR]: { type: () => new Utf8(), values: () => new ByteValues() },
  [DuckDBTypeId.BLOB]: { type: () => new Binary(), values: () => new ByteValues() },
};

function decimalOf(type: DuckDBType): DataType {
  if (type.typeId !== DuckDBTypeId.DECIMAL) throw new Error(`${type} is not a decimal`);
  return new Decimal(type.scale, type.width, 128);
}

const LOW_64_BITS = (1n << 64n) - 1n;

/** Units of the last digit, as 128 bits in two's complement. */
function putDecimal(view: DataView, at: number, value: DuckDBValue): void {
  const all = BigInt(units(value));
  view.setBigUint64(at, all & LOW_64_BITS, true);
  view.setBigInt64(at + 8, all >> 64n, true);
}

/** The integer that Arrow stores: units of the last digit, microseconds or days since 1970. */
function units(value: DuckDBValue): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof DuckDBDecimalValue) return value.value;
  if (value instanceof DuckDBTimestampTZValue) return value.micros;
  if (value instanceof DuckDBTimestampValue) return value.micros;
  if (value instanceof DuckDBDateValue) return value.days;
  throw new Error(`${String(value)} is not a number`);
}
