/**
 * Lets work that may be done together wait for work that must be done alone, and the other way
 * round. Whoever waits is let in in the order of asking.
 */
export class Turns {
  #together = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  /** Begins when no work alone was asked for before, or all of it has ended. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#alone.then(work);
    const settled = turn.catch(() => undefined);
    this.#together.add(settled);
    try {
      return await turn;
    } finally {
      this.#together.delete(settled);
    }
  }

  /** Begins when everything that was asked for before has ended. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const before = Promise.all([this.#alone, ...this.#together]);
    const turn = before.then(work);
    this.#alone = turn.catch(() => undefined);
    return turn;
  }
}
