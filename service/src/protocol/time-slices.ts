/**
 * Long computations share the process with all other requests. They run in slices of a few
 * milliseconds, and only one computation has a slice at a time.
 */
export interface TimeSlices {
  /** Whether the current slice has used up its time. The computation must then await `next`. */
  isOver(): boolean;
  /**
   * Lets waiting requests run, then starts the next slice. Waiting computations get slices in the
   * order of their calls. Rejects if computations must stop.
   */
  next(): Promise<void>;
}

export interface TimeSlicesOptions {
  /** Lets all other work run once. Rejects if computations must stop. */
  readonly pause: () => Promise<void>;
  /** Milliseconds of any clock. */
  readonly now: () => number;
  /** Default 10. */
  readonly sliceMs?: number;
}

const SLICE_MS = 10;

/** One slice without an end, for callers that block no other work. */
export const ENDLESS_SLICE: TimeSlices = { isOver: () => false, next: async () => {} };

/** Slices that are timed by the clock. */
export function timeSlices({ pause, now, sliceMs = SLICE_MS }: TimeSlicesOptions): TimeSlices {
  let startMs = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  return {
    isOver: () => {
      const usedMs = now() - startMs;
      // A clock that was set back says nothing about the slice.
      return usedMs < 0 || usedMs >= sliceMs;
    },
    next: () => {
      const next = last.then(pause).then(() => {
        startMs = now();
      });
      last = next.catch(() => undefined);
      return next;
    },
  };
}
