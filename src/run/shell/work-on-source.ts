import { readHeads } from '../../fetch/chain/pipeline-heads.ts';
import { Committer, type LandedCounts } from '../../land/committer.ts';
import { densitiesOf } from '../../land/densities.ts';
import { locked } from '../../land/lock/lock.ts';
import { removeLeftovers } from '../../land/storage/staging.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import { plansByBand } from '../../plan/bands.ts';
import { estimate, type PricedRequest } from '../../plan/estimate.ts';
import { type AuditResult, type AuditWatch, audit } from '../audit.ts';
import type { Stops } from '../interruption.ts';
import { asked } from '../interruption.ts';
import type { OpenJob } from '../job/open-job.ts';
import { checkChains } from '../reorganisations.ts';
import { type Repair, repair } from '../repair.ts';
import { type Intent, type PricedPlan, planInput, price } from '../run.ts';
import { onSource, type RunShell, type RunShellOptions } from './run-shell.ts';

export interface PlanOptions extends RunShellOptions {
  readonly intent?: Intent;
  /** Seed of the lists to probe; without it, nothing is probed. */
  readonly probeSeed?: string;
  /** Called before lists are probed, with their number. */
  onProbe?(lists: number): void;
}

export interface PlannedRun {
  readonly priced: PricedPlan;
  /** The daily quota of the key, and the requests of today; undefined if the pipeline has none. */
  readonly quota: { readonly perDay: number; readonly usedToday: number } | undefined;
  /** Names of the captures beside the lists. */
  readonly captures: readonly string[];
}

/** Plans a run and estimates its price. Requests heads, block hashes and probes; lands nothing. */
export function planRun({
  intent,
  probeSeed,
  onProbe,
  ...options
}: PlanOptions): Promise<PlannedRun> {
  // A plan leaves nothing in the data root.
  return onSource({ ...options, keeps: 'nothing' }, async (job, { loaded, effects }) => {
    const { pipeline, keys } = loaded;
    const selection = {
      isPriceAlone: true,
      ...(intent === undefined ? {} : { intent }),
      ...(probeSeed === undefined ? {} : { probeSeed }),
      ...(onProbe === undefined ? {} : { onProbe }),
    };
    const priced = await price({ ...job, effects, pipeline, keys, ...selection });
    const quota = job.quota && { perDay: job.quota.perDay, usedToday: job.quota.used() };
    return { priced, quota, captures: job.captures.map(({ name }) => name) };
  });
}

/** Plans a run band by band, and calls `take` with the requests of each until it returns false. */
export function takeBands(
  { intent, ...options }: PlanOptions,
  take: (requests: readonly PricedRequest[]) => boolean,
): Promise<void> {
  return onSource({ ...options, keeps: 'nothing' }, async (job, { loaded, effects }) => {
    const { lake, connection } = job;
    const { pipeline, keys } = loaded;
    const heads = await asked({}, readHeads(pipeline, connection.caller, undefined));
    const chainCheck = await asked({}, checkChains({ lake, connection, pipeline }, heads));
    const densities = await densitiesOf(lake);
    const of = { lake, connection, effects, pipeline, keys };
    for (const plan of plansByBand(await planInput(of, heads, densities, chainCheck))) {
      const { requests } = estimate(plan, densities, connection.expectedPerSecond(), 0);
      if (!take(requests.filter(intent?.wants ?? (() => true)))) return;
    }
  });
}

export interface AuditOptions extends RunShellOptions {
  /** Number of finished slices to fetch again, and the seed of their choice. */
  readonly sample: number;
  readonly seed: string;
  /** Whether rows that differ are replaced. */
  readonly isRepair: boolean;
  stops(): Stops;
  readonly watch: AuditWatch;
}

/** Fetches finished slices again, compares them with the lake, and with `isRepair` lands them. */
export function auditRun({ sample, seed, isRepair, stops, watch, ...options }: AuditOptions) {
  return onSource(options, async (job, shell): Promise<AuditResult> => {
    const { pipeline, keys } = shell.loaded;
    const { effects } = shell;
    const settings = { ...job, ...stops(), effects, pipeline, keys, sample, seed, watch };
    if (!isRepair) return audit(settings);
    return locked(job.lake.layout.lock, effects, async (disk) => {
      const committer = committerOf(job, shell);
      const audited = await audit({ ...settings, committer });
      if (committer.counts().slices > 0) await publishWarehouse({ lake: job.lake, effects, disk });
      return audited;
    });
  });
}

export interface RepairOptions extends RunShellOptions {
  stops(): Stops;
}

export interface RepairResult {
  readonly repaired: Repair;
  readonly counts: Pick<LandedCounts, 'slices' | 'rows'>;
  /** Whether the first interruption came before the end. */
  readonly isStopped: boolean;
}

/** Moves damaged files aside, fetches their rows again and publishes the warehouse. */
export function repairRun({ stops, ...options }: RepairOptions): Promise<RepairResult> {
  return onSource(options, async (job, shell) => {
    const { effects, loaded } = shell;
    const { pipeline, keys } = loaded;
    const { lake, run } = job;
    const signals = stops();
    return locked(lake.layout.lock, effects, async (disk) => {
      await removeLeftovers(lake.layout, run, disk, effects.now());
      const committer = committerOf(job, shell);
      const repairing = { ...job, ...signals, pipeline, keys, effects, committer, disk };
      const repaired = await repair(repairing);
      await publishWarehouse({ lake, effects, disk });
      const isStopped = signals.softStop.aborted;
      return { repaired, counts: committer.counts(), isStopped };
    });
  });
}

function committerOf({ lake, run }: OpenJob, { loaded, effects }: RunShell): Committer {
  return new Committer({ lake, run, limits: loaded.pipeline.commit, effects });
}
