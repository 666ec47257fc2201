import { expect, test } from 'vitest';
import { HOUR } from '../../fixtures/alert-rules.ts';
import { linesOfChain, linesOfCurated, linesOfRaw } from '../../model/month-truth.ts';
import {
  type Ended,
  EVERY_MS,
  type Event,
  FROM,
  HEAD,
  monthWorld,
} from '../../model/month-world.ts';

/**
 * Goal: after hours with every kind of trouble, the lake and its curated tables equal the chain,
 * every run ends with the exit code of its trouble, and alerts follow the rules and none is sent
 * twice.
 */

const SEED = 'month';
const START_MS = Date.UTC(2025, 2, 1);
const TABLES = ['transactions', 'internal_transactions'];

const EVENTS: readonly Event[] = [
  'none',
  'killed',
  'none',
  'outage',
  'outage',
  'none',
  'expired key',
  'none',
  'full disk',
  'none',
  'throttled',
  'none',
];
/** Depths of reorganisations before the runs of these hours. */
const DEPTHS = new Map([
  [2, 3],
  [5, 1],
  [9, 80],
]);
/** The clock is an hour behind for two runs. */
const isBack = (hour: number): boolean => hour === 8 || hour === 9;
const timeOf = (hour: number): number => START_MS + (hour - (isBack(hour) ? 1 : 0)) * HOUR;

/** The rules, one sentence each: see the comments. */
function expectedAlerts(): string[] {
  const lines: string[] = [];
  const sentMs = new Map<string, number>();
  let isAlerted = false;
  let isBad = false;
  const send = (hour: number, rule: string, atMs: number): boolean => {
    const last = sentMs.get(rule);
    // A rule has one alert an interval at most.
    if (last !== undefined && Math.abs(atMs - last) < EVERY_MS) return false;
    sentMs.set(rule, atMs);
    lines.push(`${hour}: ${rule}`);
    return true;
  };
  for (const [hour, event] of EVENTS.entries()) {
    if (event === 'none') {
      // The run after a killed one reports it, as of the time when it began.
      if (EVENTS[hour - 1] === 'killed') {
        isBad = true;
        isAlerted = send(hour, 'failed', timeOf(hour - 1)) || isAlerted;
      }
      // A recovery is told only of trouble that was told.
      if (isBad && isAlerted) send(hour, 'recovered', timeOf(hour));
      isBad = false;
      isAlerted = false;
    } else if (event !== 'killed') {
      isBad = true;
      isAlerted = send(hour, 'failed', timeOf(hour)) || isAlerted;
    }
  }
  return lines;
}

test(`hours of trouble, seed ${SEED}`, async () => {
  const world = await monthWorld(SEED);
  try {
    const ends: Ended[] = [];
    for (const [hour, event] of EVENTS.entries()) {
      world.source.growTo(HEAD + hour * 6);
      const depth = DEPTHS.get(hour);
      if (depth !== undefined) world.source.reorganise(depth);
      ends.push(await world.play({ atMs: timeOf(hour), event, failsAt: 12 }));
    }
    expect(ends).toEqual(
      EVENTS.map((event) => (event === 'none' ? 0 : event === 'killed' ? undefined : 1)),
    );
    expect(world.lines).toEqual(expectedAlerts());
    expect(new Set(world.ids).size).toBe(world.ids.length);
    const blocks = { from: FROM, to: world.source.head('primary') };
    await world.opened(async (lake) => {
      for (const table of TABLES) {
        const truth = linesOfChain(world.source.chain, world.addresses, table, blocks);
        expect(truth.length).toBeGreaterThan(10);
        expect(await linesOfRaw(lake, table)).toEqual(truth);
        expect(await linesOfCurated(lake, table)).toEqual(truth);
      }
    });
  } finally {
    await world.close();
  }
}, 120_000);
