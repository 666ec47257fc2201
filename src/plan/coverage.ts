import type { Interval } from './ranges.ts';

export type Status =
  | 'complete'
  | 'provisional'
  | 'truncated'
  | 'depth_limited'
  | 'inconsistent'
  | 'failed';

/** What is known of one key on one interval, for one endpoint and variant. */
export interface CoverageEntry extends Interval {
  readonly endpoint: string;
  readonly variant: string;
  readonly key: string;
  readonly status: Status;
  /** Why, in words an analyst understands; '' where the status says all. */
  readonly reason: string;
  /** Head of the chain when it was read. */
  readonly head: number;
  /** Milliseconds since the Unix epoch. */
  readonly readAtMs: number;
}
