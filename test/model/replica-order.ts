import type { Found } from '../../service/src/protocol/source.ts';
import { datasetNamed } from '../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';

/** Answers a part of a list. */
type Find = (offset: number, count: number) => Found;

/**
 * The list as a back end shows it: the same heights in the same order, and records of one height in
 * an order that is the back end's own and never changes. Back end 0 has that of the chain.
 */
export function replicaOrder(dataset: string, replica: number, find: Find): Find {
  if (replica === 0) return find;
  const { heightColumn } = datasetNamed(dataset);
  const heightOf = (record: CanonicalRecord): number => Number(record[heightColumn] ?? 0);
  return (offset, count) => {
    const { total, records } = find(0, Number.MAX_SAFE_INTEGER);
    const ranked = records.map((record) => {
      return { record, height: heightOf(record), rank: rankOf(record, replica) };
    });
    ranked.sort((a, b) => b.height - a.height || a.rank - b.rank);
    return { total, records: ranked.slice(offset, offset + count).map(({ record }) => record) };
  };
}

/** The same for equal records, so copies of one record stay together. */
function rankOf(record: CanonicalRecord, replica: number): number {
  let rank = replica;
  for (const value of Object.values(record)) {
    for (const char of String(value)) rank = Math.imul(rank ^ char.charCodeAt(0), 0x01000193);
  }
  return rank >>> 0;
}
