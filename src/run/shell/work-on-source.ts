import { readHeads } from '../../fetch/chain/pipeline-heads.ts';
import { densitiesOf } from '../../land/densities.ts';
import { locked } from '../../land/lock/lock.ts';
import { removeLeftovers } from '../../land/storage/staging.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import { plansByBand } from '../../plan/bands.ts';
import { estimate, type PricedRequest } from '../../plan/estimate.ts';
import { type AuditJob, type AuditResult, audit } from '../audit.ts';
import { answerOf, type Stops } from '../interruption.ts';
import { checkChains } from '../reorganisations.ts';
import { type Repair, repair } from '../repair.ts';
import { planInput, price } from '../run.ts';
import type { Intent, PricedPlan } from '../run-job.ts';
import { onSource, type RunShellOptions } from './run-shell.ts';

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
export function planRun(options: PlanOptions): Promise<PlannedRun> {
  // A plan leaves nothing in the data root.
  return onSource({ ...options, keeps: 'nothing' }, async (job) => {
    const priced = await price({ ...options, ...job, isPriceAlone: true });
    const quota = job.quota && { perDay: job.quota.perDay, usedToday: job.quota.used() };
    return { priced, quota, captures: job.captures.map(({ name }) => name) };
  });
}

/** Plans a run band by band, and calls `take` with the requests of each until it returns false. */
export function takeBands(
  options: PlanOptions,
  take: (requests: readonly PricedRequest[]) => boolean,
): Promise<void> {
  return onSource({ ...options, keeps: 'nothing' }, async (job) => {
    const { lake, connection, pipeline } = job;
    const heads = await answerOf({}, readHeads(pipeline, connection.caller, undefined));
    const chainCheck = await answerOf({}, checkChains(job, heads));
    const densities = await densitiesOf(lake);
    for (const plan of plansByBand(await planInput(job, heads, densities, chainCheck))) {
      const { requests } = estimate(plan, densities, connection.expectedPerSecond(), 0);
      if (!take(requests.filter(options.intent?.wants ?? (() => true)))) return;
    }
  });
}

export type AuditOptions = RunShellOptions &
  Pick<AuditJob, 'sample' | 'seed' | 'isRepair' | 'watch'> & { stops(): Stops };

/** Fetches finished slices again, compares them with the lake, and with `isRepair` lands them. */
export function auditRun(options: AuditOptions) {
  return onSource(options, async (job): Promise<AuditResult> => {
    const { lake, effects } = job;
    const auditing = () => audit({ ...options, ...job, ...options.stops() });
    if (!options.isRepair) return auditing();
    return locked(lake.layout.lock, effects, async (disk) => {
      const audited = await auditing();
      if (audited.landed > 0) await publishWarehouse({ lake, effects, disk });
      return audited;
    });
  });
}

/** Moves damaged files aside, fetches their rows again and publishes the warehouse. */
export function repairRun(options: RunShellOptions & { stops(): Stops }): Promise<Repair> {
  return onSource(options, async (job) => {
    const { lake, run, effects } = job;
    return locked(lake.layout.lock, effects, async (disk) => {
      await removeLeftovers(lake.layout, run, disk, effects.now());
      const repaired = await repair({ ...job, ...options.stops(), disk });
      await publishWarehouse({ lake, effects, disk });
      return repaired;
    });
  });
}
