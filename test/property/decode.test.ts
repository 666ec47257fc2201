import { expect, test } from 'vitest';
import { endpoints, equalsParams } from '../../src/catalogue/index.ts';
import { type List, listOf } from '../../src/coverage/list.ts';
import {
  contentOf,
  heightOf,
  identityOf,
  matchedKeys,
} from '../../src/fetch/walk/record-reader.ts';
import { decode } from '../../src/land/rows/decode.ts';
import { IS_THOROUGH } from '../fixtures/thorough.ts';
import { Chance } from '../model/chance.ts';
import { HOSTILE_KEYS, hostileRecords } from '../model/hostile-records.ts';
import {
  plainContent,
  plainDecode,
  plainHeight,
  plainIdentity,
  plainMatches,
} from '../model/plain-decode.ts';

/**
 * Decoding and the reading of undecoded records are tuned for speed, so their results must equal
 * those of a plain model for every list and hostile records. `RECORDS=200000` plays more of them.
 */
const RECORDS = Number(process.env['RECORDS'] ?? (IS_THOROUGH ? 40_000 : 6000));
const RECORDS_PER_WALK = 40;

/** Every list of the catalogue: an endpoint, under each value that selects a dataset. */
const LISTS: readonly List[] = endpoints
  .filter(({ list, fields }) => list !== 'submission' && fields.length > 0)
  .flatMap((entry) => {
    const selectors = equalsParams(entry).filter(({ fills }) => fills !== undefined);
    const filtered = selectors.flatMap(({ name, values = [] }) => {
      return values.map((value) => listOf(entry, { [name]: value }));
    });
    return [listOf(entry), ...filtered];
  });

const WALKS = Math.ceil(RECORDS / RECORDS_PER_WALK / LISTS.length);

test.each(LISTS)('$endpoint $variant: decoding equals the plain model', (list) => {
  let rows = 0;
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const chance = new Chance(seed);
    const records = hostileRecords(list, RECORDS_PER_WALK, chance);
    const readAt = chance.between(0, 9);
    const decoded = decode(list, records, readAt);
    expect({ seed, ...decoded }).toEqual({ seed, ...plainDecode(list, records, readAt) });
    rows += decoded.rows.length;
  }
  expect(rows).toBeGreaterThan(WALKS * RECORDS_PER_WALK * 0.1);
});

test.each(LISTS)('$endpoint $variant: undecoded records are read as by the plain model', (list) => {
  const { entry } = list;
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const chance = new Chance(seed);
    const keys = list.keyColumns === undefined ? [''] : chance.some(HOSTILE_KEYS);
    const slice = { list, keys, interval: { from: 0, to: 9 }, provisional: false };
    for (const record of hostileRecords(list, RECORDS_PER_WALK, chance)) {
      expect(contentOf(entry, record)).toBe(plainContent(list, record));
      expect(heightOf(entry, record)).toBe(plainHeight(list, record));
      expect(identityOf(entry, slice, record)).toBe(plainIdentity(list, record));
      expect(matchedKeys(entry, record, slice)).toEqual(plainMatches(list, record, keys));
    }
  }
});
