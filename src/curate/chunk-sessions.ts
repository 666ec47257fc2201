import { availableParallelism } from 'node:os';
import type { Interval } from '../coverage/ranges.ts';
import { memoryLimitBytes } from '../land/storage/memory-limit.ts';
import { AxisRows, type ChunkLimits } from './axis-rows.ts';
import { RangeSession, type SessionOptions } from './rule/range-session.ts';

/** With less memory, the rows of a chunk spill to disk. */
const LEAST_BYTES = 2 ** 29;

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
  readonly #opened: AxisRows[] = [];
  /** How many may be open at once. */
  readonly most: number;

  constructor(options: ChunkOptions) {
    this.#options = options;
    const fit = Math.floor(memoryLimitBytes() / LEAST_BYTES);
    this.most = Math.max(1, Math.min(availableParallelism(), fit));
  }

  /** The session that is always open. */
  async first(): Promise<AxisRows> {
    return this.#opened[0] ?? this.#open();
  }

  /** Enters every chunk once, and calls `work` with it. Throws the first error, after all ended. */
  async forEach(
    chunks: readonly Interval[],
    work: (chunk: Interval, rows: AxisRows) => Promise<void>,
  ): Promise<void> {
    while (this.#opened.length < Math.min(this.most, chunks.length)) await this.#open();
    const waiting = [...chunks];
    const ended = await Promise.allSettled(
      this.#opened.map(async (rows) => {
        for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
          try {
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
    for (const { session } of this.#opened) session.close();
  }

  async #open(): Promise<AxisRows> {
    const { stored, limits } = this.#options;
    const session = await RangeSession.open({
      ...this.#options,
      memoryBytes: Math.floor(memoryLimitBytes() / this.most),
    });
    const rows = new AxisRows(session, limits);
    this.#opened.push(rows);
    await session.addStored(stored.name, stored.paths);
    await rows.prepare();
    return rows;
  }
}
