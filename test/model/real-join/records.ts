import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A record of the real files, with the field names of the interface. */
export type Real = Readonly<Record<string, string | boolean>>;

export interface RealRecords {
  readonly blocks: readonly Real[];
  readonly transactions: readonly Real[];
  readonly internal_transactions: readonly Real[];
  readonly token_transfers: readonly Real[];
}

/**
 * The records of a folder. The real blocks are single ones, far apart, so their heights are
 * numbered one after another, from 0. All other fields stay as they are.
 */
export function readReal(folder: string): RealRecords {
  const read = (name: string): Real[] => {
    const text = gunzipSync(readFileSync(`${folder}/${name}.ndjson.gz`)).toString('utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Real);
  };
  const blocks = read('blocks');
  const heights = blocks.map(heightOf).sort((a, b) => a - b);
  const placeOf = new Map(heights.map((height, place) => [height, String(place)]));
  const numbered = (record: Real): Real => {
    const place = placeOf.get(heightOf(record));
    if (place === undefined) throw new Error(`a record is in no block: ${JSON.stringify(record)}`);
    return { ...record, height: place };
  };
  return {
    blocks: blocks.map(numbered),
    transactions: read('transactions').map(numbered),
    internal_transactions: read('internal_transactions').map(numbered),
    token_transfers: read('token_transfers').map(numbered),
  };
}

export function heightOf({ height }: Real): number {
  return Number(height);
}

/** Whether one of the addresses is the sender or the recipient. */
export function names({ from, to }: Real, addresses: ReadonlySet<string>): boolean {
  return addresses.has(String(from)) || addresses.has(String(to));
}

/** The values that stand in the most records, the most frequent first. */
export function mostFrequent(records: readonly Real[], fields: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const key of new Set(fields.map((field) => String(record[field])))) {
      if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
}
