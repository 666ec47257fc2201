import { type CoverageEntry, SHORT_STATUSES, type Status } from '../coverage/coverage.ts';
import { isSameList } from '../coverage/list.ts';
import type { Slice } from '../coverage/slice.ts';
import type { FetchedPart } from '../coverage/slice-part.ts';
import { type AddToSpan, type Effects, traced, untilAny } from '../effects.ts';
import type { Connection } from '../fetch/connect.ts';
import type { Corroboration } from '../fetch/corroborate/corroboration.ts';
import type { LandsAs } from '../fetch/corroborate/destination.ts';
import { fetchSlice } from '../fetch/fetch-slice.ts';
import { CallFailure, LIMIT_REACHED } from '../fetch/http/call-failure.ts';
import type { Caller } from '../fetch/http/caller.ts';
import { withoutHiddenStart } from '../fetch/walk/asked-range.ts';
import type { SourceSettings } from '../fetch/walk/walk.ts';
import type { Committer, Landing } from '../land/committer.ts';
import type { Lake } from '../land/lake.ts';
import { axisSettings } from '../pipeline/axis-settings.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Plan, PlannedRequest } from '../plan/plan.ts';
import { requestsOf } from '../plan/request-of-slice.ts';
import { depthReason } from '../plan/routes.ts';
import type { StoppableJob } from './interruption.ts';
import { type FailedSlice, Outcomes } from './outcomes.ts';

export interface ExecutionOptions extends Pick<StoppableJob, 'softStop' | 'hardStop'> {
  readonly plan: Plan;
  readonly pipeline: Pipeline;
  readonly connection: Pick<Connection, 'caller' | 'facts' | 'onLongWait' | 'mostInFlight'>;
  readonly lake: Lake;
  readonly committer: Committer;
  readonly effects: Effects;
  /** Shared by all plans of a run. */
  readonly corroboration: Corroboration;
  /** Called after each slice, whether it succeeded or failed, with the requests of its walk. */
  readonly onSlice: (planned: PlannedRequest, requests: number) => void;
}

export interface ExecutionResult {
  readonly failed: readonly FailedSlice[];
  /**
   * Parts of slices, and coverage that a commit contradicted, with a status that is not complete
   * and that their request does not accept.
   */
  readonly short: number;
  /** Slices that were not started or not finished because of an interruption or a limit. */
  readonly left: number;
}

/** The result of two plans of one run. */
export function together(
  first: ExecutionResult,
  second: ExecutionResult | undefined,
): ExecutionResult {
  if (second === undefined) return first;
  return {
    failed: [...first.failed, ...second.failed],
    short: first.short + second.short,
    left: first.left + second.left,
  };
}

/**
 * Fetches and lands all slices of a plan, as many at a time as the source may be sent requests.
 * Each request starts further slices where rate and latency have grown. A failed slice is
 * reported and the others continue. When the source refuses the credentials or is unavailable, the
 * slices fetched so far are committed and a Fault is thrown.
 */
export async function executePlan(options: ExecutionOptions): Promise<ExecutionResult> {
  const failing = new AbortController();
  return untilAny([options.hardStop, failing.signal], (hardStop) =>
    executeUntil({ ...options, hardStop }, options.hardStop, failing),
  );
}

/** Aborts `failing`, and with it `options.hardStop`, when the lake or the disk fails. */
async function executeUntil(
  options: ExecutionOptions,
  givenStop: AbortSignal,
  failing: AbortController,
): Promise<ExecutionResult> {
  const { plan, connection, committer, effects, softStop } = options;
  const outcomes = new Outcomes();
  // Slices are committed when the service demands a long wait, and during it.
  let waitUntilMs = Number.NEGATIVE_INFINITY;
  const stopListening = connection.onLongWait(({ untilMs }) => {
    waitUntilMs = Math.max(waitUntilMs, untilMs);
    committer.flush().catch((error) => {
      outcomes.error(error);
      failing.abort(error);
    });
  });
  const land = async (landing: Landing): Promise<void> => {
    await committer.add(landing);
    if (effects.now() < waitUntilMs) await committer.flush();
  };
  const generations = await generationsOf(options.lake, plan);
  for (const { list, slices } of plan.requests) {
    const keys = slices.flatMap((slice) => slice.keys);
    options.lake.table(list.dataset.name).follow(list, keys);
  }
  let next = 0;
  const requestOf = requestsOf(plan);
  const mayGoOn = (): boolean =>
    next < plan.slices.length &&
    outcomes.stopped === 0 &&
    !softStop.aborted &&
    outcomes.ended === undefined;
  const workers: Promise<void>[] = [];
  let working = 0;
  const grow = (): void => {
    while (mayGoOn() && working < connection.mostInFlight()) {
      working += 1;
      workers.push(work().catch((error) => outcomes.error(error)));
    }
  };
  const caller: Caller = {
    call: (...args) => {
      grow();
      return connection.caller.call(...args);
    },
  };
  const growing = { ...options, connection: { ...connection, caller } };
  const work = async (): Promise<void> => {
    while (mayGoOn() && working <= connection.mostInFlight()) {
      const slice = plan.slices[next];
      next += 1;
      if (slice === undefined) break;
      const planned = requestOf(slice);
      let requests = 0;
      try {
        requests = await traced(effects, 'slice', attributesOf(slice), (add) =>
          executeSlice(growing, land, { slice, planned, add }, generations, outcomes),
        );
        outcomes.done();
      } catch (error) {
        const { stopped } = outcomes;
        if (givenStop.aborted) outcomes.stopped += 1;
        else outcomes.error(error, slice);
        if (outcomes.stopped > stopped || !(error instanceof CallFailure)) break;
      }
      options.onSlice(planned, requests);
    }
    working -= 1;
  };
  grow();
  for (const worker of workers) await worker;
  if (outcomes.ended === undefined && !options.hardStop.aborted) {
    await options.corroboration.settle(softStop.aborted).catch((error) => {
      const isLimit = error instanceof CallFailure && error.code === LIMIT_REACHED;
      if (isLimit || !options.hardStop.aborted) outcomes.error(error);
    });
  }
  stopListening();
  await committer.flush();
  const { ended, failed, stopped } = outcomes;
  if (ended !== undefined) throw ended;
  const short = outcomes.short + shortOf(plan, await committer.contradictions());
  return { failed, short, left: plan.slices.length - next + stopped };
}

/** Keys are only counted: they may be private addresses. */
function attributesOf({ list, keys, interval }: Slice) {
  return {
    'windrow.dataset': list.dataset.name,
    'windrow.endpoint': list.endpoint,
    'windrow.variant': list.variant,
    'windrow.keys': keys.length,
    'windrow.from_block': interval.from,
    'windrow.to_block': interval.to,
  };
}

interface StartedSlice {
  readonly slice: Slice;
  readonly planned: PlannedRequest;
  readonly add: AddToSpan;
}

async function executeSlice(
  options: ExecutionOptions,
  landSlice: (landing: Landing) => Promise<void>,
  { slice, planned, add }: StartedSlice,
  generations: (slice: Slice) => number,
  outcomes: Outcomes,
): Promise<number> {
  const { connection, plan } = options;
  const count = (status: Status): void => {
    const { accept } = planned.request;
    const isShort = SHORT_STATUSES.some((short) => short === status) && !accept.includes(status);
    if (isShort) outcomes.short += 1;
  };
  const generation = generations(slice);
  const head = plan.heads[slice.list.entry.axis]?.head ?? 0;
  if (slice.unreachable !== undefined) {
    const reason = slice.unreachable;
    const part = { slice, status: 'depth_limited', reason, records: [], pending: [] } as const;
    count(part.status);
    await landSlice({ ...part, requests: 0, head, generation });
    return 0;
  }
  const settings = fetchSettings(options, planned);
  const land = async (whole: FetchedPart, as: LandsAs): Promise<void> => {
    const refuting = as === 'new' ? {} : { refutes: true as const };
    for (const part of withoutHiddenStart(whole, connection.facts, depthReason(slice.list, 1))) {
      if (as !== 'suspended') count(part.status);
      await landSlice({ ...part, head, heads: plan.heads, generation, ...refuting });
    }
  };
  const fail = (part: FetchedPart, reason: string): void => outcomes.unproven(part, reason);
  const { effects, corroboration } = options;
  let requests = 0;
  const parts = reaching(fetchSlice(connection.caller, slice, settings), effects, (part, rows) => {
    requests += part.requests;
    add({ 'windrow.status': part.status, 'windrow.rows': rows });
  });
  await corroboration.takeAll(slice, parts, { head, settings, land, fail });
  return requests;
}

/** Number of entries with a status that the requests of the plan for their list do not accept. */
export function shortOf(plan: Plan, entries: readonly CoverageEntry[]): number {
  return entries.filter((entry) => {
    return plan.requests.some(({ list, request }) => {
      return isSameList(list, entry) && !request.accept.includes(entry.status);
    });
  }).length;
}

async function* reaching(
  parts: AsyncIterable<FetchedPart>,
  effects: Effects,
  walked: (part: FetchedPart, rows: number) => void,
): AsyncGenerator<FetchedPart> {
  let rows = 0;
  for await (const part of parts) {
    effects.reached('slice walked');
    rows += part.records.length;
    walked(part, rows);
    yield part;
  }
}

/** Settings for fetching the slices of a request. */
export function fetchSettings(
  options: Pick<ExecutionOptions, 'pipeline' | 'connection' | 'hardStop'>,
  { list, pageSize }: PlannedRequest,
): SourceSettings {
  const { pipeline, connection, hardStop } = options;
  return {
    chain: axisSettings(pipeline, list.entry.axis).chain,
    pageSize: Number.isFinite(pageSize) ? pageSize : 1,
    recordCap: pipeline.source.recordCap,
    facts: connection.facts,
    proof: pipeline.proof,
    signal: hardStop,
  };
}

/** Number of reorganisations recorded in the table of a slice before its walk starts. */
export async function generationsOf(lake: Lake, plan: Plan): Promise<(slice: Slice) => number> {
  const generations = new Map<string, number>();
  for (const { request } of plan.requests) {
    const { reorganisations } = await lake.table(request.dataset).snapshot();
    generations.set(request.dataset, reorganisations.length);
  }
  return ({ list }) => generations.get(list.dataset.name) ?? 0;
}
