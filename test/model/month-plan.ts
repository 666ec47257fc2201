/** The hours of a simulated day: troubles, reorganisations, restarts and jumps of the clock. */

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
