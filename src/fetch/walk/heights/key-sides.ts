import { paramOf } from '../../../catalogue/index.ts';
import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { listOf } from '../../../coverage/list.ts';
import type { Pages } from '../pages.ts';
import { matchedKeys } from '../record-reader.ts';
import { Records } from '../sorted-pages.ts';
import type { Reading, ReadWhole } from '../walk.ts';

/** Reads a key by its two sides: the records it sent and those it received. */

/**
 * The reading of each side; undefined where the list has no such filter, or the filter is already
 * set.
 */
function sidesOf(reading: Reading): { readonly from: Reading; readonly to: Reading } | undefined {
  const { history: _, ...whole } = reading;
  const { endpoint, slice } = reading;
  const side = paramOf(endpoint, 'side');
  const { filters } = slice.list;
  if (side === undefined || filters[side.name] !== undefined) return undefined;
  const sideOf = (name: string): Reading => {
    return {
      ...whole,
      slice: { ...slice, list: listOf(endpoint, { ...filters, [side.name]: name }) },
    };
  };
  return { from: sideOf('from'), to: sideOf('to') };
}

function isOn({ slice }: Reading, record: ListedRecord): boolean {
  return matchedKeys(record, slice).length > 0;
}

/** All records of one key, read by its sides; undefined where they cannot be read so. */
export async function readBySides(
  reading: Reading,
  read: ReadWhole,
): Promise<readonly ListedRecord[] | undefined> {
  const sides = sidesOf(reading);
  if (sides === undefined) return undefined;
  const sent = await read(sides.from);
  const received = sent === undefined ? undefined : await read(sides.to);
  if (sent === undefined || received === undefined) return undefined;
  // Records from the key to itself are on both sides.
  const whole = [...sent, ...received.filter((record) => !isOn(sides.from, record))];
  const isLost = new Records(whole).lacks(reading.history ?? []) !== undefined;
  return isLost ? undefined : whole;
}

/**
 * Whether the two sides of one key together list more records than the pages of the key, by a count
 * of each side.
 */
export async function haveSidesMore(
  reading: Reading,
  { records, listed }: Pick<Pages, 'records' | 'listed'>,
  count: (side: Reading) => Promise<number | undefined>,
): Promise<boolean> {
  const sides = sidesOf(reading);
  if (sides === undefined) return false;
  const onBoth = records.filter((record) => isOn(sides.from, record) && isOn(sides.to, record));
  const sent = (await count(sides.from)) ?? 0;
  const received = (await count(sides.to)) ?? 0;
  return sent + received - onBoth.length > listed;
}
