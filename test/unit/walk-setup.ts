import type { WireRecord } from '../../src/catalogue/record.ts';
import type { Caller } from '../../src/fetch/caller.ts';
import { type Fetched, type FetchSettings, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { type Slice, variant } from '../../src/plan/slice.ts';
import { unlearned } from '../unlearned.ts';
import { gathered } from './walk-lister.ts';

/** One list of addresses, which most tests of walks read. */

export const A = `0x${'a'.repeat(40)}`;
export const B = `0x${'b'.repeat(40)}`;
export const C = `0x${'c'.repeat(40)}`;

/** Its records have no identity: equal ones may really be there several times. */
export const INTERNAL = 'mainchain/address/internal-transaction-list-multi';
/** Its records are identified by their hash. */
export const NORMAL = 'mainchain/address/normal-transaction-list-multi';

export function sliceOf(more: Partial<Slice> = {}): Slice {
  return {
    endpoint: INTERNAL,
    variant: variant({}),
    keys: [A],
    interval: { from: 100, to: 199 },
    provisional: false,
    ...more,
  };
}

export function record(height: number, more: WireRecord = {}): WireRecord {
  return { txId: `0x${height}`, height: String(height), from: A, to: C, amount: '1', ...more };
}

/** 25 records, newest first: pages of 10, 10 and 5. */
export const RECORDS = Array.from({ length: 25 }, (_, i) => record(190 - i));

/** Records at one height, each with an amount of its own. */
export function atHeight(height: number, count: number, more: WireRecord = {}): WireRecord[] {
  return Array.from({ length: count }, (_, i) => {
    return record(height, { txId: `0x${height}.${i}`, amount: String(i), ...more });
  });
}

/** Settings of a run that knows nothing of its service, with pages of 10. */
export function settingsOf(more: Partial<FetchSettings> = {}): FetchSettings {
  return { chain: 'X', pageSize: 10, recordCap: 10_000, ...unlearned(), ...more };
}

/** The parts of a slice, fetched by a run that knows nothing unless it is given settings. */
export function fetched(
  caller: Caller,
  slice: Slice = sliceOf(),
  more: Partial<FetchSettings> = {},
): Promise<Fetched[]> {
  return gathered(fetchSlice(caller, slice, settingsOf(more)));
}

/** The records of all parts as sorted text, to be compared as multisets. */
export function textsOf(parts: readonly { readonly records: readonly WireRecord[] }[]): string[] {
  return parts.flatMap(({ records }) => records.map((each) => JSON.stringify(each))).sort();
}

export function statusesOf(parts: readonly Fetched[]): string[] {
  return [...new Set(parts.map(({ status }) => status))].sort();
}
