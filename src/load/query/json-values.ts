import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Digits of the type of gas and nonces. */
const UNSIGNED = 20;

function wholeNumber(value: bigint): number | string {
  return -SAFE <= value && value <= SAFE ? Number(value) : String(value);
}

/**
 * A value as JSON, without loss. Decimals, and whole numbers beyond 2^53, are text, but for
 * decimals of gas and nonces (20 digits), which are whole numbers;
 * times are ISO 8601 in UTC; lists are arrays, structs objects, and maps arrays of `key` and
 * `value`; values without a JSON form (NaN, intervals, blobs ...) are text as DuckDB writes it.
 */
export function jsonValue(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return wholeNumber(value);
  if (value instanceof DuckDBDecimalValue) {
    return value.scale === 0 && value.width <= UNSIGNED ? wholeNumber(value.value) : String(value);
  }
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue) {
    return isoTime(value.micros) ?? value.toString();
  }
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return value.items.map(jsonValue);
  }
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(
      Object.entries(value.entries).map(([name, field]) => [name, jsonValue(field)]),
    );
  }
  if (value instanceof DuckDBMapValue) {
    return value.entries.map((entry) => ({
      key: jsonValue(entry.key),
      value: jsonValue(entry.value),
    }));
  }
  if (value instanceof DuckDBUnionValue) return jsonValue(value.value);
  return String(value);
}

/**
 * `2024-01-02T03:04:05.678Z`, with microseconds if there are any; undefined outside the range of
 * Date.
 */
function isoTime(micros: bigint): string | undefined {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const date = new Date(Number((micros - rest) / 1000n));
  if (Number.isNaN(date.getTime())) return undefined;
  const iso = date.toISOString();
  return rest === 0n ? iso : iso.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
