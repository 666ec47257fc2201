import type { PlannedRequest } from './plan.ts';

/** What a few requests tell of lists that nothing has landed of yet. */
export interface Probed {
  readonly lists: ReadonlyMap<PlannedRequest, ProbedList>;
  /** Of requests whose keys are found in the rows of others. */
  readonly found: ReadonlyMap<PlannedRequest, ProbedKeys>;
  /** Requests that it took. */
  readonly requests: number;
  /** Chooses what is asked: the same for the same text. */
  readonly seed: string;
}

export interface ProbedList {
  /** Records of each slice that was asked for its first page; never empty. */
  readonly records: readonly number[];
}

export interface ProbedKeys {
  /** Distinct keys for each record of the lists that name them. */
  readonly keysPerRecord: number;
  /** Keys of one request. */
  readonly keysPerSlice: number;
  /** Records of each slice of such keys that was asked; never empty. */
  readonly records: readonly number[];
}
