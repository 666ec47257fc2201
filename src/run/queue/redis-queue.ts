import { once } from 'node:events';
import type { FlowProducer, Job, Queue } from 'bullmq';
import { Fault } from '../../fault.ts';
import type { SharedState } from '../shared-key/shared-state.ts';
import type {
  ChunkOutcome,
  ChunkTask,
  Compute,
  Conclusion,
  EndJob,
  Execute,
  Flags,
  JobQueue,
  JobQueueOptions,
  PartJob,
  QueuedJob,
  QueuedRunState,
  QueueStatus,
  RunRecord,
  WorkerFigures,
} from './job-queue.ts';
import { openRedis, packageOf, type RedisServer, sharedKey } from './redis.ts';
import { redisShared } from './redis-shared.ts';

const NAME = 'jobs';
const CHUNKS = 'chunks';
const PREFIX = '{windrow}';
/** A job of a killed worker is given to another one after the lock and a check. */
const LOCK = { lockDuration: 10_000, stalledInterval: 5000, maxStalledCount: 5 };
/** Without delays: these are times of the clock of a worker, which may be wrong. */
const ATTEMPTS = { attempts: 5 };
const REMOVED = { removeOnComplete: true, removeOnFail: { count: 1000 } };
const KEPT_SECONDS = 7 * 86_400;
/** Outcomes that no load takes. */
const OUTCOME = { age: 3600 };
const SUSPECT_SECONDS = 3600;
/** A worker that was silent for this long has ended. */
const SILENT_MS = 15_000;
/** Runs that `status` shows. */
const SHOWN_RUNS = 10;

const RUNS = sharedKey('runs', 'all');
const WORKERS = sharedKey('workers', 'all');
const LAKE = sharedKey('lake', 'all');

/** Stores the figures of a worker with the time of Redis. */
const BEAT = `
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], time[1] .. ' ' .. ARGV[2])
return { redis.call('HEXISTS', KEYS[2], 'cancelled'), redis.call('EXISTS', KEYS[3]) }`;

/** Opens the queue at an address of Redis. Its packages are loaded here, and nowhere else. */
export async function openRedisQueue(options: JobQueueOptions): Promise<JobQueue> {
  const redis = await openRedis(options);
  return new RedisQueue(options, redis, await packageOf(() => import('bullmq')));
}

class RedisQueue implements JobQueue {
  readonly shared: SharedState;
  readonly #options: JobQueueOptions;
  readonly #redis: RedisServer;
  readonly #bull: typeof import('bullmq');
  readonly #queue: Queue;
  readonly #chunks: Queue<ChunkTask, ChunkOutcome>;
  readonly #flows: FlowProducer;

  constructor(options: JobQueueOptions, redis: RedisServer, bull: typeof import('bullmq')) {
    this.#options = options;
    this.#redis = redis;
    this.#bull = bull;
    this.shared = redisShared(redis, options.worker, options.effects);
    const connecting = { connection: redis.client, prefix: PREFIX };
    this.#queue = new bull.Queue(NAME, connecting);
    this.#chunks = new bull.Queue(CHUNKS, connecting);
    this.#flows = new bull.FlowProducer(connecting);
    this.#queue.on('error', (error) => this.#failed(error));
    this.#chunks.on('error', (error) => this.#failed(error));
    this.#flows.on('error', (error) => this.#failed(error));
  }

  async begin({ files, ...record }: RunRecord): Promise<void> {
    const { client } = this.#redis;
    const { run } = record;
    await client.set(sharedKey('files', run), JSON.stringify(files), 'EX', KEPT_SECONDS);
    await client.hset(sharedKey('run', run), 'record', JSON.stringify(record));
    await client.expire(sharedKey('run', run), KEPT_SECONDS);
    await client.zadd(RUNS, this.#options.effects.now(), run);
    const isQueued = { given: false, found: false };
    await this.add({ kind: 'end', run, round: 0, isQueued }, []);
  }

  async recordOf(run: string): Promise<RunRecord | undefined> {
    const record = await this.#redis.client.hget(sharedKey('run', run), 'record');
    const files = await this.#redis.client.get(sharedKey('files', run));
    if (record === null || files === null) return undefined;
    return { ...JSON.parse(record), files: JSON.parse(files) };
  }

  async add(end: EndJob, parts: readonly PartJob[]): Promise<void> {
    const { run, round } = end;
    const more = { ...REMOVED, ...ATTEMPTS, ignoreDependencyOnFailure: true };
    await this.count(run, { queuedParts: parts.length });
    await this.#flows.add({
      name: 'end',
      queueName: NAME,
      data: end,
      opts: { ...REMOVED, jobId: `${run}-${round}` },
      children: parts.map((part, i) => ({
        name: 'part',
        queueName: NAME,
        data: part,
        opts: { ...more, jobId: `${run}-${round}-${i}` },
      })),
    });
  }

  async join(lake: string): Promise<void> {
    const { client, answered } = this.#redis;
    await answered(client.set(LAKE, lake, 'NX'));
    const held = await answered(client.get(LAKE));
    if (held === lake) return;
    throw new Fault('configuration', 'The workers of this queue write to another data root.', {
      where: this.#options.url,
      advice:
        'Give all workers the same --data, or use another database of Redis, as in ' +
        `redis://HOST:6379/1. If the other data root is gone: redis-cli DEL '${LAKE}'.`,
    });
  }

  async addChunk(id: string, task: ChunkTask): Promise<void> {
    const options = { ...ATTEMPTS, jobId: id, removeOnComplete: OUTCOME, removeOnFail: OUTCOME };
    await this.#redis.answered(this.#chunks.add('chunk', task, options));
  }

  async takeOutcome(id: string): Promise<ChunkOutcome | undefined> {
    const { answered } = this.#redis;
    const state = await answered(this.#chunks.getJobState(id));
    if (!['completed', 'failed', 'unknown'].includes(state)) return undefined;
    const job = await answered(this.#chunks.getJob(id));
    const advice = 'The curated tables are unchanged: load again. Logs of workers may have more.';
    if (job === undefined) throw new Fault('lake', 'Redis has lost a chunk.', { advice });
    await answered(job.remove());
    const message = `No worker could compute a chunk: ${job.failedReason}.`;
    return job.returnvalue ?? { fault: { kind: 'lake', message, advice } };
  }

  async dropChunk(id: string): Promise<void> {
    await this.#redis.answered(this.#chunks.remove(id)).catch(() => undefined);
  }

  async work(execute: Execute, compute: Compute, stop: AbortSignal): Promise<void> {
    const { WaitingError, Worker } = this.#bull;
    const process = async (job: Job<QueuedJob>, token?: string): Promise<void> => {
      if (!stop.aborted && (await execute(job.data)) === 'done') return this.#ended(job);
      await job.moveToWait(token);
      throw new WaitingError();
    };
    const { client: connection } = this.#redis;
    const options = { ...LOCK, connection, prefix: PREFIX, name: this.#options.worker };
    const worker = new Worker<QueuedJob, void>(NAME, process, options);
    const chunk = ({ data }: Job<ChunkTask>): Promise<ChunkOutcome> => compute(data);
    const computing = new Worker<ChunkTask, ChunkOutcome>(CHUNKS, chunk, options);
    for (const reader of [worker, computing]) reader.on('error', (error) => this.#failed(error));
    // The id of a job begins with its run.
    const runOf = (id: string) => id.split('-').slice(0, 2).join('-');
    worker.on('stalled', (id) => void this.count(runOf(id), { stalled: 1 }));
    worker.on('failed', (job, error) => {
      if (job === undefined || job.attemptsMade < (job.opts.attempts ?? 1)) return;
      void this.#lost(job.data, error).catch(() => undefined);
    });
    if (!stop.aborted) await once(stop, 'abort');
    await Promise.all([worker.close(), computing.close()]);
  }

  /** Counts a part once, though a worker that was stopped executed it again. */
  async #ended({ data: { kind, run }, id = '' }: Job<QueuedJob>): Promise<void> {
    const { client } = this.#redis;
    if (kind !== 'part') return;
    if ((await client.sadd(sharedKey('ended', run), id)) === 1) await this.count(run, { parts: 1 });
    await client.expire(sharedKey('ended', run), KEPT_SECONDS);
  }

  /** The last attempt of a job has failed. */
  async #lost({ kind, run }: QueuedJob, error: Error): Promise<void> {
    if (kind === 'part') return this.count(run, { failedParts: 1 });
    const message = `No worker could end the run: ${error.message}.`;
    const advice = 'Run again to continue: the lake has the rows that landed.';
    return this.conclude(run, { fault: { kind: 'lake', message, advice } });
  }

  async count(run: string, counts: QueuedRunState['counts']): Promise<void> {
    const { client } = this.#redis;
    for (const [name, count] of Object.entries(counts)) {
      if (count > 0) await client.hincrby(sharedKey('run', run), name, count);
    }
  }

  async conclude(run: string, conclusion: Conclusion): Promise<void> {
    await this.#redis.client.hset(sharedKey('run', run), 'conclusion', JSON.stringify(conclusion));
  }

  async stateOf(run: string): Promise<QueuedRunState | undefined> {
    const { client, answered } = this.#redis;
    const fields = await answered(client.hgetall(sharedKey('run', run)));
    const { record, conclusion, cancelled, ...counts } = fields;
    if (record === undefined) return undefined;
    return {
      counts: Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, Number(n)])),
      conclusion: conclusion === undefined ? undefined : JSON.parse(conclusion),
      isCancelled: cancelled !== undefined,
    };
  }

  async cancel(run: string): Promise<void> {
    await this.#redis.client.hset(sharedKey('run', run), 'cancelled', '1');
  }

  async beat(figures: WorkerFigures, source: string): Promise<Flags> {
    const keys = [WORKERS, sharedKey('run', figures.run), sharedKey('suspect', source)];
    const answer = await this.#redis.run(BEAT, keys, [figures.worker, JSON.stringify(figures)]);
    const [cancelled, suspect] = answer as [number, number];
    return { isCancelled: cancelled === 1, isSuspect: suspect === 1 };
  }

  async suspect(source: string): Promise<void> {
    await this.#redis.client.set(sharedKey('suspect', source), '1', 'EX', SUSPECT_SECONDS);
  }

  async status(): Promise<QueueStatus> {
    const { client } = this.#redis;
    const states = ['waiting', 'delayed', 'active', 'failed'] as const;
    const { waiting = 0, delayed = 0, ...jobs } = await this.#queue.getJobCounts(...states);
    const [seconds] = await client.time();
    const workers: WorkerFigures[] = [];
    for (const [worker, beat] of Object.entries(await client.hgetall(WORKERS))) {
      const [at, figures = ''] = beat.split(/ (.*)/s);
      if (Number(seconds) - Number(at) < SILENT_MS / 1000) workers.push(JSON.parse(figures));
      else await client.hdel(WORKERS, worker);
    }
    const runs: (QueuedRunState & { readonly run: string })[] = [];
    for (const run of await client.zrange(RUNS, 0, SHOWN_RUNS - 1, 'REV')) {
      const state = await this.stateOf(run);
      if (state === undefined) await client.zrem(RUNS, run);
      else runs.push({ run, ...state });
    }
    const { active = 0, failed = 0 } = jobs;
    return { waiting: waiting + delayed, active, failed, workers, runs };
  }

  async risk() {
    const { client, answered } = this.#redis;
    const value = async (name: string): Promise<string> => {
      const [, text = ''] = (await answered(client.config('GET', name))) as string[];
      return text;
    };
    const settings = { appendonly: 'yes', 'maxmemory-policy': 'noeviction' };
    const others: string[] = [];
    for (const [name, safe] of Object.entries(settings)) {
      const text = await value(name);
      if (text !== safe) others.push(`${name} ${text}`);
    }
    if (others.length === 0) return undefined;
    const remedy = 'Set appendonly yes and maxmemory-policy noeviction in redis.conf.';
    return { text: `Redis may lose jobs (${others.join(', ')}).`, remedy };
  }

  async close(): Promise<void> {
    await this.#queue.close();
    await this.#chunks.close();
    await this.#flows.close();
    await this.#redis.close();
  }

  #failed(error: Error): void {
    this.#options.effects.log('debug', `Queue: ${error.message}`);
  }
}
