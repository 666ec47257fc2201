export type RetryClass = 'throttle' | 'transient' | 'timestamp';

interface Traffic {
  requests: number;
  replies: number;
  /** Requests that the source refused for its rate limit. */
  rejections: number;
  retries: Record<RetryClass, number>;
  /** Bytes of the decoded bodies. */
  bytes: number;
}

export interface ClientStatistics extends Readonly<Traffic> {
  readonly byEndpoint: Readonly<Record<string, Readonly<Traffic>>>;
}

/** Counts the traffic of each endpoint and of all endpoints together. */
export class TrafficCounter {
  readonly #total = noTraffic();
  readonly #byEndpoint = new Map<string, Traffic>();

  count(path: string, figure: Exclude<keyof Traffic, 'retries'>, amount = 1): void {
    for (const traffic of this.#bothOf(path)) traffic[figure] += amount;
  }

  retried(path: string, why: RetryClass): void {
    for (const { retries } of this.#bothOf(path)) retries[why] += 1;
  }

  statistics(): ClientStatistics {
    const copies = [...this.#byEndpoint].map(([path, traffic]) => [path, copyOf(traffic)] as const);
    return { ...copyOf(this.#total), byEndpoint: Object.fromEntries(copies) };
  }

  #bothOf(path: string): readonly Traffic[] {
    const traffic = this.#byEndpoint.get(path) ?? noTraffic();
    this.#byEndpoint.set(path, traffic);
    return [traffic, this.#total];
  }
}

/** `structuredClone` is much slower, and a progress line asks after every slice. */
function copyOf(traffic: Traffic): Traffic {
  return { ...traffic, retries: { ...traffic.retries } };
}

function noTraffic(): Traffic {
  const retries = { throttle: 0, transient: 0, timestamp: 0 };
  return { requests: 0, replies: 0, rejections: 0, retries, bytes: 0 };
}
