import type { List } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import { windowsOf } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import { Fault } from '../fault.ts';
import type { Shape } from './routes.ts';

/** Most pieces of one request's plan, over all keys, to limit memory. */
const MAX_PIECES = 5_000_000;

interface Piece {
  readonly interval: Interval;
  readonly provisional: boolean;
  readonly keys: string[];
}

/** Collects keys with equal intervals and packs them into slices. */
export class Pieces {
  readonly #list: List;
  readonly #shape: Shape;
  readonly #pieces = new Map<string, Piece>();
  #count = 0;

  constructor(list: List, shape: Shape) {
    this.#list = list;
    this.#shape = shape;
  }

  /** Adds an interval for a key, cut into windows. Throws a configuration fault for too many. */
  addWindows(interval: Interval, key: string, provisional: boolean): void {
    this.#bound(Math.ceil((interval.to - interval.from + 1) / this.#shape.blocks));
    for (const window of windowsOf(interval, this.#shape.blocks)) {
      this.add(window, key, provisional);
    }
  }

  /** Adds an interval for a key, without cutting it. */
  add(interval: Interval, key: string, provisional: boolean): void {
    const id = `${interval.from}:${interval.to}:${provisional}`;
    const known = this.#pieces.get(id) ?? { interval, provisional, keys: [] };
    known.keys.push(key);
    this.#pieces.set(id, known);
  }

  /** The slices, with keys in the order they were added. */
  slices(): Slice[] {
    const size = this.#shape.keys;
    const slices: Slice[] = [];
    for (const { interval, provisional, keys } of this.#pieces.values()) {
      for (let start = 0; start < keys.length; start += size) {
        slices.push({
          list: this.#list,
          keys: keys.slice(start, start + size),
          interval,
          provisional,
        });
      }
    }
    return slices;
  }

  #bound(more: number): void {
    this.#count += more;
    if (this.#count <= MAX_PIECES) return;
    throw new Fault('configuration', `The range has more than ${MAX_PIECES} windows to fetch.`, {
      advice: 'Ask for fewer blocks (blocks in the pipeline, or --blocks A:B) or fewer addresses.',
    });
  }
}
