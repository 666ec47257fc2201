import { expect, it } from 'vitest';
import { redisCell, type ScriptServer } from '../../../../../src/fetch/rate/cell/redis-cell.ts';
import { paceIn } from '../../../../../src/fetch/rate/pace-record.ts';
import { Pacer } from '../../../../../src/fetch/rate/pacer.ts';
import { type VirtualClock, virtualClock } from '../../../../fixtures/virtual-clock.ts';

/** Redis as its one script sees it: a text, and the time of its host. test/scale has a real one. */
function modelServer(clock: VirtualClock) {
  let text = '';
  const state = { isDown: false, latencyMs: 2 };
  const server: ScriptServer = {
    run: async (_script, _keys, [expected, value, atMs]) => {
      await clock.sleep(state.latencyMs);
      if (state.isDown) throw new Error('Redis is down');
      const isSwapped = text === expected && Math.abs(clock.now() - Number(atMs)) <= 500;
      if (isSwapped) text = String(value);
      const answer = [isSwapped ? 1 : 0, text, String(Math.floor(clock.now() / 1000))];
      const micros = (clock.now() % 1000) * 1000;
      await clock.sleep(state.latencyMs);
      return [...answer, String(micros)];
    },
  };
  return { server, state };
}

async function world(skewMs: readonly number[]) {
  const clock = virtualClock();
  const { server, state } = modelServer(clock);
  const sent: { readonly atMs: number; readonly process: number }[] = [];
  const skews = [...skewMs];
  const pacers = skews.map(async (_, process) => {
    const effects = { ...clock, now: () => clock.now() + (skews[process] ?? 0) };
    const cell = await redisCell({ server, key: 'pace', read: paceIn, effects });
    return new Pacer({ effects, cell, startPerSecond: 100, maxPerSecond: 100 });
  });
  const work = async (untilMs: number, callers = 1): Promise<void> => {
    await Promise.all(
      Array.from({ length: skews.length * callers }, async (_, at) => {
        const process = at % skews.length;
        const pacer = await pacers[process];
        while (pacer !== undefined && clock.now() < untilMs) {
          const permit = await pacer.permit();
          sent.push({ atMs: clock.now(), process });
          permit.succeeded(1);
        }
      }),
    );
  };
  return { clock, state, sent, skews, work };
}

function mostInASecond(sent: readonly { readonly atMs: number }[]): number {
  const times = sent.map(({ atMs }) => atMs).sort((a, b) => a - b);
  let first = 0;
  return times.reduce((most, atMs, at) => {
    while ((times[first] ?? atMs) <= atMs - 1000) first += 1;
    return Math.max(most, at - first + 1);
  }, 0);
}

it('processes whose clocks differ by minutes share one rate', async () => {
  const { clock, sent, work } = await world([0, 300_000, -300_000]);
  const startMs = clock.now();
  await clock.run(work(startMs + 20_000));
  expect(clock.logged).toEqual([]);
  expect(mostInASecond(sent)).toBeLessThanOrEqual(105);
  expect(sent.length).toBeGreaterThanOrEqual(0.9 * 2000);
  for (const process of [0, 1, 2]) {
    const share = sent.filter((call) => call.process === process).length / sent.length;
    expect(share).toBeGreaterThan(0.2);
  }
});

it('processes use the rate where Redis is far away', async () => {
  const { clock, state, sent, work } = await world([0, 0, 0, 0]);
  state.latencyMs = 30;
  const startMs = clock.now();
  await clock.run(work(startMs + 20_000, 20));
  expect(mostInASecond(sent)).toBeLessThanOrEqual(105);
  expect(sent.length).toBeGreaterThanOrEqual(0.9 * 2000);
});

it('a clock that is set while requests are sent changes no time of the others', async () => {
  const { clock, sent, skews, work } = await world([0, 0]);
  const startMs = clock.now();
  const working = work(startMs + 20_000);
  await clock.pass(5000);
  skews[1] = 300_000;
  await clock.run(working);
  expect(clock.logged).toEqual([]);
  expect(mostInASecond(sent)).toBeLessThanOrEqual(105);
  expect(sent.length).toBeGreaterThanOrEqual(0.9 * 2000);
});

it('a process that was stopped gives up the turns that it had', async () => {
  const { clock, sent, state, work } = await world([0, 0]);
  const startMs = clock.now();
  const working = work(startMs + 20_000);
  await clock.pass(5000);
  // The answers of Redis are late by ten seconds, as a stopped process reads them.
  state.latencyMs = 5000;
  await clock.pass(100);
  state.latencyMs = 2;
  await clock.run(working);
  expect(mostInASecond(sent)).toBeLessThanOrEqual(105);
});

it('without Redis no request is sent', async () => {
  const { clock, state, sent, work } = await world([0]);
  const startMs = clock.now();
  const working = work(startMs + 20_000).catch((error: unknown) => String(error));
  await clock.pass(5000);
  state.isDown = true;
  expect(await clock.run(working)).toContain('Redis is down');
  const last = sent.at(-1)?.atMs ?? 0;
  expect(last - startMs).toBeLessThan(5200);
});
