import type { CheckpointsByAxis } from '../coverage/checkpoints.ts';
import type { Densities } from '../coverage/density.ts';
import { traced, untilAny } from '../effects.ts';
import { Fault } from '../fault.ts';
import { readHeads } from '../fetch/chain/pipeline-heads.ts';
import { corroborationOf } from '../fetch/corroborate/corroboration.ts';
import type { LimitReached } from '../fetch/limits/request-limits.ts';
import { probePlan } from '../fetch/price/price-probe.ts';
import { Committer } from '../land/committer.ts';
import { markRoot } from '../land/data-root.ts';
import { densitiesOf } from '../land/densities.ts';
import { keepNames } from '../land/names.ts';
import { removeLeftovers, removeStaging } from '../land/storage/staging.ts';
import type { CheckResult } from '../load/checks/run-checks.ts';
import { estimate } from '../plan/estimate.ts';
import { priceLarge, wholePlan } from '../plan/large-plan.ts';
import {
  type HeadsByAxis,
  onlyRequests,
  type Plan,
  type PlanInput,
  type PlannedRequest,
} from '../plan/plan.ts';
import { planSlices } from '../plan/slices.ts';
import { type CaptureCounts, capturing } from './capture/capture.ts';
import { type ExecutionResult, executePlan, shortOf, together } from './execute.ts';
import { foundKeys } from './found/found-keys.ts';
import { answerOf, stoppingWithin } from './interruption.ts';
import { withLock } from './lock-of.ts';
import {
  checkChains,
  checkpointRequests,
  checkpointsFor,
  recordChanges,
} from './reorganisations.ts';
import type { ChainCheck, Job, PricedPlan } from './run-job.ts';
import { readResultsOnce } from './submit/submit.ts';
import { finish, showLake, type Upkeep } from './upkeep.ts';

export interface RunResult extends PricedPlan {
  readonly execution: ExecutionResult;
  /** The limit that left slices to the next run. */
  readonly limit: LimitReached | undefined;
  /** Changes of the chain during the run, which the next run fetches again. */
  readonly after: ChainCheck | undefined;
  readonly committer: Committer;
  /** One entry for each capture of the pipeline. */
  readonly captured: readonly CaptureCounts[];
  readonly checks: readonly CheckResult[];
  /** Undefined if the run did no maintenance. */
  readonly upkeep: Upkeep | undefined;
}

/** Runs the stages plan -> fetch -> land -> load. Throws a Fault when the run cannot continue. */
export async function run(job: Job): Promise<RunResult> {
  const attributes = { 'windrow.pipeline': job.pipeline.name, 'windrow.run': job.run };
  return traced(job.effects, 'run', attributes, () =>
    stoppingWithin(job, (hardStop) => runAll({ ...job, hardStop })),
  );
}

async function runAll(job: Job): Promise<RunResult> {
  const { lake, effects } = job;
  await markRoot(lake.layout.root, job.version, job.disk);
  if (job.isLocked === false) return runStages(job);
  return withLock(job, async (disk) => {
    effects.reached('lock taken');
    await removeLeftovers(lake.layout, lake.run, disk, effects.now());
    const result = await runStages({ ...job, disk });
    if (job.session === undefined) await removeStaging(lake.layout, lake.run, disk);
    return result;
  });
}

async function runStages(job: Job): Promise<RunResult> {
  const { lake, effects, watches = [], pipeline } = job;
  if (!job.isPart) await keepNames(lake, job.names ?? {});
  const { priced, checkpoints } = await begin(job);
  effects.reached('planned');
  for (const watch of watches) watch.planned?.(priced);
  const limits = pipeline.commit;
  const committer = new Committer({ lake, limits, effects, run: job.run, checkpoints });
  const stops = [job.softStop, job.connection.limits.ending];
  const fetched = await untilAny(stops, (softStop) =>
    capturing(job, softStop, () => fetchAll(job, softStop, priced, checkpoints, committer)),
  ).catch(async (error) => {
    // Publish the slices that were committed; the error that ended the run is the one reported.
    if (!job.isPart && committer.counts().slices > 0) await showLake(job).catch(() => undefined);
    throw error;
  });
  if (pipeline.contracts !== undefined && !job.softStop.aborted) {
    const { caller } = job.connection;
    const { chain } = pipeline.source;
    await readResultsOnce(lake, { caller, chain, effects, signal: job.softStop });
  }
  const captured: CaptureCounts[] = [];
  for (const capture of job.captures ?? []) captured.push(await capture.land());
  const hasCommits = committer.counts().commits > 0 || captured.some(({ rows }) => rows > 0);
  const { contradicted, ...finished } = await finish(job, hasCommits);
  const { execution } = fetched;
  const short = execution.short + shortOf(priced.plan, contradicted);
  const counted = { ...execution, short };
  return { ...priced, ...fetched, execution: counted, committer, captured, ...finished };
}

type Fetched = Pick<RunResult, 'execution' | 'limit' | 'after'>;

/** Fetches the slices of given keys, then those of keys that were found in landed rows. */
async function fetchAll(
  job: Job,
  softStop: AbortSignal,
  priced: PricedPlan,
  checkpoints: CheckpointsByAxis,
  committer: Committer,
): Promise<Fetched> {
  const { watches = [], connection } = job;
  const onSlice = (planned: PlannedRequest, requests: number): void => {
    for (const watch of watches) watch.progressed?.(committer, planned, requests);
  };
  const options = {
    ...job,
    softStop,
    committer,
    corroboration: corroborationOf(job.connection, job.effects, job.session),
    onSlice,
  };
  const firstPlan = onlyRequests(priced.plan, ({ isFound }) => !isFound);
  const first = await executePlan({ ...options, plan: firstPlan });
  const look = first.left > 0 ? undefined : await planFoundKeys(job, priced.plan, firstPlan);
  if (look !== undefined) {
    for (const watch of watches) watch.lookUpsPlanned?.(look);
  }
  const second = look && (await executePlan({ ...options, plan: look }));
  const execution = together(first, second);
  // After an interruption or a limit, and when following, the next run makes this comparison.
  const isLast = !options.softStop.aborted && job.session === undefined;
  const isLooked = Object.keys(checkpoints).length > 0 && isLast;
  const isLimited = execution.left > 0 && !job.softStop.aborted;
  const limit = isLimited ? connection.limits.reached : undefined;
  return { execution, limit, after: isLooked ? await checkAgain(job, priced) : undefined };
}

/**
 * Plans a run and estimates its price. Requests the heads and the block hashes of the newest
 * checkpoints; with a `probeSeed` also the first pages of lists that have no landed rows.
 */
export async function price(job: PriceJob): Promise<PricedPlan> {
  const { lake, connection, probeSeed: seed, softStop: signal } = job;
  const sent = connection.statistics().requests;
  const memory = job.session?.heads;
  const following = memory && { memory, nowMs: job.effects.now() };
  const heads = await answerOf(job, readHeads(job.pipeline, connection.caller, signal, following));
  const chainCheck = await answerOf(job, checkChains({ ...job, signal }, heads));
  const before = connection.statistics().requests - sent;
  const densities = await densitiesOf(lake);
  const input = await planInput(job, heads, densities, chainCheck);
  const asideOf = (band: Plan) => before + checkpointRequests(chainCheck, band);
  const rate = connection.expectedPerSecond();
  const basis = { wants: job.intent?.wants, densities, perSecond: rate, asideOf };
  const whole = job.isPriceAlone ? wholePlan(input) : planSlices(input);
  if (whole === undefined) return { chainCheck, ...priceLarge(input, basis) };
  const plan = wanted(job, whole);
  const unprobed = estimate(plan, densities, rate, asideOf(plan));
  if (seed === undefined) return { plan, chainCheck, estimate: unprobed };
  const unsized = unprobed.requests.filter(({ price }) => price.rows === undefined).length;
  if (unsized > 0) job.onProbe?.(unsized);
  const probe = { plan, pipeline: job.pipeline, densities, seed, signal };
  const probed = await answerOf(job, probePlan({ ...probe, caller: connection.caller }));
  return { plan, chainCheck, estimate: estimate(plan, densities, rate, asideOf(plan), probed) };
}

/** How often a run starts over because a chain changed while its checkpoints were read. */
const MAX_STARTS = 5;

/** The plan of a run, and checkpoints of the chains that it reads. */
async function begin(job: Job): Promise<{
  readonly priced: PricedPlan;
  readonly checkpoints: CheckpointsByAxis;
}> {
  for (let i = 0; i < MAX_STARTS; i += 1) {
    const priced = await price(job);
    await recordChanges(job, priced.chainCheck);
    const checkpoints = await answerOf(job, checkpointsFor(job, priced.chainCheck, priced.plan));
    if (checkpoints !== undefined) return { priced, checkpoints };
  }
  throw new Fault('refused', 'The chain changes faster than its block hashes can be read.', {
    advice: 'Run again later: committed data stays, and the next run continues from it.',
  });
}

/** Compares the chains again at the end of a run, and records changes in the tables. */
async function checkAgain(job: Job, { plan }: PricedPlan): Promise<ChainCheck> {
  const context = { ...job, signal: job.hardStop };
  const chainCheck = await answerOf(job, checkChains(context, plan.heads));
  await recordChanges(job, chainCheck);
  return chainCheck;
}

export type PriceJob = Pick<Job, 'pipeline' | 'keys' | 'lake' | 'connection' | 'effects'> &
  Partial<Pick<Job, 'softStop' | 'intent' | 'session'>> & {
    /** Seed that selects the slices whose first pages are requested for the estimate. */
    readonly probeSeed?: string | undefined;
    /** Called before the first of these requests, with the number of lists. */
    readonly onProbe?: ((lists: number) => void) | undefined;
    /** Nothing is fetched by the plan: a large one has no slices, and is not probed. */
    readonly isPriceAlone?: boolean;
  };

/** Everything that a plan depends on, as the lake has it now. */
export async function planInput(
  { pipeline, keys, lake, effects, intent }: PriceJob,
  heads: HeadsByAxis,
  densities: Densities,
  chainCheck?: ChainCheck,
): Promise<PlanInput> {
  const base = { pipeline, keys, coverage: await lake.coverage(chainCheck?.changed) };
  const isAgain = intent?.isAgain === true;
  const inRows = await foundKeys({ ...base, lake, heads: isAgain ? undefined : heads });
  return { ...base, ...inRows, heads, densities, nowMs: effects.now(), isAgain };
}

const wanted = ({ intent }: PriceJob, plan: Plan): Plan => onlyRequests(plan, intent?.wants);

/**
 * The plan for keys found in rows that have landed. If the run had nothing to fetch, these are the
 * rows of its first plan, which has all of them.
 */
async function planFoundKeys(job: Job, first: Plan, fetched: Plan): Promise<Plan | undefined> {
  if (job.pipeline.requests.every(({ foundIn }) => foundIn === undefined)) return undefined;
  const isSame = fetched.slices.length === 0;
  const input = () => densitiesOf(job.lake).then((density) => planInput(job, first.heads, density));
  const plan = isSame ? first : wanted(job, planSlices(await input()));
  return onlyRequests(plan, ({ isFound }) => isFound);
}
