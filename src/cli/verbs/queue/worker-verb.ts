import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseDuration } from '../../../pipeline/syntax/duration.ts';
import type { Stops } from '../../../run/interruption.ts';
import { openMetricsPort } from '../../../run/metrics/metrics-port.ts';
import { addressIn } from '../../../run/metrics/open-metrics.ts';
import type { JobQueue } from '../../../run/queue/job-queue.ts';
import { withQueue } from '../../../run/queue/open-queue.ts';
import { Worker, type WorkerCounts } from '../../../run/workers/execute-jobs.ts';
import { effectsOf } from '../../job/console-surroundings.ts';
import { stoppingOnSignals } from '../../job/stop-signals.ts';
import { many } from '../../terminal/console.ts';
import { data, metricsOptions, needed, queue, textOption, toggle } from '../../terminal/options.ts';
import type { VerbOf, VerbResult } from '../../terminal/verb-result.ts';

export const workerOptions = {
  options: {
    queue: needed(queue),
    data,
    metricsPort: metricsOptions.metricsPort,
    patience: textOption('Longest time without Redis before the worker ends', '10m'),
    verbose: toggle('Print debug messages'),
  },
  examples: {
    '$0 worker --queue redis://HOST:6379/0': 'work until interrupted; start any number',
  },
};

/** Longest time for the open slices of a job after an interruption. */
const STOP_WITHIN_MS = 30_000;

/** `windrow worker`: executes jobs of queued runs. The first signal ends it after open slices. */
export const workerVerb: VerbOf<typeof workerOptions> = async (input, output) => {
  const effects = effectsOf(output, input.verbose);
  const name = `${hostname()}-${process.pid}`;
  const patienceMs = parseDuration(input.patience, '--patience');
  const opening = { url: input.queue, worker: name, patienceMs, effects, env: process.env };
  const limits = { limits: { stopWithinMs: STOP_WITHIN_MS } };
  const work = async (opened: JobQueue, stops: () => Stops): Promise<VerbResult> => {
    const setup = { worker: name, root: resolve(input.data), env: process.env, stops: stops() };
    const worker = new Worker({ effects, note: output.note, ...setup, queue: opened });
    const at = input.metricsPort;
    const port = at
      ? await openMetricsPort(addressIn(at), () => exposition(worker.counts))
      : undefined;
    output.note(`The worker ${name} waits for jobs.`);
    await worker.work().finally(() => port?.close());
    const { jobs, chunks, requests, rows } = worker.counts;
    const fetched = `${many(requests, 'request')}, ${many(rows, 'row')}`;
    const work = `${many(jobs, 'job')}, ${fetched}, ${many(chunks, 'chunk')}`;
    const document = { worker: name, ...worker.counts };
    return { document, lines: [`The worker ended after ${work}.`], exitCode: 0 as const };
  };
  return withQueue(opening, (opened) =>
    stoppingOnSignals(output, limits, (stops) => work(opened, stops)),
  );
};

/** The figures in the text format of Prometheus. */
async function exposition(counts: WorkerCounts): Promise<string> {
  const figures: Readonly<Record<string, readonly [string, number]>> = {
    jobs_total: ['Jobs that ended well.', counts.jobs],
    failed_jobs_total: ['Jobs that failed.', counts.failedJobs],
    chunks_total: ['Chunks of loads that were computed.', counts.chunks],
    requests_total: ['Requests of jobs that ended.', counts.requests],
    rows_total: ['Rows that landed.', counts.rows],
    busy: ['1 while a job is executed.', counts.isBusy ? 1 : 0],
  };
  const { default: client } = await import('prom-client');
  const registry = new client.Registry();
  for (const [name, [help, value]] of Object.entries(figures)) {
    const metric = { name: `windrow_worker_${name}`, help, registers: [registry] };
    const isCounter = name.endsWith('_total');
    (isCounter ? new client.Counter(metric) : new client.Gauge(metric)).inc(value);
  }
  return registry.metrics();
}
