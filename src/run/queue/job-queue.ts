import type { ChunkJob, ChunkResult } from '../../curate/chunk-job.ts';
import type { Effects } from '../../effects.ts';
import type { FaultKind } from '../../fault.ts';
import type { PlanPart } from '../../plan/parts.ts';
import type { Overrides } from '../job/pipeline-file.ts';
import type { SharedState } from '../shared-key/shared-state.ts';
import type { RunDocument } from '../shell/run-document.ts';

/** A run of several workers, as all of them read it. It has no secrets: workers have their own. */
export interface RunRecord {
  readonly run: string;
  /** Absolute path of the pipeline file where the run was submitted. */
  readonly file: string;
  readonly overrides: Overrides;
  readonly only?: readonly string[] | undefined;
  /** Least expected requests of a part. */
  readonly partRequests?: number | undefined;
  /** The texts of the pipeline and of the files that it names, by absolute path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Fetches a part of the plan. */
export interface PartJob {
  readonly kind: 'part';
  readonly run: string;
  readonly part: PlanPart;
}

/** Plans the run and queues its parts, with the next job of this kind behind them; or ends it. */
export interface EndJob {
  readonly kind: 'end';
  readonly run: string;
  /** The number of such jobs of the run before. */
  readonly round: number;
  /** Parts of requests that need not be queued again. */
  readonly isQueued: { readonly given: boolean; readonly found: boolean };
}

export type QueuedJob = PartJob | EndJob;

/** Counts of the parts of a run that have ended. */
export type PartCounts = Readonly<
  Record<'failedParts' | 'requests' | 'rejections' | 'slices' | 'rows' | 'quarantined', number>
>;

/** How a run ended: with its report, or with a fault. */
export type Conclusion = { readonly document: RunDocument } | { readonly fault: RunFault };

/** A fault of another process. */
export interface RunFault {
  readonly kind: FaultKind;
  readonly message: string;
  readonly where?: string | undefined;
  readonly advice: string;
}

/** A chunk of a load, whose paths are those of a data root at any place. */
export interface ChunkTask {
  /** The version of windrow that planned it. */
  readonly version: string;
  readonly job: ChunkJob;
}

/** Files of a result have their names in the folders of their tables. */
export type ChunkOutcome = { readonly result: ChunkResult } | { readonly fault: RunFault };

export interface QueuedRunState {
  readonly counts: Partial<PartCounts> & {
    readonly queuedParts?: number;
    /** Parts that have ended. */
    readonly parts?: number;
    readonly stalled?: number;
  };
  readonly conclusion: Conclusion | undefined;
  readonly isCancelled: boolean;
}

/** Figures of a worker, about the job that it executes. */
export interface WorkerFigures {
  readonly worker: string;
  readonly run: string;
  readonly kind: QueuedJob['kind'];
  readonly requestsPerSecond: number;
}

export interface QueueStatus {
  readonly waiting: number;
  readonly active: number;
  readonly failed: number;
  readonly workers: readonly WorkerFigures[];
  readonly runs: readonly (QueuedRunState & { readonly run: string })[];
}

/** Messages to a worker about its job and its source. */
export interface Flags {
  readonly isCancelled: boolean;
  /** A worker found false empty answers of the source. */
  readonly isSuspect: boolean;
}

/** `again` puts a job back: this worker stops. */
export type JobOutcome = 'done' | 'again';

export type Execute = (job: QueuedJob) => Promise<JobOutcome>;
export type Compute = (task: ChunkTask) => Promise<ChunkOutcome>;

/**
 * The work of runs on several hosts. Correctness lies in the lake alone: a job that is executed
 * twice finds the coverage of the first time, and a queue that lost its jobs is filled again.
 */
export interface JobQueue {
  readonly shared: SharedState;
  /** Keeps the record of a run and queues its first job. */
  begin(record: RunRecord): Promise<void>;
  recordOf(run: string): Promise<RunRecord | undefined>;
  /** Queues parts, and the job that follows when all of them have ended. */
  add(end: EndJob, parts: readonly PartJob[]): Promise<void>;
  /** Throws a Fault for a worker whose lake is not that of the workers before. */
  join(lake: string): Promise<void>;
  /** Executes one job after another, and beside them chunks, until the signal is aborted. */
  work(execute: Execute, compute: Compute, stop: AbortSignal): Promise<void>;
  count(run: string, counts: QueuedRunState['counts']): Promise<void>;
  conclude(run: string, conclusion: Conclusion): Promise<void>;
  /** Undefined for a run that the queue does not know, or has lost. */
  stateOf(run: string): Promise<QueuedRunState | undefined>;
  /** Workers end the jobs of the run. */
  cancel(run: string): Promise<void>;
  addChunk(id: string, task: ChunkTask): Promise<void>;
  /** Takes the outcome of a chunk; undefined before its end. Throws Fault('lake') if it is lost. */
  takeOutcome(id: string): Promise<ChunkOutcome | undefined>;
  /** A chunk that waits is not computed any more. */
  dropChunk(id: string): Promise<void>;
  /** Stores the figures of a worker, and returns the messages to it. */
  beat(figures: WorkerFigures, source: string): Promise<Flags>;
  /** All workers doubt empty answers of the source from now on. */
  suspect(source: string): Promise<void>;
  status(): Promise<QueueStatus>;
  /** Why the server may lose jobs, and the remedy; undefined if it keeps them. */
  risk(): Promise<{ readonly text: string; readonly remedy: string } | undefined>;
  close(): Promise<void>;
}

export interface JobQueueOptions {
  readonly url: string;
  /** Names the caller among the workers. */
  readonly worker: string;
  /** The time that the server may be away before a command fails; by default, to start it again. */
  readonly patienceMs?: number;
  readonly effects: Effects;
  readonly env: NodeJS.ProcessEnv;
}
