import type { WireRecord } from '../../src/catalogue/record.ts';
import { type Fetched, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { type Slice, variant } from '../../src/plan/slice.ts';
import { unlearned } from '../unlearned.ts';
import { gathered, type Lister, type ListerOptions } from './walk-lister.ts';

/** Lists that are newest first, and walks of them. */

export const ZONE_BLOCKS = 'mainchain/zone/block/block-list';
export const BLOCKS = 'mainchain/block/block-list';
export const TRANSFERS = 'mainchain/token/transaction-list';
export const TOKEN = `0x${'7'.repeat(40)}`;

const block = (height: number, more: WireRecord = {}): WireRecord => {
  return { hash: `0x${height.toString(16)}`, height: String(height), ...more };
};

/** Blocks of all heights from `first` to `last`, newest first. */
export function blocks(first: number, last: number): WireRecord[] {
  return Array.from({ length: last - first + 1 }, (_, i) => block(last - i));
}

export async function fetched(
  endpoint: string,
  interval: readonly [number, number],
  lister: Lister,
  more: { readonly recordCap?: number; readonly params?: Record<string, string> } = {},
): Promise<Fetched[]> {
  const slice: Slice = {
    endpoint,
    variant: variant(more.params ?? {}),
    keys: [endpoint === TRANSFERS ? TOKEN : ''],
    interval: { from: interval[0], to: interval[1] },
    provisional: false,
  };
  const { recordCap = 10_000 } = more;
  const settings = { chain: 'X', pageSize: 20, recordCap, ...unlearned() };
  return gathered(fetchSlice(lister, slice, settings));
}

export const summary = (parts: readonly Fetched[]) =>
  parts.map(({ status, slice, records }) => {
    return [status, slice.interval.from, slice.interval.to, records.length];
  });

/** Puts `count` blocks in front before every answer. */
export function growing(count: number): ListerOptions {
  return {
    before: (lister) => {
      const newest = Number(lister.records[0]?.['height'] ?? 0);
      lister.records = [...blocks(newest + 1, newest + count), ...lister.records];
    },
  };
}
