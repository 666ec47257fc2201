import type { FetchedPart } from '../../coverage/slice-part.ts';
import { CallFailure } from '../http/call-failure.ts';
import type { SourceSettings } from '../walk/walk.ts';

/** The settings to fetch a slice with, and the functions that receive its parts. */
export interface Destination {
  /** The head of the chain, as the plan has it. */
  readonly head: number;
  readonly settings: SourceSettings;
  readonly land: (part: FetchedPart, as: LandsAs) => Promise<void>;
  /** Reports a part that cannot be corroborated because a request got no answer. */
  readonly fail: (part: FetchedPart, reason: string) => void;
}

/** A part that waits for corroboration. */
export interface HeldPart extends Destination {
  readonly part: FetchedPart;
}

/**
 * `new`: this run has landed no other part of the slice. `refuting`: the part replaces the claim of
 * an earlier part. `suspended`: the part withdraws that claim until the slice is read again.
 */
export type LandsAs = 'new' | 'refuting' | 'suspended';

/**
 * Runs `judge`. Where one of its requests gets no answer, the parts fail. A failure that ends the
 * source (`auth` or `stop`) is thrown.
 */
export async function failing(
  held: readonly HeldPart[],
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

/** Withdraws the claim of a part that was landed. */
export async function withdraw({ part, land }: HeldPart, reason: string): Promise<void> {
  await land({ ...part, status: 'inconsistent', reason, requests: 0 }, 'suspended');
}
