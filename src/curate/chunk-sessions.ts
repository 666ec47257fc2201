import { availableParallelism } from 'node:os';
import type { Interval } from '../coverage/ranges.ts';
import { memoryLimitBytes } from '../land/storage/memory-limit.ts';
import { AxisRows, type ChunkLimits } from './axis-rows.ts';
import { RangeSession, type SessionOptions } from './rule/range-session.ts';

/** With less memory, the rows of a chunk spill to disk. */
const LEAST_BYTES = 2 ** 29;
/**
 * The number of chunks that a session computes before it is replaced by a new one. DuckDB's
 * allocator keeps a little more freed memory with every chunk: replacing sessions lowers the peak
 * of ten million raw rows by a twentieth, in equal time.
 */
const CHUNKS_PER_SESSION = 8;

export interface ChunkOptions extends Omit<SessionOptions, 'memoryBytes'> {
  /** The curated table on disk that queries read. */
  readonly stored: { readonly name: string; readonly paths: readonly string[] };
  readonly limits?: ChunkLimits | undefined;
}

/**
 * Computes chunks of heights side by side: one session on every core, as long as each has enough
 * memory.
 */
export class ChunkSessions {
  readonly #options: ChunkOptions;
  readonly #opened = new Map<number, AxisRows>();
  /** How many may be open at once. */
  readonly most: number;

  constructor(options: ChunkOptions) {
    this.#options = options;
    const fit = Math.floor(memoryLimitBytes() / LEAST_BYTES);
    this.most = Math.max(1, Math.min(availableParallelism(), fit));
  }

  /** The session at the first place, which is opened if there is none. */
  async first(): Promise<AxisRows> {
    return this.#opened.get(0) ?? this.#open(0);
  }

  /** Enters every chunk once, and calls `work` with it. Throws the first error, after all ended. */
  async forEach(
    chunks: readonly Interval[][],
    work: (chunk: readonly Interval[], rows: AxisRows) => Promise<void>,
  ): Promise<void> {
    // A failure may have left a place empty.
    for (let at = 0; at < Math.min(this.most, chunks.length); at += 1) {
      if (!this.#opened.has(at)) await this.#open(at);
    }
    const waiting = [...chunks];
    const ended = await Promise.allSettled(
      [...this.#opened.keys()].map(async (at) => {
        let entered = 0;
        for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
          try {
            const rows = await this.#sessionFor(at, entered);
            entered += 1;
            await rows.enter(chunk);
            await work(chunk, rows);
          } catch (error) {
            waiting.length = 0;
            throw error;
          }
        }
      }),
    );
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  close(): void {
    for (const { session } of this.#opened.values()) session.close();
  }

  /** The session at this place, or a new one if it has entered its last chunk. */
  async #sessionFor(at: number, entered: number): Promise<AxisRows> {
    const rows = this.#opened.get(at);
    const isSpent = entered > 0 && entered % CHUNKS_PER_SESSION === 0;
    if (rows !== undefined && !isSpent) return rows;
    rows?.session.close();
    this.#opened.delete(at);
    return this.#open(at);
  }

  async #open(at: number): Promise<AxisRows> {
    const { stored, limits } = this.#options;
    const session = await RangeSession.open({
      ...this.#options,
      memoryBytes: Math.floor(memoryLimitBytes() / this.most),
    });
    const rows = new AxisRows(session, limits);
    this.#opened.set(at, rows);
    await session.addStored(stored.name, stored.paths);
    await rows.prepare();
    return rows;
  }
}
