import type { Effects } from '../../effects.ts';
import { Fault, wordsOf } from '../../fault.ts';
import { checkRoot } from '../../land/data-root.ts';
import { thisProcess } from '../../land/lock/holder.ts';
import { closeReport, dropReport, openReport, runReport } from '../../land/reports/run-reports.ts';
import { isCode, isFull, localDisk } from '../../land/storage/disk.ts';
import { type Layout, layout } from '../../land/storage/layout.ts';
import { outcomeOf } from '../alerts/rules/outcome.ts';
import { jsonDocument } from './json-document.ts';
import type { RunDocument } from './run-document.ts';
import type { RunShell } from './run-shell.ts';

export interface RecordedRun {
  /** False for other blocks than the pipeline names: such a run neither causes nor ends alerts. */
  readonly isWhole: boolean;
  /** The command that continues it, without the data root; default: a run of the pipeline. */
  readonly command?: string | undefined;
}

/**
 * Keeps the report of a run from its start to its end, and sends alerts afterwards. A run that
 * finds the data root locked leaves no report. A full disk may cost the report, and not the run.
 */
export async function recorded(
  shell: RunShell,
  { isWhole, ...options }: RecordedRun,
  work: () => Promise<RunDocument>,
): Promise<RunDocument> {
  const { loaded, root, run, effects } = shell;
  const paths = layout(root);
  const startedAt = new Date(effects.now()).toISOString();
  const { pipeline, file: pipelineFile } = loaded;
  const command = options.command ?? `run ${loaded.words}`;
  const record = { run, pipeline: pipeline.name, pipelineFile, command, startedAt, isWhole };
  await checkRoot(paths, localDisk);
  const process = thisProcess(effects.now());
  const opened = jsonDocument({ ...record, process });
  await unlessFull(() => openReport(paths, localDisk, run, opened), effects);
  try {
    const document = { ...(await work()), pipelineFile, command, isWhole };
    await end(shell, paths, document);
    return document;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'locked') await dropReport(paths, localDisk, run);
    else await end(shell, paths, { ...record, ...failure(error, effects.now()) });
    throw error;
  }
}

async function end(
  shell: RunShell,
  paths: Layout,
  document: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { run, effects } = shell;
  const text = jsonDocument(document);
  await unlessFull(() => closeReport(paths, localDisk, run, text), effects);
  await alertsAfter(shell, text);
}

/**
 * Evaluates the alert rules after a report. `part` names a report of a process that writes several,
 * as `windrow follow` does: each counts as a run. Failures are logged.
 */
export async function alertsAfter(
  { loaded, root, effects, env }: RunShell,
  report: string,
  part?: string,
): Promise<void> {
  const { rules, heartbeat } = loaded.pipeline.alerts;
  if (rules.length === 0 && heartbeat === undefined) return;
  const parsed = runReport(report);
  const outcome = parsed && outcomeOf(parsed);
  const run = part === undefined ? {} : { run: `${outcome?.run} ${part}` };
  try {
    const { sendAlerts } = await import('../alerts/send-alerts.ts');
    const { alertJob } = await import('./alert-job.ts');
    const job = await alertJob(loaded, layout(root), effects, env);
    await sendAlerts(job, outcome && { ...outcome, ...run });
  } catch (error) {
    const reason = wordsOf(error);
    effects.log('warn', `Alerts were not evaluated; the next run does it: ${reason}`);
  }
}

function failure(error: unknown, endedMs: number) {
  const endedAt = new Date(endedMs).toISOString();
  if (error instanceof Fault) {
    return { endedAt, exitCode: error.exitCode, error: failureDocument(error) };
  }
  const message = wordsOf(error);
  return { endedAt, exitCode: 1, error: { kind: 'unexpected', message, advice: '' } };
}

/** The failure of a run in its report. */
export function failureDocument({ kind, message, advice }: Fault) {
  return { kind, message, advice };
}

/** Disks that refuse a report may still end a run: its commits report the full disk themselves. */
async function unlessFull(write: () => Promise<void>, effects: Effects): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isFull(error) && !isCode(error, 'EIO')) throw error;
    effects.log('warn', 'A report of the run cannot be written: the disk is full or failing.');
  }
}
