import {
  DuckDBArrayValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
} from '@duckdb/node-api';

/**
 * A value of DuckDB as JSON can hold it without loss: whole numbers above 2^53 and decimals as
 * text, times as ISO 8601 in UTC, lists as arrays, structs and maps as objects.
 */
export function jsonValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value !== 'object') return jsonScalar(value);
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue) {
    return isoTime(value.micros);
  }
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return value.items.map(jsonValue);
  }
  if (value instanceof DuckDBStructValue) {
    const entries = Object.entries(value.entries);
    return Object.fromEntries(entries.map(([key, inner]) => [key, jsonValue(inner)]));
  }
  if (value instanceof DuckDBMapValue) {
    const entries = value.entries.map(({ key, value: inner }) => [String(key), jsonValue(inner)]);
    return Object.fromEntries(entries);
  }
  return String(value);
}

/** JSON has no infinities and no NaN. */
function jsonScalar(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

function isoTime(micros: bigint): string {
  const millis = Number(micros / 1000n);
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? `${micros} microseconds` : date.toISOString();
}
