/**
 * Events for a reader, who may be slower than the work: of events of kind `progressed` that wait,
 * only the newest one stays, so that the memory is bounded by the number of other events. Several
 * readers share the events, and all of them see the end.
 */
export class ProgressQueue<T extends { readonly kind: string }> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #isEnded = false;
  #error: unknown;
  readonly #readers: (() => void)[] = [];

  push(event: T): void {
    if (event.kind === 'progressed' && this.#waiting.at(-1)?.kind === 'progressed') {
      this.#waiting.pop();
    }
    this.#waiting.push(event);
    this.#wake();
  }

  /** The reader gets the events that wait, and then the error if there is one. */
  end(error?: unknown): void {
    this.#isEnded = true;
    this.#error = error;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else if (this.#isEnded) break;
      else {
        await new Promise<void>((resolve) => {
          this.#readers.push(resolve);
        });
      }
    }
    if (this.#error !== undefined) throw this.#error;
  }

  #wake(): void {
    for (const resume of this.#readers.splice(0)) resume();
  }
}
