import { Fault } from '../../fault.ts';
import { RequestLimits } from '../../fetch/limits/request-limits.ts';
import { closeReport } from '../../land/reports/run-reports.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { type FollowCycle, type FollowedJob, follow } from '../follow.ts';
import type { Stops } from '../interruption.ts';
import type { OpenJob } from '../job/open-job.ts';
import { runName } from '../job/run-name.ts';
import { explained } from '../lake/with-warehouse.ts';
import { type MetricsArguments, openMetrics } from '../metrics/open-metrics.ts';
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
    const { loaded, root, effects, run } = shell;
    const { everyMs, stops, listener } = options;
    const metrics = await openMetrics(shell, options);
    const limits = new RequestLimits(loaded.pipeline.limits);
    const log = new FollowLog();
    const startedMs = effects.now();
    let reportedMs = Number.NEGATIVE_INFINITY;
    let job: OpenJob | undefined;
    const report = async (exitCode: number, fault?: Fault): Promise<void> => {
      if (job === undefined) return;
      await writeReport(shell, job, { log, limits, startedMs, exitCode, fault }, () =>
        metrics?.written(),
      );
      reportedMs = effects.now();
    };
    const open = async (): Promise<FollowedJob> => {
      // Each connection has a name of its own, because records in quarantine are named by it.
      const name = job === undefined ? run : runName(effects);
      const opened = await shell.connect(limits, name);
      if (job === undefined) listener.named?.(name);
      job = opened;
      metrics?.began(opened.connection);
      return { ...opened, ...stops, close: () => opened.close('learned') };
    };
    try {
      limits.start(effects);
      const softStop = AbortSignal.any([stops.softStop, limits.ending]);
      await follow({
        ...{ effects, everyMs, softStop, open },
        watch: {
          async caughtUp(cycle) {
            const figures = log.add(cycle);
            metrics?.progressed(log);
            const isDue = effects.now() - reportedMs >= REPORT_EVERY_MS;
            listener.caughtUp(cycle, figures, isDue);
            if (isDue) await report(log.exitCode);
          },
          failed(fault, delayMs) {
            log.failed();
            listener.failed(fault, delayMs);
          },
        },
      });
      await report(log.exitCode);
      return log.exitCode;
    } catch (error) {
      const cause = await explained(error, root);
      if (cause instanceof Fault) await report(cause.exitCode, cause).catch(() => undefined);
      throw cause;
    } finally {
      limits.close();
      await metrics?.ended();
      await metrics?.close();
    }
  });
}

interface FollowerState {
  readonly log: FollowLog;
  readonly limits: RequestLimits;
  readonly startedMs: number;
  readonly exitCode: number;
  readonly fault: Fault | undefined;
}

/** Writes the report of a follower, and evaluates the alerts. */
async function writeReport(
  shell: RunShell,
  { connection, lake, quota }: OpenJob,
  { log, limits, startedMs, exitCode, fault }: FollowerState,
  written: () => Promise<void> | undefined,
): Promise<void> {
  const { loaded, effects, run } = shell;
  const endedAt = new Date(effects.now()).toISOString();
  const text = jsonDocument({
    run,
    pipeline: loaded.pipeline.name,
    pipelineFile: loaded.file,
    command: `run ${loaded.words}`,
    startedAt: new Date(startedMs).toISOString(),
    endedAt,
    exitCode,
    error: fault && failureDocument(fault),
    actual: { ...connection.statistics(), ...log.counts() },
    pace: connection.pace(),
    ...log.document(),
    limit: limits.reached ?? null,
    quota: quotaDocument(quota),
  });
  await closeReport(lake.layout, localDisk, run, text);
  await written();
  await alertsAfter(shell, text, endedAt);
}
