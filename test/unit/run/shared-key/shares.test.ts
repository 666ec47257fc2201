import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Lease,
  leaderOf,
  paceOfOthers,
  sharesByPriority,
} from '../../../../src/run/shared-key/shares.ts';

const lease = (of: Partial<Lease>): Lease => ({
  id: 'a',
  sinceMs: 0,
  renewedMs: 0,
  priority: 5,
  wanted: 1,
  share: 0,
  ceilingAtMs: 0,
  ratePerSecond: 10,
  ceilingPerSecond: null,
  isProbing: false,
  blockedUntilMs: Number.NEGATIVE_INFINITY,
  ...of,
});
const sharesOf = (...leases: Lease[]) => [...sharesByPriority(leases).values()];

it('equal processes get equal shares', () => {
  expect(sharesOf(lease({ id: 'a' }), lease({ id: 'b' }))).toEqual([0.5, 0.5]);
});

it('a process that wants little leaves the rest to the others', () => {
  const [small = 0, large = 0] = sharesOf(lease({ id: 'a', wanted: 0.1 }), lease({ id: 'b' }));
  expect(small).toBeCloseTo(0.1, 9);
  expect(large).toBeCloseTo(0.9, 9);
});

it('a higher priority gets what it wants first, and no process gets nothing', () => {
  const [low = 0, high = 0] = sharesOf(
    lease({ id: 'a', priority: 1 }),
    lease({ id: 'b', priority: 9, wanted: 0.7 }),
  );
  expect(high).toBeCloseTo(0.7, 9);
  expect(low).toBeCloseTo(0.3, 9);
  const [least] = sharesOf(lease({ id: 'a', priority: 1 }), lease({ id: 'b', priority: 9 }));
  expect(least).toBeCloseTo(0.02, 9);
});

it('shares add up to 1, whatever is wanted', () => {
  const some = fc.record({
    priority: fc.integer({ min: 1, max: 9 }),
    wanted: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 60 }), (given) => {
      const shares = sharesOf(...given.map((each, i) => lease({ ...each, id: String(i) })));
      const sum = shares.reduce((total, share) => total + share, 0);
      expect(sum).toBeCloseTo(1, 9);
      expect(Math.min(...shares)).toBeGreaterThan(0);
    }),
    { seed: 16 },
  );
});

it('the leader is the first process that has enough to send', () => {
  const idle = lease({ id: 'a', wanted: 0.1, sinceMs: 1 });
  const busy = lease({ id: 'b', sinceMs: 2 });
  const later = lease({ id: 'c', sinceMs: 3 });
  expect(leaderOf([later, busy, idle])?.id).toBe('b');
  expect(leaderOf([later, busy, { ...later, id: 'd', priority: 9 }])?.id).toBe('d');
  expect(leaderOf([idle])?.id).toBe('a');
});

it('the newest ceiling of all processes counts, and the longest pause of the others', () => {
  const own = lease({ id: 'a', ceilingPerSecond: 50, ceilingAtMs: 1_000 });
  const cut = lease({ id: 'b', ceilingPerSecond: 40, ceilingAtMs: 2_000, blockedUntilMs: 9_000 });
  expect(paceOfOthers(own, [cut])).toMatchObject({ ceilingPerSecond: 40, blockedUntilMs: 9_000 });
  const older = { ...cut, ceilingAtMs: 500 };
  expect(paceOfOthers(own, [older])?.ceilingPerSecond).toBe(50);
  expect(paceOfOthers(own, [])).toBeUndefined();
});
