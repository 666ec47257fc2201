import type { Fetched, FetchSettings } from '../fetch-slice.ts';

/** How a slice is fetched, and where its parts go. */
export interface Destination {
  readonly settings: FetchSettings;
  readonly land: (part: Fetched, as: LandsAs) => Promise<void>;
  /** The part cannot be corroborated, because a request got no answer. */
  readonly fail: (part: Fetched, reason: string) => void;
}

/**
 * `new`: nothing of its slice was landed by this run; `refuting`: it takes back what an earlier
 * part said; `suspended`: it takes that back until the slice is read again.
 */
export type LandsAs = 'new' | 'refuting' | 'suspended';
