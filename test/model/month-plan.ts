import { seededRandom } from '../fixtures/virtual-clock.ts';

/** The hours of a simulated month: troubles, reorganisations, restarts and jumps of the clock. */

export type Event =
  | 'none'
  | 'outage'
  | 'half outage'
  | 'expired key'
  | 'throttled'
  | 'full disk'
  | 'killed';

export interface MonthPlan {
  readonly startMs: number;
  readonly hours: number;
  /** Trouble by the hour of true time. */
  readonly events: ReadonlyMap<number, Event>;
  /** Depths of reorganisations, by the hour that they precede. */
  readonly depths: ReadonlyMap<number, number>;
  /** Hours after whose half the scheduler is started again. */
  readonly restarts: ReadonlySet<number>;
  /** Hours after whose half the clock is set, and its error from then on, in hours. */
  readonly jumps: ReadonlyMap<number, number>;
}

function eventsOf(phases: readonly (readonly [Event, number, number])[]): Map<number, Event> {
  const hours = phases.flatMap(([event, from, to]) =>
    Array.from({ length: to - from + 1 }, (_, i) => [from + i, event] as const),
  );
  return new Map(hours);
}

/** A day with the begin of summer time in Berlin, with one trouble of each kind. */
export function shortPlan(): MonthPlan {
  return {
    startMs: Date.UTC(2025, 2, 29, 20),
    hours: 22,
    events: eventsOf([
      ['killed', 2, 2],
      ['outage', 4, 6],
      ['half outage', 8, 8],
      ['expired key', 9, 10],
      ['full disk', 12, 12],
      ['throttled', 14, 14],
    ]),
    depths: new Map([
      [5, 1],
      [13, 80],
      [18, 3],
    ]),
    restarts: new Set([8, 15]),
    jumps: new Map([
      [15, -1],
      [18, 0],
    ]),
  };
}

/** 30 days with the begin of summer time in Berlin. */
export function monthPlan(seed: number): MonthPlan {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const hours = 30 * 24;
  const depths = new Map([
    [100, 1],
    [600, 80],
  ]);
  const restarts = new Set<number>();
  const events = new Map<number, Event>();
  for (let day = 0; day < 29; day += 1) {
    depths.set(day * 24 + below(24), 1 + below(80));
    if (day % 2 === 0) restarts.add(day * 24 + below(24));
    if (day % 3 === 0) events.set(day * 24 + below(24), 'killed');
  }
  const phases = eventsOf([
    ['outage', 60, 66],
    ['expired key', 200, 219],
    ['full disk', 300, 305],
    ['half outage', 400, 409],
    ['expired key', 410, 411],
    ['throttled', 500, 523],
  ]);
  for (const [hour, event] of phases) events.set(hour, event);
  const jumps = new Map([
    [203, -1],
    [240, 0],
    [404, 1],
    [430, 0],
    [630, -1],
    [633, 1],
    [650, 0],
  ]);
  return { startMs: Date.UTC(2025, 2, 1), hours, events, depths, restarts, jumps };
}
