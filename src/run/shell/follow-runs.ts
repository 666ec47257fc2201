import { Fault } from '../../fault.ts';
import { RequestLimits } from '../../fetch/limits/request-limits.ts';
import { closeReport } from '../../land/reports/run-reports.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { pipelineDigest } from '../../pipeline/pipeline.ts';
import { type FollowCycle, follow } from '../follow.ts';
import type { Stops } from '../interruption.ts';
import type { OpenJob } from '../job/open-job.ts';
import { runName } from '../job/run-name.ts';
import { explained } from '../lake/with-warehouse.ts';
import { openMetrics } from '../metrics/open-metrics.ts';
import type { MetricsArguments, RunMetrics } from '../metrics/run-metrics.ts';
import { type CycleFigures, FollowLog } from './follow-log.ts';
import { jsonDocument } from './json-document.ts';
import { alertsAfter, failureDocument } from './recorded-run.ts';
import { quotaDocument } from './run-document.ts';
import { inShell, type RunShell, type RunShellOptions } from './run-shell.ts';

/** How often the report is written. */
const REPORT_EVERY_MS = 60_000;

export interface FollowRunsOptions extends RunShellOptions, MetricsArguments {
  readonly stops: Stops;
  /** Time from the start of one run to the next. */
  readonly everyMs: number;
  readonly listener: FollowListener;
}

/** Receives the progress of a follower. */
export interface FollowListener {
  /** The first connection is open. */
  named?(run: string): void;
  /** After each run. `isDue` is true once a minute. */
  caughtUp(cycle: FollowCycle, figures: CycleFigures, isDue: boolean): void;
  /** After a failure; the next run begins after `delayMs`. */
  failed(fault: Fault, delayMs: number): void;
}

/**
 * Runs a pipeline again and again until `softStop`, with one report that is written every minute.
 * Returns 3 where the last run left something incomplete, else 0.
 */
export function followRuns(options: FollowRunsOptions): Promise<0 | 3> {
  return inShell(options, async (shell) => {
    const { loaded, root, effects } = shell;
    const metrics = await openMetrics({ loaded, root, effects }, options);
    const follower = new Follower(shell, options, metrics);
    try {
      return await follower.run();
    } finally {
      await metrics?.ended();
      await metrics?.close();
    }
  });
}

class Follower {
  readonly #shell: RunShell;
  readonly #options: FollowRunsOptions;
  readonly #metrics: RunMetrics | undefined;
  readonly #limits: RequestLimits;
  readonly #log = new FollowLog();
  readonly #startedMs: number;
  #job: OpenJob | undefined;
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(shell: RunShell, options: FollowRunsOptions, metrics: RunMetrics | undefined) {
    this.#shell = shell;
    this.#options = options;
    this.#metrics = metrics;
    this.#limits = new RequestLimits(shell.loaded.pipeline.limits);
    this.#startedMs = shell.effects.now();
  }

  async run(): Promise<0 | 3> {
    const { effects } = this.#shell;
    const { everyMs, stops, listener } = this.#options;
    try {
      this.#limits.start(effects);
      await follow({
        effects,
        everyMs,
        softStop: AbortSignal.any([stops.softStop, this.#limits.ending]),
        open: () => this.#open(),
        watch: {
          caughtUp: (cycle) => this.#caughtUp(cycle),
          failed: (fault, delayMs) => {
            this.#log.failed();
            listener.failed(fault, delayMs);
          },
        },
      });
      await this.#report(this.#log.exitCode);
      return this.#log.exitCode;
    } catch (error) {
      const cause = await explained(error, this.#shell.root);
      if (cause instanceof Fault) await this.#report(cause.exitCode, cause).catch(() => undefined);
      throw cause;
    } finally {
      this.#limits.close();
    }
  }

  async #open() {
    const { effects, run, connect } = this.#shell;
    // Each connection has a name of its own, because records in quarantine are named by it.
    const name = this.#job === undefined ? run : runName(effects);
    const job = await connect(this.#limits, name);
    if (this.#job === undefined) this.#options.listener.named?.(name);
    this.#job = job;
    this.#metrics?.began(job.connection);
    return {
      ...job,
      ...this.#options.stops,
      close: () => job.close('learned'),
    };
  }

  async #caughtUp(cycle: FollowCycle): Promise<void> {
    const figures = this.#log.add(cycle);
    this.#metrics?.progressed(this.#log);
    const isDue = this.#shell.effects.now() - this.#reportedMs >= REPORT_EVERY_MS;
    this.#options.listener.caughtUp(cycle, figures, isDue);
    if (isDue) await this.#report(this.#log.exitCode);
  }

  async #report(exitCode: number, fault?: Fault): Promise<void> {
    const { loaded, root, effects, env, run } = this.#shell;
    if (this.#job === undefined) return;
    const { connection, lake, quota } = this.#job;
    const endedAt = new Date(effects.now()).toISOString();
    const text = jsonDocument({
      run,
      pipeline: loaded.pipeline.name,
      pipelineFile: loaded.file,
      command: `run ${loaded.words}`,
      pipelineDigest: pipelineDigest(loaded.pipeline),
      startedAt: new Date(this.#startedMs).toISOString(),
      endedAt,
      exitCode,
      error: fault && failureDocument(fault),
      planned: { heads: this.#log.heads() },
      actual: this.#log.actual(connection.statistics()),
      pace: connection.pace(),
      follow: this.#log.document(),
      limit: this.#limits.reached ?? null,
      quota: quotaDocument(quota),
    });
    await closeReport(lake.layout, localDisk, run, text);
    this.#reportedMs = effects.now();
    await this.#metrics?.written();
    await alertsAfter({ loaded, root, effects, env }, text, endedAt);
  }
}
