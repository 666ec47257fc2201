import type { Event, MonthPlan } from './month-plan.ts';

/** Runs, exit codes and alerts of a month, by plain rules that share no code with the product. */

export interface ExpectedRun {
  /** Half hours of true time since the start. */
  readonly half: number;
  readonly event: Event;
}

/** An hour of the clock that is later than all earlier ones has a run. */
export function expectedRuns({ hours, events, restarts, jumps }: MonthPlan): ExpectedRun[] {
  const runs: ExpectedRun[] = [];
  let shift = 0;
  let newest = -1;
  for (let half = 0; half < hours * 2; half += 1) {
    const hour = Math.floor(half / 2);
    const isHalfPast = half % 2 === 1;
    if (isHalfPast) shift = jumps.get(hour) ?? shift;
    const wall = half / 2 + shift;
    // A scheduler knows no times before its start.
    if (isHalfPast && restarts.has(hour)) newest = Math.floor(wall);
    if (Math.floor(wall) <= newest) continue;
    newest = Math.floor(wall);
    runs.push({ half, event: events.get(hour) ?? 'none' });
  }
  return runs;
}

/** Undefined for a run that leaves no report. */
export function expectedEnd(event: Event): number | undefined {
  if (event === 'killed') return undefined;
  if (event === 'half outage') return 3;
  return event === 'none' || event === 'throttled' ? 0 : 1;
}

interface RuleMemory {
  isOpen: boolean;
  isTold: boolean;
  toldAt: number;
}

interface Hours {
  readonly every: number;
  readonly staleAfter: number;
}

/**
 * The alerts, each as `number of the run: rule`. `ats` has the hour of the clock at the end of each
 * run, and at the begin of a killed one.
 */
export function expectedAlerts(
  runs: readonly ExpectedRun[],
  ats: readonly number[],
  { every, staleAfter }: Hours,
): string[] {
  const lines: string[] = [];
  const fresh = (): RuleMemory => ({
    isOpen: false,
    isTold: false,
    toldAt: Number.NEGATIVE_INFINITY,
  });
  const rules = { failed: fresh(), partial: fresh(), stale: fresh() };
  let successAt = -1;
  /** One look at the rules, at an hour of the clock, after the end of a run or of none. */
  const look = (nth: number, at: number, end?: 'good' | 'partial' | 'failed'): void => {
    if (end === 'good') successAt = at;
    const conditions = {
      failed: end === undefined ? rules.failed.isOpen : end === 'failed',
      // A failed run does not tell whether a good one would be partial.
      partial: end === undefined || end === 'failed' ? rules.partial.isOpen : end === 'partial',
      stale: at - successAt > staleAfter,
    };
    let isRecovered = false;
    for (const name of ['failed', 'partial', 'stale'] as const) {
      const rule = rules[name];
      if (rule.isOpen && !conditions[name]) {
        isRecovered ||= rule.isTold;
        rule.isTold = false;
      }
      rule.isOpen = conditions[name];
      // A rule has one alert an interval at most, whichever way the clock was set.
      if (!rule.isOpen || Math.abs(at - rule.toldAt) < every) continue;
      rule.isTold = true;
      rule.toldAt = at;
      lines.push(`${nth}: ${name}`);
    }
    // A recovery is told only of trouble that was told.
    if (isRecovered) lines.push(`${nth}: recovered`);
  };
  let killed: number[] = [];
  for (const [nth, { event }] of runs.entries()) {
    const end = expectedEnd(event);
    const at = ats[nth] ?? Number.NaN;
    if (end === undefined) {
      killed.push(at);
      continue;
    }
    // The first run that ends after killed ones tells of them, as of the time when they began.
    for (const begun of killed) look(nth, begun, 'failed');
    killed = [];
    look(nth, at, end === 0 ? 'good' : end === 3 ? 'partial' : 'failed');
    look(nth, at);
  }
  return lines;
}
