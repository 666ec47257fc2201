import { EventEmitter, once } from 'node:events';

/**
 * Events for a reader, who may be slower than the work: of events of kind `progressed` that wait,
 * only the newest one stays, so that the memory is bounded by the number of other events. Several
 * readers share the events, and all of them see the end.
 */
export class ProgressQueue<T extends { readonly kind: string }> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #isEnded = false;
  #error: unknown;
  readonly #news = new EventEmitter().setMaxListeners(0);

  push(event: T): void {
    if (event.kind === 'progressed' && this.#waiting.at(-1)?.kind === 'progressed') {
      this.#waiting.pop();
    }
    this.#waiting.push(event);
    this.#news.emit('news');
  }

  /** The reader gets the events that wait, and then the error if there is one. */
  end(error?: unknown): void {
    this.#isEnded = true;
    this.#error = error;
    this.#news.emit('news');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else if (this.#isEnded) break;
      else await once(this.#news, 'news');
    }
    if (this.#error !== undefined) throw this.#error;
  }
}
