import { chunksOf } from '../coverage/grouped.ts';
import type { List } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import { windowsOf } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import { Fault } from '../fault.ts';
import type { Shape } from './routes.ts';

/** Most slices of one request's plan, to limit memory: about 3 GB. */
const MAX_SLICES = 15_000_000;

type Keys = readonly string[];

interface Piece {
  readonly interval: Interval;
  readonly provisional: boolean;
  /** In the order in which they were added. Windows of one interval share the arrays. */
  readonly keys: Keys[];
}

/** Collects keys with equal intervals and packs them into slices. */
export class Pieces {
  readonly #list: List;
  readonly #shape: Shape;
  readonly #most: number;
  readonly #pieces: Piece[] = [];
  /** The pieces by their first block, which costs less memory than a text of both ends. */
  readonly #from = new Map<number, Piece[]>();
  #count = 0;

  constructor(list: List, shape: Shape, most = MAX_SLICES) {
    this.#list = list;
    this.#shape = shape;
    this.#most = most;
  }

  /** Adds an interval for keys, cut into windows. Throws a configuration fault for too many. */
  addWindows(interval: Interval, keys: Keys, provisional: boolean): void {
    const windows = Math.ceil((interval.to - interval.from + 1) / this.#shape.blocks);
    this.#bound(windows * Math.ceil(keys.length / this.#shape.keys));
    for (const window of windowsOf(interval, this.#shape.blocks)) {
      this.add(window, keys, provisional);
    }
  }

  /** Adds an interval for keys, without cutting it. The array of the keys must not change later. */
  add(interval: Interval, keys: Keys, provisional: boolean): void {
    const from = this.#from.get(interval.from) ?? [];
    if (from.length === 0) this.#from.set(interval.from, from);
    let piece = from.find((piece) => {
      return piece.interval.to === interval.to && piece.provisional === provisional;
    });
    if (piece === undefined) {
      piece = { interval, provisional, keys: [] };
      from.push(piece);
      this.#pieces.push(piece);
    }
    piece.keys.push(keys);
  }

  /** The slices, with keys in the order they were added. */
  slices(): Slice[] {
    const list = this.#list;
    const slices: Slice[] = [];
    let before: readonly Keys[] = [];
    let groups: readonly Keys[] = [];
    for (const { interval, provisional, keys } of this.#pieces) {
      if (!areSame(keys, before)) groups = chunksOf(keys.flat(), this.#shape.keys);
      before = keys;
      for (const group of groups) slices.push({ list, keys: group, interval, provisional });
    }
    return slices;
  }

  #bound(more: number): void {
    this.#count += more;
    if (this.#count <= this.#most) return;
    throw new Fault('configuration', `The range has more than ${this.#most} windows to fetch.`, {
      advice:
        'Run it on workers (run --queue), which plan a part at a time, or ask for fewer blocks ' +
        '(--blocks A:B) or addresses.',
    });
  }
}

function areSame(a: readonly Keys[], b: readonly Keys[]): boolean {
  return a.length === b.length && a.every((keys, i) => keys === b[i]);
}
