import type { Effects } from '../effects.ts';
import type { Connection } from '../fetch/connect.ts';
import type { RunReport } from '../land/reports/run-reports.ts';
import type { Watch } from './run.ts';

/** When there are more samples, every second one is dropped, and the interval doubles. */
const MOST_SAMPLES = 240;
const FIRST_INTERVAL_MS = 250;

/** Its seconds count from the start of the run. */
export type RateSample = NonNullable<RunReport['rate']>[number];

type Counted = Pick<Connection, 'statistics' | 'pace'>;

/** Samples of the requests of a run, taken when a slice has ended. */
export class RateSamples implements Watch {
  readonly #connection: Counted;
  readonly #effects: Pick<Effects, 'now'>;
  readonly #startedMs: number;
  #samples: RateSample[] = [];
  #intervalMs = FIRST_INTERVAL_MS;
  #takenMs = Number.NEGATIVE_INFINITY;

  constructor(connection: Counted, effects: Pick<Effects, 'now'>) {
    this.#connection = connection;
    this.#effects = effects;
    this.#startedMs = effects.now();
  }

  /** The samples, oldest first. */
  all(): readonly RateSample[] {
    return this.#samples;
  }

  planned(): void {
    this.progressed();
  }

  loading(): void {
    this.#takenMs = Number.NEGATIVE_INFINITY;
    this.progressed();
  }

  progressed(): void {
    const nowMs = this.#effects.now();
    if (nowMs - this.#takenMs < this.#intervalMs) return;
    this.#takenMs = nowMs;
    const { requests, rejections } = this.#connection.statistics();
    this.#samples.push({
      seconds: (nowMs - this.#startedMs) / 1000,
      requests,
      rejections,
      ceilingPerSecond: this.#connection.pace().ceilingPerSecond,
    });
    if (this.#samples.length <= MOST_SAMPLES) return;
    this.#samples = this.#samples.filter((_, i) => i % 2 === 0);
    this.#intervalMs *= 2;
  }
}
