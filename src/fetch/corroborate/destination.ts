import type { Fetched, FetchSettings } from '../fetch-slice.ts';
import { CallFailure } from '../http/call-failure.ts';

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

/** Where a request gets no answer, the parts fail; a source that refuses all ends the run. */
export async function failing(
  held: readonly (Destination & { readonly part: Fetched })[],
  judge: () => Promise<void>,
): Promise<void> {
  try {
    await judge();
  } catch (error) {
    const isForAll =
      !(error instanceof CallFailure) || error.outcome === 'auth' || error.outcome === 'stop';
    if (isForAll) throw error;
    for (const { part, fail } of held) fail(part, error.message);
  }
}
