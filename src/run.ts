import type { Effects } from './effects.ts';
import { Fault } from './fault.ts';
import { CallFailure } from './fetch/call-failure.ts';
import type { Connection } from './fetch/connect.ts';
import { readHeads } from './fetch/heads.ts';
import { Committer } from './land/committer.ts';
import { densitiesOf } from './land/densities.ts';
import type { Disk } from './land/disk.ts';
import { type Lake, markRoot } from './land/lake.ts';
import { takeLock } from './land/lock.ts';
import { type CheckResult, runChecks } from './load/checks.ts';
import { publishWarehouse } from './load/warehouse.ts';
import { type Estimate, estimate } from './plan/estimate.ts';
import type { Pipeline } from './plan/pipeline.ts';
import { type Heads, type Plan, planSlices } from './plan/slices.ts';
import { faultOf, type Raked, rake } from './rake.ts';

/** Everything a run needs, opened by its caller and closed by its caller. */
export interface Job {
  readonly pipeline: Pipeline;
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly connection: Connection;
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly run: string;
  /** Version of windrow, for the data root's marker. */
  readonly version: string;
  /** Two runs at once are safe and wasteful; only tests and rescues go without the lock. */
  readonly isLocked: boolean;
  readonly softStop: AbortSignal;
  readonly hardStop: AbortSignal;
  readonly watch: Watch;
}

/** What a run tells while it goes on. */
export interface Watch {
  planned(priced: Priced): void;
  progressed(committer: Committer): void;
  loading(): void;
}

export interface Priced {
  readonly plan: Plan;
  readonly estimate: Estimate;
}

export interface Ran extends Priced {
  readonly heads: Heads;
  readonly raked: Raked;
  readonly committer: Committer;
  readonly checks: readonly CheckResult[];
}

/** The spine: plan -> fetch -> land -> load. Throws a Fault where none of it can go on. */
export async function run(job: Job): Promise<Ran> {
  const { lake, effects, disk, watch, pipeline } = job;
  await markRoot(lake.layout.root, job.version, disk);
  const lock = job.isLocked ? await takeLock(lake.layout.lock, effects.now()) : undefined;
  try {
    effects.reached('lock taken');
    const priced = await price(job);
    effects.reached('planned');
    watch.planned(priced);
    const committer = new Committer({ lake, limits: pipeline.commit, effects, disk, run: job.run });
    const onSlice = (): void => watch.progressed(committer);
    const raked = await rake({ ...job, plan: priced.plan, committer, onSlice });
    watch.loading();
    const warehouse = await publishWarehouse({ lake, effects, disk });
    effects.reached('warehouse published');
    const checks = await runChecks(warehouse.path);
    return { ...priced, heads: priced.plan.heads, raked, committer, checks };
  } finally {
    await lock?.release();
  }
}

/** What a run would fetch and what that costs. One request: the head. */
export async function price(job: PriceJob): Promise<Priced> {
  const { pipeline, keys, lake, connection } = job;
  const heads = await readHeads(connection.caller, pipeline.source, job.softStop).catch(
    (error: unknown) => {
      if (job.softStop?.aborted === true) throw interrupted();
      throw error instanceof CallFailure ? faultOf(error) : error;
    },
  );
  const coverage = await lake.coverage();
  const plan = planSlices({ pipeline, keys, coverage, heads });
  const rate = connection.expectedPerSecond();
  return { plan, estimate: estimate(plan, await densitiesOf(lake), rate) };
}

export type PriceJob = Pick<Job, 'pipeline' | 'keys' | 'lake' | 'connection'> &
  Partial<Pick<Job, 'softStop'>>;

function interrupted(): Fault {
  return new Fault('interrupted', 'Interrupted before anything was fetched.', {
    advice: 'Run again to go on.',
  });
}
