export type RetryClass = 'throttle' | 'transient' | 'timestamp';

interface Traffic {
  readonly requests: number;
  readonly replies: number;
  /** Requests that the source refused for its rate limit. */
  readonly rejections: number;
  readonly retries: Readonly<Record<RetryClass, number>>;
  /** Bytes of the decoded bodies. */
  readonly bytes: number;
}

export interface ClientStatistics extends Traffic {
  readonly byEndpoint: Readonly<Record<string, Traffic>>;
}

interface Counts {
  requests: number;
  replies: number;
  rejections: number;
  retries: Record<RetryClass, number>;
  bytes: number;
}

/** Counts the traffic of each endpoint and of all endpoints together. */
export class TrafficCounter {
  readonly #total = noTraffic();
  readonly #byEndpoint = new Map<string, Counts>();

  requested(path: string): void {
    this.#count(path, (counts) => {
      counts.requests += 1;
    });
  }

  received(path: string, bytes: number): void {
    this.#count(path, (counts) => {
      counts.bytes += bytes;
    });
  }

  replied(path: string): void {
    this.#count(path, (counts) => {
      counts.replies += 1;
    });
  }

  rejected(path: string): void {
    this.#count(path, (counts) => {
      counts.rejections += 1;
    });
  }

  retried(path: string, why: RetryClass): void {
    this.#count(path, (counts) => {
      counts.retries[why] += 1;
    });
  }

  statistics(): ClientStatistics {
    const copies = [...this.#byEndpoint].map(([path, counts]) => [path, copyOf(counts)] as const);
    return { ...copyOf(this.#total), byEndpoint: Object.fromEntries(copies) };
  }

  #count(path: string, add: (counts: Counts) => void): void {
    const earlierCounts = this.#byEndpoint.get(path);
    const counts = earlierCounts ?? noTraffic();
    if (earlierCounts === undefined) this.#byEndpoint.set(path, counts);
    add(counts);
    add(this.#total);
  }
}

/** `structuredClone` is much slower, and a progress line asks after every slice. */
function copyOf(counts: Counts): Traffic {
  return { ...counts, retries: { ...counts.retries } };
}

function noTraffic(): Counts {
  const retries = { throttle: 0, transient: 0, timestamp: 0 };
  return { requests: 0, replies: 0, rejections: 0, retries, bytes: 0 };
}
