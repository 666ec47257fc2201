import { type PlanPart, planParts } from '../../plan/parts.ts';
import type { AuditResult } from '../audit.ts';
import type { Stops } from '../interruption.ts';
import { intentOf } from '../job/chosen-datasets.ts';
import type { EndJob, JobOutcome, JobQueue, RunRecord } from '../queue/job-queue.ts';
import { runOnce } from '../shell/pipeline-run.ts';
import type { RunDocument } from '../shell/run-document.ts';
import type { RunShellOptions } from '../shell/run-shell.ts';
import { auditRun, takeBands } from '../shell/work-on-source.ts';
import { queueEngine } from './queue-engine.ts';

export interface EndRunOptions extends RunShellOptions {
  readonly queue: JobQueue;
  readonly record: RunRecord;
  readonly stops: Stops;
}

/** Most parts that wait at the same time; the job behind them queues the next ones. */
const MOST_PARTS = 50_000;
/** The share of the finished slices that is read again, within bounds. */
const SAMPLE_SHARE = 0.01;
const MOST_SAMPLE = 50;
/** Fewer raw rows are curated in a few seconds. */
const LEAST_ROWS = 1_000_000;

/**
 * Queues the parts of a run: first those of given keys, then those of keys that were found. Where
 * the lake has them, a run in this process fetches what is left, compares the chains, publishes,
 * maintains, checks and reports, as any run does.
 */
export async function endRun(job: EndJob, options: EndRunOptions): Promise<JobOutcome> {
  if (await queuesParts(job, options)) return 'done';
  const { queue, loaded, record, stops } = options;
  const sample = await sampleOf(job, options);
  const document = await runOnce({
    ...options,
    ...intentOf(loaded, record.only === undefined ? undefined : [...record.only]),
    isLocked: false,
    engine: (lake) => {
      const stop = stops.softStop;
      return queueEngine({ ...options, lake, stop, leastRows: LEAST_ROWS });
    },
    stops: () => stops,
  });
  if (document.exitCode === 130) return 'again';
  const counts = (await queue.stateOf(job.run))?.counts ?? {};
  await queue.conclude(job.run, { document: joined(document, { ...counts, ...sample }) });
  return 'done';
}

async function queuesParts(job: EndJob, options: EndRunOptions): Promise<boolean> {
  const { queue, loaded, record } = options;
  const { given: hasGiven, found: hasFound } = job.isQueued;
  if (hasGiven && hasFound) return false;
  const parts = { given: [] as PlanPart[], found: [] as PlanPart[] };
  await takeBands({ ...options, ...intentOf(loaded, record.only) }, (requests) => {
    for (const isFound of [false, true]) {
      const how = { isFound, leastRequests: record.partRequests };
      const more = planParts(loaded.pipeline, requests, loaded.keys, how);
      for (const part of more) parts[isFound ? 'found' : 'given'].push(part);
    }
    return parts.given.length <= MOST_PARTS;
  });
  for (const kind of hasGiven ? (['found'] as const) : (['given', 'found'] as const)) {
    const { length } = parts[kind];
    // The run that ends has fewer requests than a plan of one part.
    if (length < 2) continue;
    const isQueued = {
      given: kind === 'found' || length <= MOST_PARTS,
      found: kind === 'found' && length <= MOST_PARTS,
    };
    const { run, round } = job;
    await queue.add(
      { kind: 'end', run, round: round + 1, isQueued },
      parts[kind].slice(0, MOST_PARTS).map((part) => ({ kind: 'part', run, part })),
    );
    return true;
  }
  return false;
}

interface Sample {
  readonly sampled: number;
  readonly differing: number;
}

/** Reads some finished slices again where other workers have read them. */
async function sampleOf(job: EndJob, options: EndRunOptions): Promise<Sample> {
  const { slices = 0 } = (await options.queue.stateOf(job.run))?.counts ?? {};
  if (slices === 0) return { sampled: 0, differing: 0 };
  const audited = await auditRun({
    ...options,
    sample: Math.min(MOST_SAMPLE, Math.ceil(slices * SAMPLE_SHARE)),
    seed: job.run,
    isRepair: false,
    stops: () => options.stops,
    watch: { chosen: () => undefined, audited: () => undefined },
  });
  return { sampled: audited.chosen.slices, differing: differing(audited) };
}

function differing({ slices }: AuditResult): number {
  return slices.filter(({ added, gone }) => added.length + gone.length > 0).length;
}

/** The report of the run with the counts of all workers. */
function joined(
  document: RunDocument,
  workers: Partial<Sample> & Readonly<Record<string, number>>,
): RunDocument {
  const { quarantined = 0, differing = 0 } = workers;
  const isPartial = document.exitCode === 0 || document.exitCode === 4;
  const exitCode = isPartial && quarantined + differing > 0 ? 3 : document.exitCode;
  return { ...document, exitCode, workers };
}
