import { createHash } from 'node:crypto';
import type { Coverage, CoveragePart } from '../coverage/coverage.ts';
import { isAskedByHash, listKey } from '../coverage/list.ts';
import { subtract } from '../coverage/ranges.ts';
import { type Slice, sliceId } from '../coverage/slice.ts';
import type { FetchedPart } from '../coverage/slice-part.ts';
import { isUnfinished } from '../coverage/unfinished.ts';
import { fetchSlice } from '../fetch/fetch-slice.ts';
import { CallFailure } from '../fetch/http/call-failure.ts';
import { faultOfCall } from '../fetch/http/call-fault.ts';
import type { SourceSettings } from '../fetch/walk/walk.ts';
import { Committer } from '../land/committer.ts';
import { compareSlice, type Difference } from '../land/compare.ts';
import { decode } from '../land/rows/decode.ts';
import type { PlannedRequest } from '../plan/plan.ts';
import { requestsOf } from '../plan/request-of-slice.ts';
import { planSlices } from '../plan/slices.ts';
import { fetchSettings, generationsOf } from './execute.ts';
import { type Stops, stoppingWithin } from './interruption.ts';
import { type PriceJob, planInput, price } from './run.ts';

export interface AuditJob extends Omit<PriceJob, 'softStop'>, Stops {
  readonly run: string;
  /** Number of finished slices to fetch again. */
  readonly sample: number;
  /** Seed of the selection: the same text selects the same slices. */
  readonly seed: string;
  /** Lands changed slices. Without it, changes are only reported. */
  readonly isRepair: boolean;
  readonly watch: AuditWatch;
}

export interface AuditWatch {
  chosen(sample: AuditResult['chosen']): void;
  audited(slice: AuditedSlice): void;
}

export interface AuditedSlice extends Difference {
  readonly slice: Slice;
  /** Why the slice could not be compared; '' after a comparison. */
  readonly reason: string;
}

export interface AuditResult {
  /** Number of slices, and of finished ones that the sample was drawn from. */
  readonly chosen: { readonly slices: number; readonly total: number };
  readonly slices: readonly AuditedSlice[];
  /** Number of slices whose rows were replaced. */
  readonly landed: number;
  /** Whether the first interruption came before the end. */
  readonly isStopped: boolean;
}

/**
 * Fetches a random sample of a pipeline's finished slices again and compares them with the lake.
 * Detects records that the service lists late or removes. Throws a Fault when the source refuses
 * the credentials or stops serving.
 */
export function audit(job: AuditJob): Promise<AuditResult> {
  return stoppingWithin(job, (hardStop) => auditUntil({ ...job, hardStop }));
}

async function auditUntil(job: AuditJob): Promise<AuditResult> {
  const { lake, watch, pipeline, effects, run } = job;
  const committer = new Committer({ lake, run, limits: pipeline.commit, effects });
  const priced = await price({ ...job, intent: { isAgain: true, wants: () => true } });
  const coverage = await lake.coverage(priced.chainCheck.changed);
  const requestOf = requestsOf(priced.plan);
  const { heads } = priced.plan;
  const due = planSlices(await planInput(job, heads, new Map(), priced.chainCheck)).slices;
  const isDue = new Set(
    due.flatMap(({ list, keys }) => keys.map((key) => `${listKey(list)} ${key}`)),
  );
  const finished = priced.plan.slices.flatMap((whole) =>
    finishedParts(whole, coverage, isDue).map((slice) => {
      return { slice, planned: requestOf(whole) };
    }),
  );
  const sample = chosenOf(finished, job);
  const chosen = { slices: sample.length, total: finished.length };
  watch.chosen(chosen);
  const generations = await generationsOf(lake, priced.plan);
  const slices: AuditedSlice[] = [];
  try {
    for (const { slice, planned } of sample) {
      if (job.softStop.aborted) break;
      const generation = generations(slice);
      const head = heads[slice.list.entry.axis]?.head ?? 0;
      const land = async (part: FetchedPart): Promise<void> => {
        if (job.isRepair) await committer.add({ ...part, head, heads, generation });
      };
      for (const audited of await auditSlice(job, { slice, planned }, land)) {
        slices.push(audited);
        watch.audited(audited);
      }
    }
  } finally {
    // Slices already reported as landed must be committed, even after an error.
    await committer.flush();
  }
  const { slices: landed } = committer.counts();
  return { chosen, slices, landed, isStopped: job.softStop.aborted };
}

/**
 * The blocks of a slice, or its keys in a look-up that no run requests (`isDue`), that were read
 * with proof, unless its list changes by nature. Unfinished records are among them; they are not
 * compared.
 */
function finishedParts(slice: Slice, coverage: Coverage, isDue: ReadonlySet<string>): Slice[] {
  const { list, keys, interval } = slice;
  if (slice.provisional || slice.unreachable !== undefined) return [];
  // A ranking changes with every reading.
  if (list.entry.list === 'snapshot') return [];
  const isRead = (part: CoveragePart): boolean => part.status === 'complete' || isUnfinished(part);
  if (isAskedByHash(list)) {
    const read = keys.filter((key) => !isDue.has(`${listKey(list)} ${key}`));
    return read.length === 0 ? [] : [{ ...slice, keys: read }];
  }
  const open = keys.flatMap((key) => subtract(interval, coverage.get(list, key).filter(isRead)));
  return subtract(interval, open).map((part) => ({ ...slice, interval: part }));
}

function chosenOf(
  slices: readonly PlannedSlice[],
  { seed, sample }: AuditJob,
): readonly PlannedSlice[] {
  const lots = slices.map((planned) => {
    const text = `${seed} ${sliceId(planned.slice)}`;
    return { planned, lot: createHash('sha256').update(text).digest('hex') };
  });
  lots.sort((a, b) => (a.lot < b.lot ? -1 : 1));
  return lots.slice(0, sample).map(({ planned }) => planned);
}

interface PlannedSlice {
  readonly slice: Slice;
  readonly planned: PlannedRequest;
}

/** Number of readings of a slice before an empty answer is compared with landed rows. */
const READINGS = 3;
const IN_DOUBT =
  `${READINGS} empty answers where rows landed, which the service may have given falsely: ` +
  'a refetch reads these blocks again';

interface ComparedPart extends Difference {
  readonly part: FetchedPart;
}

/** Whether an empty answer contradicts landed rows, which does not prove that they are gone. */
function isInDoubt({ part, gone }: ComparedPart): boolean {
  return part.status === 'complete' && part.records.length === 0 && gone.length > 0;
}

/** Fetches and compares one slice; returns no parts after an interruption. */
async function auditSlice(
  job: AuditJob,
  { slice, planned }: PlannedSlice,
  land: (part: FetchedPart) => Promise<void>,
): Promise<AuditedSlice[]> {
  let compared: ComparedPart[] = [];
  try {
    const settings = fetchSettings(job, planned);
    for (let i = 0; i === 0 || (i < READINGS && compared.some(isInDoubt)); i += 1) {
      compared = await comparedParts(job, slice, settings);
    }
  } catch (error) {
    if (job.hardStop.aborted) return [];
    if (!(error instanceof CallFailure)) throw error;
    if (error.outcome === 'auth' || error.outcome === 'stop') throw faultOfCall(error);
    return [{ ...NOTHING, slice, reason: error.message }];
  }
  const audited: AuditedSlice[] = [];
  for (const comparison of compared) {
    const { part, ...difference } = comparison;
    const reason = part.status === 'complete' ? '' : `${part.status}: ${part.reason}`;
    const isDoubted = isInDoubt(comparison);
    audited.push({ ...difference, slice: part.slice, reason: isDoubted ? IN_DOUBT : reason });
    const hasChanged = difference.added.length + difference.gone.length > 0;
    if (!isDoubted && hasChanged) await land(part);
  }
  return audited;
}

const NOTHING: Difference = { rows: 0, added: [], gone: [] };

/** Fetches the parts of a slice and compares each with the lake. */
async function comparedParts(
  { lake, connection }: AuditJob,
  slice: Slice,
  settings: SourceSettings,
): Promise<ComparedPart[]> {
  const compared: ComparedPart[] = [];
  for await (const part of fetchSlice(connection.caller, slice, settings)) {
    const { rows } = decode(slice.list, part.records, part.slice.interval.from);
    const isWhole = part.status === 'complete';
    const difference = isWhole ? await compareSlice(lake, part.slice, rows) : NOTHING;
    compared.push({ ...difference, part });
  }
  return compared;
}
