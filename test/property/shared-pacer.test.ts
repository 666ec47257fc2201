import { expect, it } from 'vitest';
import { fileCell } from '../../src/fetch/rate/cell/file-cell.ts';
import { redisCell } from '../../src/fetch/rate/cell/redis-cell.ts';
import { paceIn } from '../../src/fetch/rate/pace-record.ts';
import { Pacer } from '../../src/fetch/rate/pacer.ts';
import { casesOf, IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { seededRandom, type VirtualClock, virtualClock } from '../fixtures/virtual-clock.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { KINDS } from './pacer-servers.ts';
import { mean, type Result, simulate } from './pacer-simulation.ts';

/** Processes that share a key keep to the hidden limit together, as one process does. */
const COUNTS = IS_EXHAUSTIVE ? [2, 3] : [2];
const CASES = KINDS.flatMap((kind) =>
  COUNTS.flatMap((processes) =>
    (IS_EXHAUSTIVE ? [5, 50] : [5]).map((limitPerSecond) => ({
      kind,
      processes,
      limitPerSecond,
      name: `${kind.name} of ${limitPerSecond}/s, ${processes} processes`,
    })),
  ),
);

it.each(CASES)('several processes use one limit: $name', async (input) => {
  const { kind, processes, limitPerSecond } = input;
  const results: Result[] = [];
  for (const seed of [1, 2]) {
    const durationMs = kind.isPerMinute ? 600_000 : 300_000;
    const scenario = { kind, limitPerSecond, seed, durationMs, warmUpMs: 120_000, processes };
    results.push(await simulate(scenario));
  }
  expect(mean(results.map(({ ratio }) => ratio))).toBeGreaterThanOrEqual(kind.minRatio);
  expect(mean(results.map(({ ratio }) => ratio))).toBeLessThanOrEqual(1);
  expect(mean(results.map(({ rejections }) => rejections))).toBeLessThanOrEqual(0.02);
});

it.each(KINDS.slice(0, 1))('four processes send at most 105 % of 200/s', async (kind) => {
  for (let seed = 1; seed <= casesOf(3); seed += 1) {
    const times = { durationMs: 180_000, warmUpMs: 60_000, latencyMs: 30 };
    const four = { kind, limitPerSecond: 200, processes: 4, concurrency: 40 };
    const { fullest, ratio, rejections } = await simulate({ seed, ...four, ...times });
    expect(fullest, `seed ${seed}`).toBeLessThanOrEqual(1.05);
    expect(ratio, `seed ${seed}`).toBeGreaterThanOrEqual(0.9);
    expect(rejections, `seed ${seed}`).toBeLessThanOrEqual(0.01);
  }
});

const RATE = 100;
const LATENCY_MS = 40;
const WORKERS = 8;
const SECONDS = 20;

/** With its URL, the pace lies in this Redis, which gets the virtual time (test/scale). */
const REDIS = process.env['WINDROW_TEST_REDIS'];

async function redisServer(clock: VirtualClock) {
  const { Redis } = await import('ioredis');
  const client = new Redis(REDIS ?? '');
  await client.flushall();
  const exchanges = new Set<Promise<unknown>>();
  return {
    close: () => client.disconnect(),
    run: async (script: string, keys: readonly string[], args: readonly (string | number)[]) => {
      const time = [Math.floor(clock.now() / 1000), (clock.now() % 1000) * 1000].map(Math.floor);
      const virtual = script.replace("redis.call('TIME')", '{ ARGV[#ARGV - 1], ARGV[#ARGV] }');
      const exchange = client.eval(virtual, keys.length, ...keys, ...args, ...time);
      exchanges.add(exchange);
      return exchange.finally(() => exchanges.delete(exchange));
    },
    /** Lets time pass, but little during an exchange. */
    pass: async (untilMs: number) => {
      while (clock.now() < untilMs) {
        await Promise.all(exchanges);
        await clock.pass(exchanges.size === 0 ? 5 : 0);
      }
    },
  };
}

/** The requests of processes over one cell, which are killed at random with the turns they took. */
async function sentBy(processes: number, seed: number, killsPerSecond: number) {
  const folder = await freshFolder();
  const clock = virtualClock(seed, undefined, REDIS !== undefined);
  const server = REDIS === undefined ? undefined : await redisServer(clock);
  const random = seededRandom(seed);
  const endMs = clock.now() + 1000 * SECONDS;
  const sent: { readonly atMs: number; readonly place: number }[] = [];
  let isOver = false;

  /** One process after another, each until it is killed. */
  const live = async (place: number): Promise<void> => {
    const killMs = clock.now() + (-1000 * Math.log(1 - random())) / killsPerSecond;
    const isDead = (): boolean => isOver || clock.now() >= killMs;
    const cell =
      server === undefined
        ? fileCell({ folder, read: paceIn, effects: clock })
        : await redisCell({ server, key: 'pace', read: paceIn, effects: clock });
    const pacer = new Pacer({ effects: clock, cell, startPerSecond: RATE, maxPerSecond: RATE });
    const work = async (): Promise<void> => {
      while (!isDead()) {
        const permit = await Promise.race([pacer.permit(), clock.sleep(killMs - clock.now())]);
        if (permit === undefined || isDead()) return;
        sent.push({ atMs: clock.now(), place });
        await clock.sleep(LATENCY_MS);
        if (!isDead()) permit.succeeded(LATENCY_MS);
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    if (!isOver) await live(place);
  };
  const lives = Array.from({ length: processes }, (_, place) => live(place));
  await (server?.pass(endMs) ?? clock.pass(endMs - clock.now()));
  isOver = true;
  await clock.run(Promise.all(lives));
  server?.close();
  return sent.filter(({ atMs }) => atMs < endMs);
}

it('processes that are killed never send more than the rate in any second, and use 90 % of it', async () => {
  for (let seed = 1; seed <= casesOf(REDIS === undefined ? 10 : 1); seed += 1) {
    const sent = await sentBy(3, seed, 0.3);
    let first = 0;
    let most = 0;
    for (const [at, { atMs }] of sent.entries()) {
      while ((sent[first]?.atMs ?? atMs) <= atMs - 1000) first += 1;
      most = Math.max(most, at - first + 1);
    }
    expect(most, `seed ${seed}`).toBeLessThanOrEqual(RATE + 2);
    expect(sent.length / SECONDS, `seed ${seed}`).toBeGreaterThanOrEqual(0.9 * RATE);
  }
});

it('processes that have as much to send get the same share of the rate', async () => {
  const sent = await sentBy(2, 1, 0);
  const share = sent.filter(({ place }) => place === 0).length / sent.length;
  expect(Math.abs(share - 0.5)).toBeLessThan(0.02);
});
