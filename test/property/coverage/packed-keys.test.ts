import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeysOfList } from '../../../src/coverage/keys-of-list.ts';
import { hashBytes, isPackable, PackedKeys } from '../../../src/coverage/packed-keys.ts';
import { casesOf } from '../../fixtures/thorough.ts';

/**
 * Goal: hashes that are packed are found, listed, replaced and removed as in a map of texts, however
 * they are spread over the runs.
 */

const seed = Number(process.env['SEED'] ?? 51_407);
const runs = { seed, numRuns: casesOf(300) };

/** Hashes with equal first and last bytes, and keys that cannot be packed. */
const key = fc.oneof(
  { weight: 8, arbitrary: fc.nat(40).map((n) => hash(n * 7)) },
  { weight: 2, arbitrary: fc.nat(9).map((n) => hash(n).replace(/..$/, 'ff')) },
  { weight: 2, arbitrary: fc.constantFrom('', '0xa', hash(3).toUpperCase(), `${hash(3)}0`) },
);

function hash(n: number): string {
  return `0x${(n % 5).toString(16).repeat(8)}${n.toString(16).padStart(56, '0')}`;
}

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      key,
      parts: fc.array(fc.nat(2), { maxLength: 2 }),
      isOpen: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ do: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'save' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'list' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'group' as const }) },
);

const steps = fc.array(step, { maxLength: 80, size: 'max' });

interface Expected {
  readonly parts: readonly number[];
  readonly isOpen: boolean;
}

/** A copy as a saved fold makes it. */
function restored(keys: KeysOfList<number>): KeysOfList<number> {
  const again = new KeysOfList<number>(undefined, 3);
  const packed = keys.packed();
  for (const [own, parts] of packed.keys) again.set(own, parts, isOpenIn(keys, own));
  for (const run of packed.runs) again.addRun(new PackedKeys(Buffer.from(run.bytes), run.values));
  return again;
}

function isOpenIn(keys: KeysOfList<number>, wanted: string): boolean {
  return [...keys.openKeys()].includes(wanted);
}

function check(keys: KeysOfList<number>, expected: ReadonlyMap<string, Expected>): void {
  const listed = [...keys.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  const known = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(listed).toEqual(known.map(([own, { parts }]) => [own, parts]));
  expect([...keys.openKeys()].sort()).toEqual(
    known.flatMap(([own, { isOpen }]) => (isOpen ? [own] : [])),
  );
  expect(keys.isEmpty()).toBe(expected.size === 0);
}

/** All hashes are in one run, and each value has its own. */
function checkGroups(keys: KeysOfList<number>, expected: ReadonlyMap<string, Expected>): void {
  const all = keys.inOneRun();
  const found: [string, readonly number[]][] = [...(all?.keys ?? [])];
  for (const [{ parts }, hashes] of all?.run?.groups() ?? []) {
    for (const each of hashes.keys()) found.push([each, parts]);
  }
  const known = [...expected].map(([own, { parts }]) => [own, parts]);
  expect(found.filter(([, parts]) => parts.length > 0).sort()).toEqual(known.sort());
}

function play(
  keys: KeysOfList<number>,
  expected: Map<string, Expected>,
  all: readonly (typeof steps extends fc.Arbitrary<infer S> ? S : never)[number][],
): KeysOfList<number> {
  let now = keys;
  for (const each of all) {
    if (each.do === 'settle') now.settle();
    if (each.do === 'save') now = restored(now);
    if (each.do === 'list') check(now, expected);
    if (each.do === 'group') checkGroups(now, expected);
    if (each.do !== 'set') continue;
    const isOpen = each.isOpen && each.parts.length > 0;
    now.set(each.key, each.parts, isOpen);
    if (each.parts.length === 0) expected.delete(each.key);
    else expected.set(each.key, { parts: each.parts, isOpen });
    expect(now.get(each.key)).toEqual(each.parts);
  }
  return now;
}

test('packed keys are those of a map', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const expected = new Map<string, Expected>();
      const keys = play(new KeysOfList<number>(undefined, 3), expected, all);
      for (const [own, { parts }] of expected) expect(keys.get(own)).toEqual(parts);
      check(keys, expected);
      check(restored(keys), expected);
    }),
    runs,
  );
});

test('an overlay of packed keys leaves its base as it was', () => {
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const expected = new Map<string, Expected>();
      const base = play(new KeysOfList<number>(undefined, 3), expected, before);
      const changed = new Map(expected);
      const sets = after.filter((each) => each.do === 'set');
      check(play(new KeysOfList(base), changed, sets), changed);
      check(base, expected);
    }),
    runs,
  );
});

test('counts are those of the keys', () => {
  fc.assert(
    fc.property(fc.uniqueArray(key), fc.nat(20), (all, packed) => {
      const keys = new KeysOfList<number>(undefined, packed);
      const [one, two] = [[1], [2]];
      for (const [i, each] of all.entries()) {
        keys.set(each, i % 3 === 0 ? one : two, false);
        keys.settle();
      }
      const counts = new Map<number, number>();
      for (const [[value = 0], count] of keys.counts()) {
        counts.set(value, (counts.get(value) ?? 0) + count);
      }
      const ones = Math.ceil(all.length / 3);
      expect([counts.get(1) ?? 0, counts.get(2) ?? 0]).toEqual([ones, all.length - ones]);
    }),
    runs,
  );
});

test('hashes are packed in 36 bytes each', () => {
  const packed = PackedKeys.of([7, 3, 5].map((n) => [hash(n), 'v'] as const));
  expect(packed.bytes).toHaveLength(108);
  const found = [5, 4].map((n) => packed.get(hashBytes(hash(n)) ?? Buffer.alloc(0)));
  expect(found).toEqual(['v', undefined]);
  expect(hashBytes('0xa')).toBeUndefined();
  expect(isPackable(hash(3).toUpperCase())).toBe(false);
  expect(() => new PackedKeys(packed.bytes.subarray(1), ['v'])).toThrow(RangeError);
});

process.stdout.write(`packed keys: seed ${seed}\n`);
