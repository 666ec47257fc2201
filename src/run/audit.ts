import { createHash } from 'node:crypto';
import type { Coverage } from '../coverage/coverage.ts';
import { type Slice, sliceId } from '../coverage/slice.ts';
import { type FetchedPart, type FetchSettings, fetchSlice } from '../fetch/fetch-slice.ts';
import { CallFailure } from '../fetch/http/call-failure.ts';
import { faultOfCall } from '../fetch/http/call-fault.ts';
import type { Committer } from '../land/committer.ts';
import { compareSlice, type Difference } from '../land/compare.ts';
import { decode } from '../land/rows/decode.ts';
import type { PlannedRequest } from '../plan/plan.ts';
import { fetchSettings, generationsOf, requestsOf } from './execute.ts';
import { type Priced, type PriceJob, price } from './run.ts';

export interface AuditJob extends PriceJob {
  /** How many finished slices to read again. */
  readonly sample: number;
  /** Chooses them: the same ones for the same text. */
  readonly seed: string;
  /** Lands what has changed; absent: it is told, and the lake stays as it is. */
  readonly committer?: Committer;
  /** Aborted once: begin no more slices. */
  readonly softStop: AbortSignal;
  /** Aborted: end open requests too. */
  readonly hardStop: AbortSignal;
  readonly watch: AuditWatch;
}

export interface AuditWatch {
  chosen(of: Chosen): void;
  audited(slice: AuditedSlice): void;
}

export interface Chosen {
  readonly slices: number;
  /** Finished slices that there are to choose from. */
  readonly of: number;
}

export interface AuditedSlice extends Difference {
  readonly slice: Slice;
  /** Why it could not be compared; '' where it was. */
  readonly reason: string;
}

export interface Audited {
  readonly chosen: Chosen;
  readonly slices: readonly AuditedSlice[];
}

/**
 * Reads finished slices of a pipeline again, chosen by chance, and compares them with what landed.
 * A service that lists records late, or takes them back, is found out by it. Throws the Fault of a
 * source that cannot be asked at all.
 */
export async function audit(job: AuditJob): Promise<Audited> {
  const { lake, watch } = job;
  const priced = await price({ ...job, intent: { isAgain: true, wants: () => true } });
  const coverage = await lake.coverage(priced.standing.changed);
  const finished = priced.plan.slices.filter((slice) => isFinished(slice, coverage));
  const sample = chosenOf(finished, job);
  const chosen = { slices: sample.length, of: finished.length };
  watch.chosen(chosen);
  const generations = await generationsOf(lake, priced.plan);
  const requestOf = requestsOf(priced.plan);
  const slices: AuditedSlice[] = [];
  try {
    for (const slice of sample) {
      if (job.softStop.aborted) break;
      const of = { slice, planned: requestOf(slice), generation: generations(slice) };
      for (const audited of await auditSlice(job, priced, of)) {
        slices.push(audited);
        watch.audited(audited);
      }
    }
  } finally {
    // What was told as repaired is to be so, whatever ended it.
    await job.committer?.flush();
  }
  return { chosen, slices };
}

/** All of it is complete, and a reading of it again should say the same. */
function isFinished({ list, keys, interval, ...slice }: Slice, coverage: Coverage) {
  if (slice.provisional || slice.unreachable !== undefined) return false;
  // A ranking is another one every time.
  if (list.entry.list === 'snapshot') return false;
  return keys.every((key) => coverage.missing(list, key, interval).length === 0);
}

function chosenOf(slices: readonly Slice[], { seed, sample }: AuditJob): Slice[] {
  const lot = (slice: Slice): string =>
    createHash('sha256')
      .update(`${seed} ${sliceId(slice)}`)
      .digest('hex');
  const lots = slices.map((slice) => ({ slice, lot: lot(slice) }));
  lots.sort((a, b) => (a.lot < b.lot ? -1 : 1));
  return lots.slice(0, sample).map(({ slice }) => slice);
}

interface Asked {
  readonly slice: Slice;
  readonly planned: PlannedRequest;
  readonly generation: number;
}

/** Readings of a slice that seems to have lost all rows of a part. */
const READINGS = 3;
const IN_DOUBT =
  `${READINGS} empty answers where rows landed, which the service may have given falsely: ` +
  'read these blocks again with windrow refetch';

interface ComparedPart extends Difference {
  readonly part: FetchedPart;
}

/** An empty answer alone is no proof that rows are gone. */
function isInDoubt({ part, gone }: ComparedPart): boolean {
  return part.status === 'complete' && part.records.length === 0 && gone.length > 0;
}

/** Nothing of a slice that was interrupted. */
async function auditSlice(
  job: AuditJob,
  { plan }: Priced,
  { slice, planned, generation }: Asked,
): Promise<AuditedSlice[]> {
  const { committer } = job;
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
  for (const each of compared) {
    const { part, ...difference } = each;
    const reason = part.status === 'complete' ? '' : `${part.status}: ${part.reason}`;
    const isDoubted = isInDoubt(each);
    audited.push({ ...difference, slice: part.slice, reason: isDoubted ? IN_DOUBT : reason });
    if (isDoubted || difference.added.length + difference.gone.length === 0) continue;
    const head = plan.heads[slice.list.entry.axis]?.head ?? 0;
    await committer?.add({ ...part, head, generation });
  }
  return audited;
}

const NOTHING: Difference = { rows: 0, added: [], gone: [] };

/** The parts of a slice as they are listed now, each with what it says otherwise than the lake. */
async function comparedParts(
  { lake, connection }: AuditJob,
  slice: Slice,
  settings: FetchSettings,
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
