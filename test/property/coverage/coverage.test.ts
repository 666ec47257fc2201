import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Coverage, type CoverageEntry } from '../../../src/coverage/coverage.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';
import { entriesOf, ledger } from '../../../src/land/delta/ledger.ts';
import { casesOf } from '../../fixtures/thorough.ts';

/**
 * Goal: coverage is what a map from every single height to the newest reading of it would be, and
 * its entries are as few as can be.
 */

const seed = Number(process.env['SEED'] ?? 6_044);
const runs = { seed, numRuns: casesOf(1_000) };
const TOP = 30;
const heights = Array.from({ length: TOP + 2 }, (_, height) => height);
const ENDPOINTS = ['a/list', 'a/list-multi'];
const VARIANTS = ['', 'side=from'];
const KEYS = ['0xa', '0xb'];

const interval: fc.Arbitrary<Interval> = fc
  .tuple(fc.nat(TOP), fc.nat(TOP))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

const entry: fc.Arbitrary<CoverageEntry> = fc
  .record({
    endpoint: fc.constantFrom(...ENDPOINTS),
    variant: fc.constantFrom(...VARIANTS),
    key: fc.constantFrom(...KEYS),
    interval,
    status: fc.constantFrom('complete' as const, 'provisional' as const, 'truncated' as const),
    reason: fc.constantFrom('', 'cap'),
    head: fc.nat(9),
    readAtMs: fc.nat(9),
  })
  .map(({ interval: { from, to }, ...rest }) => ({ ...rest, from, to }));
const entries = fc.array(entry, { maxLength: 25, size: 'max' });

/** The model: what was last said of every height of every list and key. */
function naive(added: readonly CoverageEntry[]): Map<string, CoverageEntry> {
  const newest = new Map<string, CoverageEntry>();
  for (const part of added) {
    for (let height = part.from; height <= part.to; height += 1) {
      newest.set(placeOf(part, height), part);
    }
  }
  return newest;
}

function placeOf(
  list: { readonly endpoint: string; readonly variant: string; readonly key: string },
  height: number,
): string {
  return `${list.endpoint} ${list.variant} ${list.key} ${height}`;
}

function filled(added: readonly CoverageEntry[]): Coverage {
  const coverage = new Coverage();
  for (const part of added) coverage.add(part);
  return coverage;
}

const lists = ENDPOINTS.flatMap((endpoint) =>
  VARIANTS.flatMap((variant) => KEYS.map((key) => ({ endpoint, variant, key }))),
);

/** Every height that entries speak of, with what they say. */
function said(parts: readonly CoverageEntry[]): Map<string, CoverageEntry> {
  const byPlace = new Map<string, CoverageEntry>();
  for (const part of parts) {
    for (let height = part.from; height <= part.to; height += 1) {
      const place = placeOf(part, height);
      if (byPlace.has(place)) throw new Error(`${place} is covered twice`);
      byPlace.set(place, part);
    }
  }
  return byPlace;
}

test('of every height the newest reading counts, and no height is covered twice', () => {
  fc.assert(
    fc.property(entries, (added) => {
      const expected = naive(added);
      const actual = said(filled(added).entries());
      expect([...actual.keys()].sort()).toEqual([...expected.keys()].sort());
      const wrong = [...actual].filter(([place, { status, reason, head, readAtMs }]) => {
        const newest = expected.get(place);
        if (newest === undefined) return true;
        const isNewest = newest.status === status && newest.reason === reason;
        // Joined readings claim no more than the oldest of them.
        return !isNewest || head > newest.head || readAtMs > newest.readAtMs;
      });
      expect(wrong).toEqual([]);
    }),
    runs,
  );
});

test('neighbours that say the same are one entry, and no others are joined', () => {
  fc.assert(
    fc.property(entries, (added) => {
      const coverage = filled(added);
      for (const { endpoint, variant, key } of lists) {
        const parts = coverage.get({ endpoint, variant }, key);
        parts.forEach((part, i) => {
          const next = parts[i + 1];
          expect(part.from).toBeLessThanOrEqual(part.to);
          if (next === undefined) return;
          expect(next.from).toBeGreaterThan(part.to);
          const saysTheSame = next.status === part.status && next.reason === part.reason;
          expect(next.from === part.to + 1 && saysTheSame).toBe(false);
        });
      }
    }),
    runs,
  );
});

test('a reading that stands alone keeps its own head and time', () => {
  fc.assert(
    fc.property(entry, (only) => {
      expect(filled([only]).entries()).toEqual([only]);
      expect(filled([only, only]).entries()).toEqual([only]);
    }),
    runs,
  );
});

test('complete heights and missing intervals are told apart as height by height', () => {
  fc.assert(
    fc.property(entries, interval, (added, range) => {
      const expected = naive(added);
      const coverage = filled(added);
      for (const { endpoint, variant, key } of lists) {
        const missing = new Set<number>();
        for (const gap of coverage.missing({ endpoint, variant }, key, range)) {
          for (let height = gap.from; height <= gap.to; height += 1) missing.add(height);
        }
        const wrong = heights.filter((height) => {
          const place = placeOf({ endpoint, variant, key }, height);
          const isComplete = expected.get(place)?.status === 'complete';
          const isAsked = range.from <= height && height <= range.to;
          return (
            coverage.completeIn({ endpoint, variant })(key, height) !== isComplete ||
            missing.has(height) !== (isAsked && !isComplete)
          );
        });
        expect(wrong).toEqual([]);
      }
    }),
    runs,
  );
});

test('what overlaps an interval is found over all keys of one list, and nothing else', () => {
  fc.assert(
    fc.property(entries, interval, (added, range) => {
      const coverage = filled(added);
      for (const endpoint of ENDPOINTS) {
        for (const variant of VARIANTS) {
          const expected = KEYS.flatMap((key) => coverage.get({ endpoint, variant }, key)).filter(
            (part) => part.from <= range.to && range.from <= part.to,
          );
          const actual = coverage.overlapping({ endpoint, variant }, range);
          const spelled = (all: readonly CoverageEntry[]) => all.map((e) => JSON.stringify(e));
          expect(spelled(actual).sort()).toEqual(spelled(expected).sort());
        }
      }
    }),
    runs,
  );
});

test('a copy and its original go their own ways', () => {
  fc.assert(
    fc.property(entries, entries, entries, (before, there, here) => {
      const original = filled(before);
      const copy = original.clone();
      expect(copy.entries()).toEqual(original.entries());
      for (const part of there) copy.add(part);
      for (const part of here) original.add(part);
      expect(copy.entries()).toEqual(filled([...before, ...there]).entries());
      expect(original.entries()).toEqual(filled([...before, ...here]).entries());
    }),
    runs,
  );
});

test('an overlay changes as a copy does, and leaves the original as it was', () => {
  const interval = { from: 0, to: TOP + 2 };
  fc.assert(
    fc.property(entries, entries, fc.nat(TOP), (before, there, height) => {
      const original = filled(before);
      const copy = original.clone();
      const overlay = original.overlay();
      for (const target of [copy, overlay]) {
        for (const part of there) target.add(part);
        target.forget((endpoint) => endpoint === ENDPOINTS[0], height);
        for (const part of there.slice(0, 2)) target.add(part);
      }
      expect(overlay.entries()).toEqual(copy.entries());
      for (const { endpoint, variant } of lists) {
        const way = { endpoint, variant };
        expect(overlay.isOpen(way, interval)).toBe(copy.isOpen(way, interval));
        expect([...overlay.keysOf(way).keys()].sort()).toEqual([...copy.keysOf(way).keys()].sort());
        for (const key of KEYS) {
          expect(overlay.keysOf(way).has(key)).toBe(copy.keysOf(way).has(key));
        }
      }
      expect(original.entries()).toEqual(filled(before).entries());
    }),
    runs,
  );
});

test('groups of keys make the same coverage again', () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 3 }), (added, maxKeys) => {
      const coverage = filled(added);
      const again = new Coverage();
      for (const group of coverage.groups(maxKeys)) {
        expect(group.keys.length).toBeLessThanOrEqual(maxKeys);
        again.addGroup(group);
      }
      expect(again.entries()).toEqual(coverage.entries());
      for (const { endpoint, variant } of lists) {
        const way = { endpoint, variant };
        const whole = { from: 0, to: TOP + 2 };
        expect(again.isOpen(way, whole)).toBe(coverage.isOpen(way, whole));
      }
    }),
    runs,
  );
});

test('keys that are added together are covered as if one by one', () => {
  const steps = fc.array(fc.tuple(entry, fc.subarray(['0xa', '0xb', '0xc'])), { maxLength: 20 });
  fc.assert(
    fc.property(steps, (added) => {
      const together = new Coverage();
      const single = new Coverage();
      for (const [{ endpoint, variant, key: _, ...part }, keys] of added) {
        together.addTo({ endpoint, variant }, keys, part);
        for (const key of keys) single.add({ endpoint, variant, key, ...part });
      }
      expect(together.entries()).toEqual(single.entries());
    }),
    runs,
  );
});

test('the order in which different keys are added does not matter', () => {
  fc.assert(
    fc.property(entries, (added) => {
      const byKey = lists.flatMap((list) =>
        added.filter(
          (part) =>
            part.key === list.key &&
            part.endpoint === list.endpoint &&
            part.variant === list.variant,
        ),
      );
      expect(filled(byKey).entries()).toEqual(filled(added).entries());
    }),
    runs,
  );
});

/** Few different entries, so that equal ones come again after others have overlaid them. */
const few = fc.array(
  fc
    .tuple(entry, fc.constantFrom(0, 5), fc.constantFrom(5, 9))
    .map(([part, from, to]) => ({ ...part, from, to, head: 0, readAtMs: 0 })),
  { maxLength: 25, size: 'max' },
);

test('a commit of the log says of every height what went into it', () => {
  fc.assert(
    fc.property(few, (added) => {
      expect(filled(entriesOf(ledger('run', { coverage: added }))).entries()).toEqual(
        filled(added).entries(),
      );
    }),
    runs,
  );
});

process.stdout.write(`coverage: seed ${seed}\n`);

test(`groups have the entries of their time, hashes among them (seed ${seed})`, () => {
  const hashed = entries.map((all) =>
    all.map((part) => ({ ...part, key: part.key.replace('0x', `0x${'5'.repeat(63)}`) })),
  );
  fc.assert(
    fc.property(entries, hashed, hashed, (some, first, later) => {
      const coverage = filled([...some, ...first]);
      const groups = coverage.grouped();
      const expected = [...coverage.entries()];
      for (const part of later) coverage.add(part);
      const actual = groups.flatMap(({ endpoint, variant, keys, parts }) =>
        keys.flatMap((key) => parts.map((part) => ({ endpoint, variant, key, ...part }))),
      );
      const sorted = (all: readonly CoverageEntry[]) =>
        all.map((part) => JSON.stringify(Object.entries(part).sort())).sort();
      expect(sorted(actual)).toEqual(sorted(expected));
    }),
    runs,
  );
});
