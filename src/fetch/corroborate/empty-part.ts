import { grouped } from '../../coverage/grouped.ts';
import { listKey } from '../../coverage/list.ts';
import { blocksIn, halves, type Interval } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { askedRange } from '../walk/asked-range.ts';
import type { RangeEdges } from '../walk/list-facts.ts';
import type { HeldPart } from './destination.ts';
import type { KeyDensity } from './key-density.ts';
import type { ListSource } from './known-question.ts';

/** Most pieces of a part that is read in other widths; the last one has a 256th of its blocks. */
const MAX_WIDTHS = 9;

/** Whether a process found false empty answers of the source: all of them share this. */
export interface Suspicion {
  isSuspect(): boolean;
  suspect(): void;
}

export interface EmptyAnswersOptions extends ListSource {
  readonly random: () => number;
  /** Waits for a while, so that a service that returns no records can recover. */
  readonly pause: () => Promise<void>;
  /** Counts of a session of short runs, each of which reads the provisional blocks again. */
  readonly session?: { readonly density: KeyDensity; readonly suspicion?: Suspicion };
  /** Called once, when the first false empty answer is found. */
  readonly onSuspect?: (reason: string) => void;
}

/** A part whose answer was empty. */
export interface EmptyPart extends HeldPart {
  /** The range of its request, with the blocks beside the interval. */
  readonly range: Interval;
  /** The part is read in another request than before, so records in it do not make it false. */
  readonly isPiece?: boolean;
  /** No request with its end and width had had records when it was read. */
  readonly isEarly: boolean;
  /** The number of pages that the run had read by then. */
  readonly pages: number;
  /** This run landed the part as empty and has not withdrawn it. */
  readonly isLanded?: boolean;
}

/** A held part of other keys or blocks of the same slice. */
export function withSlice<T extends HeldPart>(held: T, change: Partial<Slice>): T {
  return { ...held, part: { ...held.part, slice: { ...held.part.slice, ...change } } };
}

/**
 * The widest range that a request for the part may have had. Ranges have more blocks beside the
 * interval until the edges of the list are known: give those from before the request.
 */
export function rangeOf({ part: { slice }, settings }: HeldPart, edges?: RangeEdges): Interval {
  return askedRange({ endpoint: slice.list.entry, settings }, slice.interval, edges);
}

/** A half, a quarter, an eighth and so on of the part, read with another page size. */
export function inWidths(held: EmptyPart): EmptyPart[] {
  const { list, interval } = held.part.slice;
  const pageSize = list.entry.limits.pageSize?.default ?? 1;
  const settings = { ...held.settings, pageSize, usualPageSize: held.settings.pageSize };
  const pieces: Interval[] = [];
  let rest = interval;
  while (pieces.length < MAX_WIDTHS - 1 && blocksIn(rest) > 1) {
    const [piece, other] = halves(rest);
    pieces.push(piece);
    rest = other;
  }
  return [...pieces, rest].map((piece) => withSlice({ ...held, settings }, { interval: piece }));
}

export function ofEachKey(held: EmptyPart): EmptyPart[] {
  return held.part.slice.keys.map((key) => withSlice(held, { keys: [key] }));
}

/** Empty answers without a page count, or of a strict run, are read a second time. */
export function isReadTwice({ part, settings }: EmptyPart): boolean {
  return part.slice.list.entry.reply.shape === 'bare' || settings.proof === 'strict';
}

/** The longest parts below the safe height of lists with block bounds. */
export function longestFirst(parts: readonly EmptyPart[], most: number): EmptyPart[] {
  const blocks = ({ part }: EmptyPart): number => blocksIn(part.slice.interval);
  return parts
    .filter(({ part: { slice } }) => slice.list.entry.list === 'ranged' && !slice.provisional)
    .sort((a, b) => blocks(b) - blocks(a))
    .slice(0, most);
}

/** The parts of each group of several keys of a list with block bounds. */
export function byGroup(parts: readonly EmptyPart[]): EmptyPart[][] {
  const ranged = parts.filter(({ part: { slice } }) => {
    return slice.list.entry.list === 'ranged' && slice.keys.length > 1;
  });
  const groups = grouped(ranged, ({ part: { slice } }) => {
    return `${listKey(slice.list)} ${slice.keys.join()}`;
  });
  return [...groups.values()];
}

/** Random parts, first those that were read before their request was proven. */
export function someOf(parts: readonly EmptyPart[], most: number, random: () => number) {
  const others = [...parts];
  const chosen: EmptyPart[] = [];
  while (chosen.length < most && others.length > 0) {
    const early = others.findIndex(({ isEarly }) => isEarly);
    chosen.push(...others.splice(early >= 0 ? early : Math.floor(random() * others.length), 1));
  }
  return chosen;
}
