import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One answered request in the metrics. Its label values are few, whatever clients send. */
export interface AnsweredRequest {
  /** The path of the endpoint in the catalogue, of a page or of a node, or `NO_ENDPOINT`. */
  readonly endpoint: string;
  readonly status: number;
  /** The code of the envelope; '' for an answer without one. */
  readonly code: string;
  readonly durationMs: number;
}

/** Memory use of the process, in bytes. */
export type MemoryUse = Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'>;

export interface Metrics {
  started(): void;
  /** Counts a request that was started before. */
  finished(answered: AnsweredRequest): void;
  /** Counts an answer that did not belong to a request: it has no duration. */
  rejected(answered: Omit<AnsweredRequest, 'durationMs'>): void;
  /** All metrics in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>;
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Upper bounds of the histogram's buckets in seconds; the last bucket has no bound. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counters that start at 0; the memory and the streams, by path, are read with each text. */
export function createMetrics(
  memory?: () => MemoryUse,
  streams: ReadonlyMap<string, { readonly clients: number }> = new Map(),
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'windrow_requests_total',
    help: 'Requests answered.',
    labelNames: ['endpoint', 'status', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'windrow_request_duration_seconds',
    help: 'Time from request to answer.',
    labelNames: ['endpoint'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const inFlight = new Gauge({
    name: 'windrow_requests_in_flight',
    help: 'Requests in progress, including this one.',
    registers,
  });
  if (streams.size > 0) {
    new Gauge({
      name: 'windrow_stream_clients',
      help: 'Clients that listen to a stream.',
      labelNames: ['endpoint'],
      registers,
      collect() {
        for (const [endpoint, { clients }] of streams) this.set({ endpoint }, clients);
      },
    });
  }
  if (memory !== undefined) {
    new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the process.',
      registers,
      collect() {
        this.set(memory().rss);
      },
    });
    new Gauge({
      name: 'windrow_heap_used_bytes',
      help: 'Heap memory in use.',
      registers,
      collect() {
        this.set(memory().heapUsed);
      },
    });
  }
  const count = ({ endpoint, status, code }: Omit<AnsweredRequest, 'durationMs'>): void => {
    requests.inc({ endpoint, status, code });
  };
  return {
    started: () => inFlight.inc(),
    finished: (answered) => {
      inFlight.dec();
      count(answered);
      const { endpoint, durationMs } = answered;
      durations.observe({ endpoint }, Math.max(0, durationMs) / 1000);
    },
    rejected: count,
    text: () => registry.metrics(),
  };
}
