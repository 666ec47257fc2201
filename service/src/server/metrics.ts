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
export interface MemoryUse {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
}

export interface Metrics {
  started(): void;
  /** Counts a request that was started before. */
  finished(answered: AnsweredRequest): void;
  /** Counts an answer that did not belong to a request: it has no duration. */
  rejected(answered: Omit<AnsweredRequest, 'durationMs'>): void;
  /**
   * All metrics in the text format of Prometheus, version 0.0.4, with the number of clients of each
   * stream.
   */
  text(
    memory?: MemoryUse,
    listening?: readonly (readonly [path: string, clients: number])[],
  ): string;
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Upper bounds of the histogram's buckets in seconds; the last bucket has no bound. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  /** Requests in each bucket alone. */
  readonly counts: number[];
  sumSeconds: number;
  count: number;
}

/** Counters that start at 0. */
export function createMetrics(): Metrics {
  const requests = new Map<string, number>();
  const durations = new Map<string, Histogram>();
  let inFlight = 0;

  const count = ({ endpoint, status, code }: Omit<AnsweredRequest, 'durationMs'>): void => {
    const labels = labelsOf({ endpoint, status: String(status), code });
    requests.set(labels, (requests.get(labels) ?? 0) + 1);
  };
  return {
    started: () => {
      inFlight += 1;
    },
    finished: (answered) => {
      inFlight -= 1;
      count(answered);
      const { endpoint, durationMs } = answered;
      const known = durations.get(endpoint) ?? emptyHistogram();
      durations.set(endpoint, known);
      record(known, Math.max(0, durationMs) / 1000);
    },
    rejected: count,
    text: (memory, listening = []) => {
      const families = [
        family('windrow_requests_total', 'counter', 'Requests answered.', [
          ...[...requests].map(([labels, value]) => `windrow_requests_total${labels} ${value}`),
        ]),
        family('windrow_request_duration_seconds', 'histogram', 'Time from request to answer.', [
          ...[...durations].flatMap(([endpoint, known]) => histogramLines(endpoint, known)),
        ]),
        family('windrow_requests_in_flight', 'gauge', 'Requests in progress, including this one.', [
          `windrow_requests_in_flight ${inFlight}`,
        ]),
        ...(listening.length === 0 ? [] : [streamFamily(listening)]),
        ...(memory === undefined ? [] : memoryFamilies(memory)),
      ];
      return families.join('');
    },
  };
}

function emptyHistogram(): Histogram {
  return { counts: BUCKETS_SECONDS.map(() => 0), sumSeconds: 0, count: 0 };
}

function record(histogram: Histogram, seconds: number): void {
  histogram.count += 1;
  histogram.sumSeconds += seconds;
  const bucket = BUCKETS_SECONDS.findIndex((bound) => seconds <= bound);
  if (bucket >= 0) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
}

/** Buckets are cumulative in the format: each includes those below it. */
function histogramLines(endpoint: string, { counts, sumSeconds, count }: Histogram): string[] {
  const name = 'windrow_request_duration_seconds';
  let below = 0;
  const buckets = BUCKETS_SECONDS.map((bound, at) => {
    below += counts[at] ?? 0;
    return `${name}_bucket${labelsOf({ endpoint, le: String(bound) })} ${below}`;
  });
  const labels = labelsOf({ endpoint });
  return [
    ...buckets,
    `${name}_bucket${labelsOf({ endpoint, le: '+Inf' })} ${count}`,
    `${name}_sum${labels} ${sumSeconds}`,
    `${name}_count${labels} ${count}`,
  ];
}

function streamFamily(listening: readonly (readonly [string, number])[]): string {
  const name = 'windrow_stream_clients';
  const lines = listening.map(
    ([path, clients]) => `${name}${labelsOf({ endpoint: path })} ${clients}`,
  );
  return family(name, 'gauge', 'Clients that listen to a stream.', lines);
}

function memoryFamilies({ residentBytes, heapUsedBytes }: MemoryUse): string[] {
  return [
    family('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', [
      `process_resident_memory_bytes ${residentBytes}`,
    ]),
    family('windrow_heap_used_bytes', 'gauge', 'Heap memory in use.', [
      `windrow_heap_used_bytes ${heapUsedBytes}`,
    ]),
  ];
}

function family(name: string, type: string, help: string, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
