/**
 * Gives others their turn between two slices of a long computation. Rejects where the computation
 * is to end.
 */
export type Pause = () => Promise<void>;

/**
 * One slice at a time: however many computations go on, each slice follows a pause of its own, in
 * the order of asking, so that everything else waits for one slice and not for all of them.
 */
export function takingTurns(pause: Pause): Pause {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const turn = last.then(pause);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Takes all steps, with a pause before each. */
export async function inSteps<T>(steps: Iterator<unknown, T>, pause: Pause): Promise<T> {
  for (;;) {
    await pause();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
