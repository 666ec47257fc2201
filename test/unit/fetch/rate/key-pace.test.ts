import { expect, it } from 'vitest';
import { memoryCell } from '../../../../src/fetch/rate/cell/memory-cell.ts';
import { KeyPace } from '../../../../src/fetch/rate/key-pace.ts';
import type { PaceRecord } from '../../../../src/fetch/rate/pace-record.ts';
import { Pacer } from '../../../../src/fetch/rate/pacer.ts';
import { virtualClock } from '../../../fixtures/virtual-clock.ts';

/** Processes with one key, on one clock. */
function world() {
  const clock = virtualClock();
  const cell = memoryCell<PaceRecord>(50);
  const process = (ceilingPerSecond: number | null = 100) =>
    new Pacer({ effects: clock, cell, memory: { ceilingPerSecond } });
  return { clock, cell, process };
}

it('a rejection of one process stops the others at their next visit', async () => {
  const { clock, process } = world();
  const [one, other] = [process(), process()];
  const rejected = await clock.run(one.permit());
  const permits = Array.from({ length: 8 }, () => other.permit());
  await clock.run(permits[0] ?? other.permit());
  rejected.rejected({ retryAfterMs: 30_000 });
  const cutMs = clock.now();
  await clock.run(Promise.all(permits.slice(0, 6)));
  expect(clock.now() - cutMs).toBeLessThan(100);
  expect(other.memory().ceilingPerSecond).toBeCloseTo(93, 5);
  await clock.run(permits[6] ?? other.permit());
  expect(clock.now() - cutMs).toBe(30_000);
});

it('a process that begins goes on at the rate of one that sends, and not at that of an old run', async () => {
  const { clock, process } = world();
  await clock.run(process(100).permit());
  const joined = process(null);
  await clock.run(joined.permit());
  expect(joined.memory()).toEqual({ ceilingPerSecond: 100 });
  await clock.pass(10_001);
  const later = process(50);
  await clock.run(later.permit());
  expect(later.explain()).toMatchObject({ ceilingPerSecond: 50, ratePerSecond: 40 });
});

it('a process that begins in a long wait sends one request, whose answer says how long it is', async () => {
  const { clock, process } = world();
  const first = process();
  (await clock.run(first.permit())).rejected({ retryAfterMs: 3_600_000 });
  const waiting = first.permit();
  await clock.pass(1000);
  const beganMs = clock.now();
  const later = process();
  const trial = await clock.run(later.permit());
  expect(clock.now() - beganMs).toBeLessThan(60_000);
  trial.rejected({ retryAfterMs: 3_000_000 });
  const rejectedMs = clock.now();
  await clock.run(Promise.race([waiting, later.permit()]));
  expect(clock.now() - rejectedMs).toBeGreaterThanOrEqual(3_000_000);
});

it('one visit serves the requests in flight that end within it, where the rate is free', async () => {
  const { clock, cell } = world();
  let visits = 0;
  const update: typeof cell.update = (change) => {
    visits += 1;
    return cell.update(change);
  };
  const pacer = new Pacer({ effects: clock, cell: { ...cell, update }, startPerSecond: 10_000 });
  let requests = 0;
  const work = async (): Promise<void> => {
    while (requests < 2000) {
      requests += 1;
      const permit = await pacer.permit();
      await clock.sleep(2 + clock.random());
      permit.succeeded(2);
    }
  };
  await clock.run(Promise.all(Array.from({ length: 16 }, work)));
  expect(visits).toBeLessThan(requests / 4);
  const rates = { startPerSecond: 1, maxPerSecond: 10_000, random: clock.random };
  const key = new KeyPace(cell, undefined, rates, clock);
  await clock.run(clock.sleep(100).then(() => key.visit(0, 16)));
  await key.visit(0, 16);
  expect(key.turns).toHaveLength(0);
  await clock.run(clock.sleep(100).then(() => key.visit(1, 16)));
  expect(key.turns).toHaveLength(17);
  key.pace.throughput.medianLatencyMs = 100;
  await clock.run(clock.sleep(100).then(() => key.visit(18, 16)));
  expect(key.turns).toHaveLength(18 + 16 / 2);
});
