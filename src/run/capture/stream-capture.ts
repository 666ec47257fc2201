import { type Effects, untilAny } from '../../effects.ts';
import { type FrameSink, readStream } from '../../fetch/stream/stream-client.ts';
import type { Environment } from '../../fetch/transport/proxy.ts';
import type { Lake } from '../../land/lake.ts';
import type { StreamState } from '../../land/stream/frame-rows.ts';
import { Journal } from '../../land/stream/journal.ts';
import { landFile, newestLanded } from '../../land/stream/land-journal.ts';
import type { CapturedStream } from '../../pipeline/captures/stream-settings.ts';
import type { Capture, CaptureCounts } from './capture.ts';

/**
 * Captures a stream: frames are appended to a journal as they are, and rows are computed from the
 * journal alone. The journal of a process that was killed lands with the next run, and its end is
 * named as a gap.
 */
export class StreamCapture implements Capture {
  readonly name = 'stream';
  readonly #stream: CapturedStream;
  readonly #lake: Lake;
  readonly #effects: Effects;
  readonly #env: Environment | undefined;
  readonly #state: StreamState;
  #opening: Promise<Journal> | undefined;
  #readings = 0;
  #rows = 0;
  #gaps = 0;

  /** `env` names proxies. */
  constructor(stream: CapturedStream, lake: Lake, effects: Effects, env?: Environment) {
    this.#env = env;
    this.#stream = stream;
    this.#lake = lake;
    this.#effects = effects;
    this.#state = { network: stream.network, newest: null, ofPayload: new Map() };
  }

  /** The stream has no history, so `once` reads nothing. */
  async capture(stop: AbortSignal, extent: 'once' | 'until stopped'): Promise<void> {
    if (extent === 'once' || stop.aborted) return;
    const journal = await this.#journal();
    const failed = new AbortController();
    const sink = this.#sink(journal, (error) => failed.abort(error));
    const reading = { url: this.#stream.url, sink, effects: this.#effects, env: this.#env };
    await untilAny([stop, failed.signal], (ended) => readStream({ ...reading, stop: ended }));
    failed.signal.throwIfAborted();
    journal.append('stopped', Buffer.alloc(0));
    await journal.rotate();
  }

  async land(): Promise<CaptureCounts> {
    const journal = await this.#journal();
    for (const file of await journal.rotate()) {
      const landed = await landFile(this.#lake, file, this.#state, this.#effects.now());
      this.#readings += landed.frames;
      this.#rows += landed.rows;
      this.#gaps += landed.gaps;
      await journal.settle(file, this.#stream.keepJournal);
    }
    return { name: this.name, readings: this.#readings, rows: this.#rows, gaps: this.#gaps };
  }

  async close(): Promise<void> {
    const journal = await this.#opening?.catch(() => undefined);
    await journal?.close();
  }

  #journal(): Promise<Journal> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<Journal> {
    const { network } = this.#stream;
    const least = (await newestLanded(this.#lake, network)) + 1;
    const folder = this.#lake.layout.journalOf(network);
    const journal = await Journal.open(folder, this.#effects, least);
    if (journal.killed !== undefined) journal.gap(journal.killed);
    return journal;
  }

  #sink(journal: Journal, onFailure: (error: unknown) => void): FrameSink {
    return {
      gap: ({ reason, detail }) => journal.gap({ fromMs: journal.lastFrameMs, reason, detail }),
      frame: (data, isBinary) => journal.append(isBinary ? 'binary' : 'text', data),
      backlogBytes: () => journal.waitingBytes,
      drained: () => journal.drained().catch(onFailure),
    };
  }
}
