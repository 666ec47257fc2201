import { Fault } from '../../fault.ts';
import type { Suspicion } from '../../fetch/corroborate/empty-part.ts';
import { idOfRoot } from '../../land/data-root.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { Stops } from '../interruption.ts';
import { windrowVersion } from '../job/version.ts';
import type { Surroundings } from '../lake/surroundings.ts';
import type { JobOutcome, JobQueue, QueuedJob, RunFault, RunRecord } from '../queue/job-queue.ts';
import { onSource, type RunShellOptions } from '../shell/run-shell.ts';
import { ChunkRunner } from './chunk-runner.ts';
import { endRun } from './end-run.ts';
import { faultIn } from './faults.ts';
import { PartRunner } from './part-runner.ts';
import { pipelineOf } from './run-files.ts';

export interface WorkerOptions extends Surroundings {
  readonly queue: JobQueue;
  /** The name of this worker. */
  readonly worker: string;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stops: Stops;
}

const BEAT_MS = 1000;

const CANCELLED: RunFault = {
  kind: 'interrupted',
  message: 'The run was cancelled.',
  advice: 'Run again to continue: the lake has the rows that landed.',
};

/** Figures of this worker since it began. */
export interface WorkerCounts {
  jobs: number;
  failedJobs: number;
  /** Chunks of loads. */
  chunks: number;
  requests: number;
  rows: number;
  isBusy: boolean;
}

/** Executes the jobs of a queue, one after another, until the first stop. */
export class Worker {
  readonly counts: WorkerCounts = {
    ...{ jobs: 0, failedJobs: 0, chunks: 0, requests: 0, rows: 0 },
    isBusy: false,
  };
  readonly #options: WorkerOptions;
  /** The run whose parts this worker fetches, open until a job of another run comes. */
  #open: { readonly run: string; readonly runner: PartRunner } | undefined;
  #isSuspect = false;
  #record: RunRecord | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async work(): Promise<void> {
    const { queue, stops, root, worker } = this.#options;
    const chunks = new ChunkRunner(root, worker, this.counts);
    await queue.join(await idOfRoot(root, windrowVersion(), localDisk));
    try {
      await queue.work(
        (job) => this.#execute(job),
        (task) => chunks.compute(task),
        stops.softStop,
      );
    } finally {
      chunks.close();
      await this.#open?.runner.close();
    }
  }

  async #execute(job: QueuedJob): Promise<JobOutcome> {
    const { queue, note, stops } = this.#options;
    if (this.#record?.run !== job.run) this.#record = await queue.recordOf(job.run);
    const record = this.#record;
    // Redis has lost the run: it is submitted again.
    if (record === undefined) return 'done';
    const cancelled = new AbortController();
    const stopBeating = await this.#beating(job, record, cancelled);
    this.counts.isBusy = true;
    try {
      if (cancelled.signal.aborted) throw cancelled.signal.reason;
      const outcome = await this.#executeUntil(job, record, cancelled.signal);
      if (outcome === 'done') this.counts.jobs += 1;
      return outcome;
    } catch (error) {
      if (cancelled.signal.aborted) {
        if (job.kind === 'end') await queue.conclude(job.run, { fault: CANCELLED });
        return 'done';
      }
      if (stops.softStop.aborted) return 'again';
      this.counts.failedJobs += 1;
      const reason = error instanceof Fault ? error.paragraph() : String(error);
      note(`A job of run ${job.run} failed: ${reason}`, 'warn');
      if (job.kind === 'part') throw error;
      await queue.conclude(job.run, { fault: faultIn(error) });
      return 'done';
    } finally {
      this.counts.isBusy = false;
      stopBeating();
    }
  }

  async #executeUntil(
    job: QueuedJob,
    record: RunRecord,
    cancelled: AbortSignal,
  ): Promise<JobOutcome> {
    const { queue, stops } = this.#options;
    const softStop = AbortSignal.any([stops.softStop, cancelled]);
    const jobStops = { ...stops, softStop };
    if (job.kind === 'end') {
      const options = { ...(await this.#shellOf(record)), run: job.run };
      return endRun(job, { ...options, queue, record, stops: jobStops });
    }
    const runner = await this.#runnerOf(record);
    const counts = await runner.run(job.part, jobStops);
    if (counts === undefined) return 'again';
    this.counts.requests += counts.requests;
    this.counts.rows += counts.rows;
    await queue.count(job.run, counts);
    return 'done';
  }

  async #shellOf(record: RunRecord): Promise<RunShellOptions> {
    const { queue, root, env, effects, note } = this.#options;
    const loaded = await pipelineOf(record);
    return { loaded, root, env, effects, note, shared: queue.shared };
  }

  async #runnerOf(record: RunRecord): Promise<PartRunner> {
    if (this.#open?.run === record.run) return this.#open.runner;
    await this.#open?.runner.close();
    this.#open = undefined;
    const options = await this.#shellOf(record);
    // Captures and submissions belong to the end of the run.
    const { stream, pending, contracts, ...pipeline } = options.loaded.pipeline;
    const loaded = { ...options.loaded, pipeline };
    this.#isSuspect = false;
    const suspicion: Suspicion = {
      isSuspect: () => this.#isSuspect,
      suspect: () => {
        this.#isSuspect = true;
        void this.#options.queue.suspect(pipeline.source.url).catch(() => undefined);
      },
    };
    const runner = await new Promise<PartRunner>((resolve, reject) => {
      const ended = onSource({ ...options, loaded }, (opened) => {
        return new Promise<void>((end) => {
          const close = async (): Promise<void> => {
            end();
            await ended;
          };
          resolve(new PartRunner(loaded, opened, suspicion, close));
        });
      });
      ended.catch(reject);
    });
    this.#open = { run: record.run, runner };
    return runner;
  }

  /** Shows this worker and its job to others, and reads what they found, once a second. */
  async #beating(
    job: QueuedJob,
    record: RunRecord,
    cancelled: AbortController,
  ): Promise<() => void> {
    const { queue, worker, effects } = this.#options;
    let before = this.#requests;
    const beat = async (): Promise<void> => {
      const requests = this.#requests;
      const figures = {
        worker,
        run: job.run,
        kind: job.kind,
        requestsPerSecond: requests - before,
      };
      before = requests;
      const source = this.#open?.runner.source ?? record.overrides.sourceUrl ?? '';
      const flags = await queue.beat(figures, source);
      this.#isSuspect ||= flags.isSuspect;
      if (flags.isCancelled) cancelled.abort(new Error('cancelled'));
    };
    await beat();
    return effects.every?.(BEAT_MS, () => void beat().catch(() => undefined)) ?? (() => undefined);
  }

  get #requests(): number {
    return this.#open?.runner.requests ?? 0;
  }
}
