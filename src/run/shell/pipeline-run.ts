import type { Effects } from '../../effects.ts';
import { dataOption, Fault, wordsOf } from '../../fault.ts';
import type { Connection } from '../../fetch/connect.ts';
import { RequestLimits } from '../../fetch/limits/request-limits.ts';
import { parseReport } from '../../land/reports/run-reports.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import type { Stops } from '../interruption.ts';
import type { Note } from '../lake/surroundings.ts';
import { explained } from '../lake/with-warehouse.ts';
import { type MetricsArguments, openMetrics } from '../metrics/open-metrics.ts';
import type { RunMetrics } from '../metrics/run-metrics.ts';
import { rateSamples } from '../rate-samples.ts';
import { run as runPipeline } from '../run.ts';
import type { Job, Watch } from '../run-job.ts';
import { jsonDocument } from './json-document.ts';
import { recorded } from './recorded-run.ts';
import { type FinishedRun, type RunDocument, reportDocument } from './run-document.ts';
import { inShell, type RunShell, type RunShellOptions } from './run-shell.ts';

export interface RunOnceOptions
  extends RunShellOptions,
    MetricsArguments,
    Pick<Job, 'intent' | 'isLocked' | 'engine' | 'captureMs'> {
  /** The command that continues the run, if it is not a run of the pipeline. */
  readonly command?: string;
  /** Metrics of a process with several runs, which it closes itself. */
  readonly metrics?: RunMetrics | undefined;
  /** Called when the lake and the connection are open. */
  stops(): Stops;
  readonly listener?: RunListener;
}

/** Receives the progress of a run. */
export interface RunListener {
  /** The run has a name. */
  named?(run: string): void;
  /** The source is connected; the watch is closed at the end of the run. */
  watch(connection: Connection, effects: Effects): Watch & { close?(): void };
  /** The records have landed; the report and the alerts follow. */
  finished?(finished: FinishedRun): void;
}

/**
 * Runs a pipeline once: fetches missing blocks, lands their rows, publishes the warehouse, keeps
 * the report, and then sends alerts and writes metrics and the page. Rejects with a Fault when the
 * run cannot continue; the report says so, too.
 */
export function runOnce(options: RunOnceOptions): Promise<RunDocument> {
  return inShell(options, async (shell) => {
    const { loaded, root, run, note } = shell;
    const { intent, command, listener } = options;
    const isWhole = intent === undefined && loaded.isWhole;
    listener?.named?.(run);
    const metrics = options.metrics ?? (await openMetrics(shell, options));
    const landed = recorded(shell, { isWhole, command }, () => land(shell, options, metrics));
    const document = await landed.finally(async () => {
      await metrics?.ended();
      if (options.metrics === undefined) await metrics?.close();
    });
    if (loaded.pipeline.report === 'html') await writePage(root, document, note);
    return document;
  });
}

/** The stages of a run, from the connection to the report. */
async function land(
  shell: RunShell,
  options: RunOnceOptions,
  metrics: RunMetrics | undefined,
): Promise<RunDocument> {
  const { loaded, root, effects } = shell;
  const { intent, isLocked, captureMs, engine, stops, listener } = options;
  const { pipeline } = loaded;
  const startedMs = effects.now();
  const limits = new RequestLimits(pipeline.limits);
  const job = await shell.connect(limits);
  const signals = stops();
  const watch = listener?.watch(job.connection, effects);
  const samples = rateSamples(job.connection, effects);
  metrics?.began(job.connection);
  try {
    limits.start(effects);
    const ran = await runPipeline({
      ...job,
      ...signals,
      isLocked,
      watches: [samples, metrics, watch].filter((watcher) => watcher !== undefined),
      ...{ intent, captureMs, engine },
    });
    const isWhole = intent === undefined && pipeline.reconcile.everyMs !== undefined;
    const { softStop: signal } = signals;
    const reconciled =
      isWhole && !signal.aborted
        ? await (await import('./reconcile-run.ts')).reconcileIfDue(
            { ...options, effects, signal },
            job.lake,
          )
        : undefined;
    const endedMs = effects.now();
    const rate = samples.all();
    const finished = { ...job, ran, pipeline, startedMs, endedMs, rate, reconciled };
    listener?.finished?.(finished);
    return reportDocument(finished);
  } catch (error) {
    if (error instanceof Fault) throw await explained(error, root);
    throw (await damageBehind(error, root, localDisk)) ?? error;
  } finally {
    watch?.close?.();
    await job.close('learned');
    limits.close();
  }
}

/** A page that cannot be written is noted: the records have landed. */
async function writePage(root: string, document: RunDocument, note: Note): Promise<void> {
  try {
    // Loaded here because its packages are large, and few runs need them.
    const { writeReport } = await import('./write-report.ts');
    const run = parseReport(jsonDocument(document));
    note(`Report: ${await writeReport(layout(root), run)}`);
  } catch (error) {
    const reason = wordsOf(error);
    const again = `windrow report${dataOption(root)}`;
    note(`The page of this run was not written: ${reason} Run: ${again}`, 'warn');
  }
}
