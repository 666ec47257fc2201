import { z } from 'zod';

const tallySchema = z.object({
  bucketMs: z.number().positive(),
  /** Number of the newest bucket since the Unix epoch. */
  newest: z.int(),
  counts: z.array(z.number()).min(2),
});
/** Counts events in time buckets; `counts` is a ring with one place per bucket. */
type Tally = z.infer<typeof tallySchema>;

export const throughputSchema = z.object({
  lately: tallySchema,
  overall: tallySchema,
  latencies: z.array(z.number()),
  grants: z.int(),
  /**
   * Median latency of the last 64 granted requests; `UNKNOWN_LATENCY_MS` before the first.
   */
  medianLatencyMs: z.number(),
});
/** Recent measurements of a source: granted requests and latencies. */
export type Throughput = z.infer<typeof throughputSchema>;

/** High, so that an unknown latency does not limit a fast start. */
const UNKNOWN_LATENCY_MS = 1000;
const LATENCIES = 64;
/** Grants between two sorts of the latencies, because sorting costs more than sending. */
const GRANTS_PER_MEDIAN = 16;

export function newThroughput(): Throughput {
  return {
    lately: newTally(50, 2000),
    overall: newTally(1000, 60_000),
    latencies: [],
    grants: 0,
    medianLatencyMs: UNKNOWN_LATENCY_MS,
  };
}

export function countGrant(throughput: Throughput, nowMs: number, latencyMs: number): void {
  count(throughput.lately, nowMs);
  count(throughput.overall, nowMs);
  throughput.latencies[throughput.grants % LATENCIES] = latencyMs;
  throughput.grants += 1;
  const { grants } = throughput;
  if (grants <= GRANTS_PER_MEDIAN || grants % GRANTS_PER_MEDIAN === 0) {
    throughput.medianLatencyMs = median(throughput.latencies);
  }
}

/** Requests granted per second over the last `windowMs`, at most a minute. */
export function goodput(throughput: Throughput, nowMs: number, windowMs: number): number {
  const tally = windowMs <= 2000 ? throughput.lately : throughput.overall;
  return (countSince(tally, nowMs, windowMs) * 1000) / windowMs;
}

/** Its buckets cover `spanMs`, and one more, because the newest bucket is still filling. */
function newTally(bucketMs: number, spanMs: number): Tally {
  return { bucketMs, newest: 0, counts: new Array<number>(spanMs / bucketMs + 1).fill(0) };
}

function moveTo(tally: Tally, nowMs: number): void {
  const { counts, newest } = tally;
  const bucket = Math.max(newest, Math.floor(nowMs / tally.bucketMs));
  const passed = Math.min(counts.length, bucket - newest);
  for (let at = bucket - passed + 1; at <= bucket; at += 1) counts[at % counts.length] = 0;
  tally.newest = bucket;
}

/** Counts an event, which another process may report later than newer ones. */
function count(tally: Tally, atMs: number): void {
  moveTo(tally, atMs);
  const { counts, newest } = tally;
  const bucket = Math.floor(atMs / tally.bucketMs);
  if (newest - bucket >= counts.length) return;
  counts[bucket % counts.length] = (counts[bucket % counts.length] ?? 0) + 1;
}

function countSince(tally: Tally, nowMs: number, windowMs: number): number {
  moveTo(tally, nowMs);
  const { bucketMs, counts, newest } = tally;
  const size = counts.length;
  const buckets = Math.min(size - 1, Math.ceil(windowMs / bucketMs));
  let sum = 0;
  for (let back = 0; back < buckets; back += 1) sum += counts[(newest - back) % size] ?? 0;
  // The part of the oldest bucket inside the window equals the missing part of the newest one.
  const short = newest + 1 - nowMs / bucketMs;
  return sum + short * (counts[(newest - buckets) % size] ?? 0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? UNKNOWN_LATENCY_MS;
}
