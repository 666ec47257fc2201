import type { PlannedRequest } from './plan.ts';

/** The result of a price probe: samples of lists without commits. */
export interface ProbeResult {
  /** Number of records of each sampled slice; never empty. */
  readonly lists: ReadonlyMap<PlannedRequest, readonly number[]>;
  /** For requests whose keys come from rows of other requests. */
  readonly keys: ReadonlyMap<PlannedRequest, ProbedKeys>;
  /** Requests of the probe. */
  readonly requests: number;
  /** Seed of the choice of slices. */
  readonly seed: string;
}

export interface ProbedKeys {
  /** Distinct keys per record of the lists that the keys come from. */
  readonly keysPerRecord: number;
  /** Keys per request. */
  readonly keysPerSlice: number;
  /** Number of records of each sampled slice of such keys; never empty. */
  readonly records: readonly number[];
}
