import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { dataOption, Fault } from '../../fault.ts';
import { type Lock, takeLock } from '../../land/lock/lock.ts';
import { processesAt } from '../../land/lock/lock-queue.ts';
import { addressOf } from '../../land/places/mounts.ts';
import { readReport, reportNames } from '../../land/reports/run-reports.ts';
import type { Disk } from '../../land/storage/disk.ts';
import { isDiskError } from '../../land/storage/disk-fault.ts';
import type { Layout } from '../../land/storage/layout.ts';
import type { AlertSettings } from '../../pipeline/alert-settings.ts';
import { openState, type StateFile } from '../state-file.ts';
import { deliverWaiting, type Undelivered } from './deliver/deliver-waiting.ts';
import { attempts, type Deliver } from './deliver/receiver.ts';
import {
  type Alert,
  isEvaluated,
  newAlerts,
  type PipelineAlerts,
  pipelineAlertsSchema,
} from './rules/alert-state.ts';
import { evaluate, type Observation } from './rules/evaluate.ts';
import { outcomeOf, type RunOutcome } from './rules/outcome.ts';

export interface AlertJob {
  readonly pipeline: { readonly name: string; readonly alerts: AlertSettings };
  readonly layout: Layout;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly destinations: ReadonlyMap<string, Deliver>;
  /** The path of the pipeline as a word of a shell. */
  readonly file: string;
  /** Requests the heartbeat URL once; throws a DeliveryFailure. */
  readonly heartbeat?: (() => Promise<void>) | undefined;
}

export interface SentAlerts {
  /** New alerts, delivered or not. */
  readonly alerts: readonly Alert[];
  readonly undelivered: readonly Undelivered[];
}

const LOCK_TRIES = 120;
const LOCK_WAIT_MS = 1000;
const HEARTBEAT_MS = 20_000;
/** Room for the state on a full disk, where the alert is needed most. */
const RESERVE_BYTES = 128 * 1024;

/** Opens the state of alerts by pipeline. Its users hold the lock `state/alerts.lock`. */
export function openAlerts({
  layout,
  disk,
  effects,
}: Pick<AlertJob, 'layout' | 'disk' | 'effects'>): Promise<StateFile<PipelineAlerts>> {
  return openState(layout.alerts, pipelineAlertsSchema, disk, effects, RESERVE_BYTES);
}

/**
 * Evaluates the rules over all runs that ended since the last call, and the clock, and delivers the
 * alerts. `ended` is the run that this process has just ended, whose report may be missing on a
 * full disk. Failed deliveries are logged and tried again by the next call.
 */
export async function sendAlerts(job: AlertJob, ended?: RunOutcome): Promise<SentAlerts> {
  const { effects, layout } = job;
  if (ended?.end === 'complete') await beat(job);
  if (job.pipeline.alerts.rules.length === 0) return { alerts: [], undelivered: [] };
  const lock = await lockWhenFree(job).catch((error: unknown) => {
    // A full disk has no room for a lock. Alerts are delivered without one.
    if (!isDiskError(error)) throw error;
    return undefined;
  });
  try {
    const file = await openAlerts(job);
    const { name } = job.pipeline;
    const { state, alerts, isChanged } = await evaluated(job, file.values[name], ended);
    const save = async (changed: PipelineAlerts): Promise<void> => {
      await file.save(name, changed).catch((error: unknown) => {
        if (!isDiskError(error)) throw error;
        effects.log(
          'warn',
          `The state of alerts cannot be saved, so they may repeat: ${error.message}`,
        );
      });
    };
    if (isChanged) await save(state);
    effects.reached('alerts evaluated');
    const { destinations } = job;
    const undelivered = await deliverWaiting(state, { destinations, effects, save });
    for (const { to, reason } of undelivered) {
      const command = `windrow alerts check ${job.file}${dataOption(addressOf(layout.root))}`;
      effects.log(
        'warn',
        `An alert did not reach ${to}: ${reason}. The next run tries again, or: ${command}`,
      );
    }
    return { alerts, undelivered };
  } finally {
    await lock?.release();
  }
}

/**
 * The outcomes of the runs of the pipeline, oldest first; undefined for runs under way. Leaves out
 * those that `isLeftOut` names.
 */
async function outcomes(
  { layout, disk, effects, pipeline }: AlertJob,
  isLeftOut: (run: string) => boolean,
): Promise<(RunOutcome | undefined)[]> {
  const others = await processesAt(layout.lock, effects);
  const results: (RunOutcome | undefined)[] = [];
  for (const name of await reportNames(layout, disk)) {
    const report = isLeftOut(name) ? undefined : await readReport(layout, disk, name);
    if (report?.pipeline === pipeline.name) results.push(outcomeOf(report, others));
  }
  return results;
}

/**
 * The state of a pipeline without an evaluation yet. Runs that ended before it cause no alert,
 * unless the newest was killed: that one could not evaluate itself.
 */
async function firstState(job: AlertJob, ended?: RunOutcome): Promise<PipelineAlerts> {
  const all = await outcomes(job, (run) => run === ended?.run);
  const before = all.filter((outcome) => outcome !== undefined);
  const success = before.findLast(({ end }) => end === 'complete');
  if (before.at(-1)?.end === 'killed' && ended === undefined) before.pop();
  const names = before.map(({ run }) => run);
  return newAlerts(job.effects.now(), names, success?.atMs ?? null);
}

async function evaluated(
  job: AlertJob,
  lastState: PipelineAlerts | undefined,
  ended: RunOutcome | undefined,
): Promise<{ state: PipelineAlerts; alerts: Alert[]; isChanged: boolean }> {
  const { name, alerts: settings } = job.pipeline;
  let state = lastState ?? (await firstState(job, ended));
  const alerts: Alert[] = [];
  for (const observation of await observations(job, state, ended)) {
    const next = evaluate(name, settings.rules, state, observation);
    alerts.push(...next.alerts);
    state = next.state;
  }
  const waiting = alerts.map((alert) => ({
    alert,
    to: [...(settings.rules.find(({ id }) => id === alert.rule)?.to ?? [])],
  }));
  state = { ...state, waiting: [...state.waiting, ...waiting] };
  return { state, alerts, isChanged: JSON.stringify(state) !== JSON.stringify(lastState) };
}

/** Runs that ended and were not evaluated, up to the first that is under way; then the clock. */
async function observations(
  job: AlertJob,
  state: PipelineAlerts,
  ended: RunOutcome | undefined,
): Promise<Observation[]> {
  const history: Observation[] = [];
  for (const outcome of await outcomes(
    job,
    (run) => isEvaluated(state, run) || run === ended?.run,
  )) {
    if (outcome === undefined) break;
    history.push({ atMs: outcome.atMs, outcome });
  }
  if (ended !== undefined) history.push({ atMs: ended.atMs, outcome: ended });
  return [...history, { atMs: job.effects.now() }];
}

async function beat({ heartbeat, effects }: AlertJob): Promise<void> {
  if (heartbeat === undefined) return;
  const reason = await attempts(heartbeat, effects, effects.now() + HEARTBEAT_MS);
  if (reason !== undefined) effects.log('warn', `The heartbeat was not received: ${reason}.`);
}

/** Waits up to two minutes for another process that delivers alerts of this data root. */
async function lockWhenFree({ layout, disk, effects }: AlertJob): Promise<Lock> {
  await disk.makeFolder(layout.state);
  for (let tries = 1; ; tries += 1) {
    try {
      return await takeLock(join(layout.state, 'alerts.lock'), effects);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'locked' || tries >= LOCK_TRIES) throw error;
      await effects.sleep(LOCK_WAIT_MS);
    }
  }
}
