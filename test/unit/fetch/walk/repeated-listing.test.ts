import { expect, test } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { ListFacts } from '../../../../src/fetch/walk/list-facts.ts';
import { parsedRecord } from '../../../fixtures/listed.ts';
import { Lister, type ListerOptions } from '../../../fixtures/walk-lister.ts';
import { A, B, fetched, INTERNAL, record, sliceOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: copies that a service lists once per matching key are distinguished from records that exist
 * twice.
 */

const slice = sliceOf({ keys: [A, B] });
const shared = record(150, { to: B });
const other = record(140);

/** A service that lists every record once for each matching key. */
function perKey(list: readonly WireRecord[], options: ListerOptions = {}): Lister {
  return new Lister(list, {
    ...options,
    tamper: (reply, { query }) => {
      const keys = (query['address'] ?? '').split(',');
      const records = reply.records.flatMap((entry) => {
        const { from, to } = parsedRecord(entry);
        const matched = keys.filter((key) => from === key || to === key);
        return matched.map(() => entry);
      });
      return { ...reply, records };
    },
  });
}

test('a copy that appears between two readings does not change the learned mode', async () => {
  const lister: Lister = perKey([shared, other], {
    before: (entry) => {
      // The second copy exists from the reading by one key on.
      if (entry.calls.some(({ query }) => query['address'] === A)) {
        entry.records = [shared, shared, other];
      }
    },
  });
  const facts = new ListFacts({}, {});
  const [part] = await fetched(lister, slice, { facts });
  expect(part?.status).toBe('inconsistent');
  expect(facts.repeatModes()).toEqual({});
});

test('a service that starts to list records once per match is detected', async () => {
  const facts = new ListFacts({}, { [INTERNAL]: 'once' });
  const parts = await fetched(perKey([shared, other]), slice, { facts });
  expect(parts.flatMap(({ records }) => records.map(parsedRecord))).toEqual([shared, other]);
  expect(facts.repeatModes()).toEqual({ [INTERNAL]: 'per-key' });
});

test('a copy count that is not a multiple of the matched keys is inconsistent', async () => {
  const facts = new ListFacts({}, { [INTERNAL]: 'per-key' });
  const [part] = await fetched(new Lister([shared, shared, shared, other]), slice, { facts });
  expect(part?.status).toBe('inconsistent');
  expect(part?.reason).toContain('3 copies of a record that matches 2 keys');
});
