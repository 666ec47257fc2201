import type { Effects } from '../effects.ts';
import type { Connection } from '../fetch/connect.ts';
import type { RunReport } from '../land/reports/run-reports.ts';

/** When there are more samples, every second one is dropped, and the interval doubles. */
const MOST_SAMPLES = 240;
const FIRST_INTERVAL_MS = 250;

/** Its seconds count from the start of the run. */
export type RateSample = NonNullable<RunReport['rate']>[number];

type Counted = Pick<Connection, 'statistics' | 'pace'>;

/** Samples of the requests of a run, oldest first, taken when a slice has ended. */
export function rateSamples(
  connection: Counted,
  effects: Pick<Effects, 'now'>,
): Readonly<Record<'planned' | 'progressed' | 'loading', () => void>> & {
  all(): readonly RateSample[];
} {
  const startedMs = effects.now();
  let samples: RateSample[] = [];
  let intervalMs = FIRST_INTERVAL_MS;
  let takenMs = Number.NEGATIVE_INFINITY;
  const progressed = (): void => {
    const nowMs = effects.now();
    if (nowMs - takenMs < intervalMs) return;
    takenMs = nowMs;
    const { requests, rejections } = connection.statistics();
    const { ceilingPerSecond } = connection.pace();
    const seconds = (nowMs - startedMs) / 1000;
    samples.push({ seconds, requests, rejections, ceilingPerSecond });
    if (samples.length <= MOST_SAMPLES) return;
    samples = samples.filter((_, i) => i % 2 === 0);
    intervalMs *= 2;
  };
  return {
    all: () => samples,
    planned: progressed,
    progressed,
    loading() {
      takenMs = Number.NEGATIVE_INFINITY;
      progressed();
    },
  };
}
