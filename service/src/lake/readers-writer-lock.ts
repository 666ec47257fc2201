/**
 * A readers-writer lock. Shared work runs concurrently; exclusive work runs alone. Waiting work
 * starts in the order of the calls.
 */
export class ReadersWriterLock {
  #together = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  /** Starts when all exclusive work that was requested earlier has ended. */
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

  /** Starts when all work that was requested earlier has ended. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const before = Promise.all([this.#alone, ...this.#together]);
    const turn = before.then(work);
    this.#alone = turn.catch(() => undefined);
    return turn;
  }
}
