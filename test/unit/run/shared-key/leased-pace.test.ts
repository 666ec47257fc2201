import { expect, it } from 'vitest';
import type { CommonPace } from '../../../../src/fetch/rate/rate-share.ts';
import { LeasedPace, type LeaseStore } from '../../../../src/run/shared-key/leased-pace.ts';
import { seededRandom, virtualClock } from '../../../fixtures/virtual-clock.ts';
import { leasesInMemory } from '../../../property/pacer-simulation.ts';

const PACE: CommonPace = {
  ratePerSecond: 10,
  ceilingPerSecond: 10,
  isProbing: false,
  blockedUntilMs: Number.NEGATIVE_INFINITY,
};

function world(seed = 1) {
  const clock = virtualClock(seed);
  const store = leasesInMemory();
  const process = (id: string, priority = 5) => {
    return new LeasedPace({ store, effects: clock, id, priority });
  };
  return { clock, store, process };
}

it('a process that is alone has the whole rate at once', async () => {
  const { clock, process } = world();
  const pace = process('a');
  expect(pace.shareAt(clock.now())).toBe(0);
  expect(await pace.renew(PACE, 1)).toEqual({ share: 1, isLeader: true, others: undefined });
  expect(pace.shareAt(clock.now())).toBe(1);
});

it('a second process sends nothing until the first one has given up a share', async () => {
  const { clock, process } = world();
  const [first, second] = [process('a'), process('b')];
  await first.renew(PACE, 1);
  expect((await second.renew(PACE, 1)).share).toBe(0);
  await clock.pass(400);
  expect((await first.renew(PACE, 1)).share).toBe(0.5);
  expect((await second.renew(PACE, 1)).share).toBe(0.5);
});

it('a process that ends gives up its share at once, and one that is killed after 3 seconds', async () => {
  const { clock, process } = world();
  const [first, second, third] = [process('a'), process('b'), process('c')];
  await first.renew(PACE, 1);
  await second.renew(PACE, 1);
  await first.close();
  expect((await second.renew(PACE, 1)).share).toBe(1);
  await clock.pass(2_999);
  expect((await third.renew(PACE, 1)).share).toBe(0);
  await clock.pass(2);
  expect((await third.renew(PACE, 1)).share).toBe(1);
});

it('a process that did not renew its lease for long sends nothing', async () => {
  const { clock, process } = world();
  const pace = process('a');
  await pace.renew(PACE, 1);
  await clock.pass(2_001);
  expect(pace.shareAt(clock.now())).toBe(0);
});

it('a ceiling that one process finds reaches the others', async () => {
  const { clock, process } = world();
  const [first, second] = [process('a'), process('b')];
  await first.renew(PACE, 1);
  await second.renew(PACE, 1);
  await clock.pass(400);
  await second.renew({ ...PACE, ceilingPerSecond: 8 }, 1);
  await clock.pass(10);
  expect((await first.renew(PACE, 1)).others?.ceilingPerSecond).toBe(8);
  // The first one has the ceiling now, and makes no news of its old one.
  await clock.pass(400);
  expect((await second.renew({ ...PACE, ceilingPerSecond: 8 }, 1)).others?.ceilingPerSecond).toBe(
    8,
  );
});

it('shares never add up to more than 1, with joins, deaths, pauses and clocks that jump', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { clock, process } = world(seed);
    const random = seededRandom(seed);
    let names = 0;
    const live = new Set<LeasedPace>();
    for (let step = 0; step < 300; step += 1) {
      const each = [...live][Math.floor(random() * live.size)];
      const dice = random();
      if (each === undefined || (dice < 0.05 && live.size < 6)) {
        names += 1;
        live.add(process(`process ${names}`, 1 + Math.floor(random() * 9)));
      } else if (dice < 0.07) live.delete(each);
      else if (dice < 0.1) {
        live.delete(each);
        await each.close();
      } else await each.renew(PACE, random());
      await clock.pass(random() < 0.02 ? 5_000 : 300 * random());
      const shares = [...live].map((one) => one.shareAt(clock.now()));
      const sum = shares.reduce((total, share) => total + share, 0);
      expect(sum, `seed ${seed}, step ${step}`).toBeLessThanOrEqual(1 + 1e-9);
    }
  }
});

it('without its store, a run goes on alone and says so once', async () => {
  const clock = virtualClock();
  const store: LeaseStore = { update: () => Promise.reject(new Error('no space left')) };
  const pace = new LeasedPace({ store, effects: clock, id: 'a', priority: 5 });
  expect((await pace.renew(PACE, 1)).share).toBe(1);
  await pace.renew(PACE, 1);
  await clock.pass(60_000);
  expect(pace.shareAt(clock.now())).toBe(1);
  expect(clock.logged.filter((line) => line.startsWith('warn'))).toHaveLength(1);
});
