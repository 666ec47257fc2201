import { expect, test } from 'vitest';
import { runOnSchedule } from '../../../../src/run/scheduler.ts';
import { HOUR } from '../../../fixtures/alert-rules.ts';
import { IS_THOROUGH } from '../../../fixtures/thorough.ts';
import { seededRandom } from '../../../fixtures/virtual-clock.ts';
import { whenOver } from '../../../fixtures/when-over.ts';
import { monthClock } from '../../../model/month-clock.ts';
import { type MonthPlan, monthPlan, shortPlan } from '../../../model/month-plan.ts';
import { expectedAlerts, expectedEnd, expectedRuns } from '../../../model/month-rules.ts';
import { linesOfChain, linesOfCurated, linesOfRaw } from '../../../model/month-truth.ts';
import { ALERT_HOURS, type Ended, FROM, HEAD, monthWorld } from '../../../model/month-world.ts';

/**
 * Goal: after a month of hourly runs with every kind of trouble, the lake and its curated tables
 * equal the chain, runs begin at the times of the schedule and end with the exit code of their
 * trouble, and alerts are exactly those of the rules, none twice. Without THOROUGH it plays a day.
 */

const SEED = Number(process.env['SEED'] ?? 20250330);
const TABLES = ['transactions', 'internal_transactions'];
const BLOCKS_AN_HOUR = 3;
const SCHEDULE = {
  cron: '0 * * * *',
  timeZone: 'Europe/Berlin',
  jitterMs: 0,
  onOverlap: 'skip',
  timeoutMs: undefined,
} as const;

type World = Awaited<ReturnType<typeof monthWorld>>;

/** Plays the hours; returns the half hours of true time at which runs began, and their ends. */
async function play(plan: MonthPlan, world: World) {
  const random = seededRandom(SEED);
  const begun: number[] = [];
  const ends: Ended[] = [];
  let stop = new AbortController();
  let isOver = false;
  const clock = monthClock(plan.startMs, (half) => {
    const hour = Math.floor(half / 2);
    isOver = half >= plan.hours * 2;
    if (half % 2 === 1) {
      const shift = plan.jumps.get(hour);
      if (shift !== undefined) clock.set(shift * HOUR);
      if (!plan.restarts.has(hour)) return;
    } else {
      world.source.growTo(HEAD + hour * BLOCKS_AN_HOUR);
      const depth = plan.depths.get(hour);
      if (depth !== undefined) world.source.reorganise(depth);
      if (!isOver) return;
    }
    stop.abort();
  });
  const killed = new Error('the process was killed');
  const start = async (): Promise<void> => {
    const half = clock.half();
    begun.push(half);
    const event = plan.events.get(Math.floor(half / 2)) ?? 'none';
    const failsAt = 1 + Math.floor(random() * (event === 'killed' ? 40 : 10));
    const end = await world.play({ effects: clock.effects, event, failsAt });
    ends.push(end);
    if (end.exitCode === undefined) throw killed;
  };
  while (!isOver) {
    stop = new AbortController();
    const stops = { softStop: stop.signal, hardStop: new AbortController().signal };
    const note = (): void => undefined;
    const options = { schedule: SCHEDULE, effects: clock.effects, start, note, ...stops };
    await runOnSchedule(options).catch((error: unknown) => {
      if (error !== killed) throw error;
    });
  }
  return { begun, ends };
}

test(`hours of trouble, SEED=${SEED}`, async () => {
  const plan = IS_THOROUGH ? monthPlan(SEED) : shortPlan();
  const world = await monthWorld(String(SEED), plan.startMs);
  whenOver(() => world.close());
  const { begun, ends } = await play(plan, world);
  const runs = expectedRuns(plan);
  expect(begun).toEqual(runs.map(({ half }) => half));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(runs.map(({ event }) => expectedEnd(event)));
  const ats = ends.map(({ atMs }) => (atMs - plan.startMs) / HOUR);
  expect(world.throttled()).toBeGreaterThan(0);
  expect(world.lines).toEqual(expectedAlerts(runs, ats, ALERT_HOURS));
  expect(new Set(world.ids).size).toBe(world.ids.length);
  const blocks = { from: FROM, to: HEAD + (plan.hours - 1) * BLOCKS_AN_HOUR };
  await world.opened(async (lake) => {
    for (const table of TABLES) {
      const truth = linesOfChain(world.source.chain, world.addresses, table, blocks);
      expect(truth.length).toBeGreaterThan(10);
      expect(await linesOfRaw(lake, table)).toEqual(truth);
      expect(await linesOfCurated(lake, table)).toEqual(truth);
    }
  });
}, 3_600_000);
