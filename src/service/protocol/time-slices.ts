/**
 * Long computations share the process with all other requests: they run in slices of a few
 * milliseconds, and one computation at a time has a slice.
 */
export interface TimeSlices {
  /** Whether the current slice has used up its time: then a computation has to await `next`. */
  isOver(): boolean;
  /**
   * Lets waiting requests run, then starts the next slice. Computations that wait for a slice get
   * them in the order of their calls. Rejects where computations have to stop.
   */
  next(): Promise<void>;
}

export interface TimeSlicesOptions {
  /** Lets everything else run once. Rejects where computations have to stop. */
  readonly pause: () => Promise<void>;
  /** Milliseconds of any clock. */
  readonly now: () => number;
  /** Default 10. */
  readonly sliceMs?: number;
}

const SLICE_MS = 10;

/** One slice without an end, for callers that nothing else waits for. */
export const ENDLESS_SLICE: TimeSlices = { isOver: () => false, next: async () => {} };

/** Slices by the clock. */
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

/** Takes all steps, in as many slices as they need. */
export async function inSlices<T>(steps: Iterator<unknown, T>, slices: TimeSlices): Promise<T> {
  for (;;) {
    if (slices.isOver()) await slices.next();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
