/** Recent measurements of a source: granted requests and latencies. */
export interface Throughput {
  /** `weight` is the number of granted requests that this one stands for. */
  granted(nowMs: number, latencyMs: number, weight: number): void;
  /** Requests granted per second over the last `windowMs`, at most a minute. */
  goodput(nowMs: number, windowMs: number): number;
  /** Median latency of the last 64 granted requests; `UNKNOWN_LATENCY_MS` before the first. */
  medianLatencyMs(): number;
}

/** High, so that an unknown latency does not limit a fast start. */
const UNKNOWN_LATENCY_MS = 1000;
const LATENCIES = 64;
/** Grants between two sorts of the latencies, because sorting costs more than sending. */
const GRANTS_PER_MEDIAN = 16;

export function createThroughput(): Throughput {
  const lately = createTally(50, 2000);
  const overall = createTally(1000, 60_000);
  const latencies: number[] = [];
  let grants = 0;
  let medianMs = UNKNOWN_LATENCY_MS;
  return {
    granted: (nowMs, latencyMs, weight) => {
      lately.add(nowMs, weight);
      overall.add(nowMs, weight);
      latencies[grants % LATENCIES] = latencyMs;
      grants += 1;
      if (grants <= GRANTS_PER_MEDIAN || grants % GRANTS_PER_MEDIAN === 0) {
        medianMs = median(latencies);
      }
    },
    goodput: (nowMs, windowMs) => {
      const tally = windowMs <= 2000 ? lately : overall;
      return (tally.countSince(nowMs, windowMs) * 1000) / windowMs;
    },
    medianLatencyMs: () => medianMs,
  };
}

/** Counts events in time buckets that together cover `spanMs`. */
function createTally(bucketMs: number, spanMs: number) {
  // One more than the span needs, because the newest bucket is still filling.
  const size = spanMs / bucketMs + 1;
  const counts = new Float64Array(size);
  let newest = 0;

  const moveTo = (nowMs: number): void => {
    const bucket = Math.max(newest, Math.floor(nowMs / bucketMs));
    const passed = Math.min(size, bucket - newest);
    for (let at = bucket - passed + 1; at <= bucket; at += 1) counts[at % size] = 0;
    newest = bucket;
  };

  return {
    add: (nowMs: number, weight: number): void => {
      moveTo(nowMs);
      counts[newest % size] = (counts[newest % size] ?? 0) + weight;
    },
    countSince: (nowMs: number, windowMs: number): number => {
      moveTo(nowMs);
      const buckets = Math.min(size - 1, Math.ceil(windowMs / bucketMs));
      let sum = 0;
      for (let back = 0; back < buckets; back += 1) sum += counts[(newest - back) % size] ?? 0;
      // The part of the oldest bucket inside the window equals the missing part of the newest one.
      const short = newest + 1 - nowMs / bucketMs;
      return sum + short * (counts[(newest - buckets) % size] ?? 0);
    },
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? UNKNOWN_LATENCY_MS;
}
