import type { Axis } from '../catalogue/entry.ts';
import type { Snapshot } from '../land/delta/fold.ts';
import { type RawState, versionKey } from './raw-versions.ts';

/** Versions that curated tables were made from, by `versionKey`. */
export type MadeFrom = ReadonlyMap<string, number>;

/**
 * The versions of all raw tables that the next commits are made from: ledgers name the addresses
 * that any list was asked for. Of transactions of the other axis it is the version that their
 * curated table was made from: that one is read, and the raw table may have changed since. A table
 * that was moved away gets the version -1, so that its rows disappear now, and a table that takes
 * its place is not taken for it. `other` is the curated table that the queries of the axis read.
 */
export function madeFrom(
  axis: Axis,
  raw: readonly RawState[],
  former: readonly Snapshot[],
  other: Snapshot,
): MadeFrom {
  const made = new Map<string, number>();
  for (const { transactions } of former) {
    for (const [key, version] of transactions) {
      const isSource = raw.some(({ dataset }) => key.startsWith(`${dataset}/`));
      if (isSource && version >= 0) made.set(key, -1);
    }
  }
  for (const table of raw) {
    const key = versionKey(table);
    const isRead = table.axis === axis || table.dataset !== 'transactions';
    const read = isRead ? table.version : other.transactions.get(key);
    if (table.version >= 0) made.set(key, Math.min(table.version, read ?? -1));
  }
  return made;
}

/** The raw tables whose versions decide whether the tables of the axis are up to date. */
export function sourcesOf<T extends RawState>(axis: Axis, raw: readonly T[]): T[] {
  return raw.filter((table) => table.axis === axis || table.dataset === 'transactions');
}

/** Whether the newest version of a curated table is made from these versions of its sources. */
export function isMadeFrom(
  { transactions }: Snapshot,
  made: MadeFrom,
  sources: readonly RawState[],
): boolean {
  const isOther = (name: string): boolean => {
    const [dataset = ''] = name.split('/');
    return dataset !== 'windrow' && sources.every((table) => table.dataset !== dataset);
  };
  return [...made].every(([name, version]) => isOther(name) || transactions.get(name) === version);
}
