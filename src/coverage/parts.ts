import type { Interval } from './ranges.ts';

/** Functions on the coverage of one key: sorted, disjoint and immutable parts. */

/** A part of coverage, as far as these functions read it. */
interface Part extends Interval {
  readonly status: string;
  readonly reason: string;
  readonly head: number;
  readonly readAtMs: number;
}

/** The parts that overlap the interval. */
export function partsWithin<P extends Part>(parts: readonly P[], interval: Interval): P[] {
  const overlaps: P[] = [];
  for (let i = firstEndingAt(parts, interval.from); i < parts.length; i += 1) {
    const part = parts[i];
    if (part === undefined || part.from > interval.to) break;
    overlaps.push(part);
  }
  return overlaps;
}

export function isCompleteAt(parts: readonly Part[], height: number): boolean {
  const part = parts[firstEndingAt(parts, height)];
  return part !== undefined && part.from <= height && part.status === 'complete';
}

/** Index of the first part that ends at or after the height. */
function firstEndingAt(parts: readonly Part[], height: number): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const part = parts[middle];
    if (part !== undefined && part.to < height) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The parts with a newer one, which trims those that it overlaps and joins equal neighbours. */
export function withPart<P extends Part>(parts: readonly P[], added: P): P[] {
  const last = parts.at(-1);
  // Most walks read on from the end.
  if (last === undefined) return [added];
  if (last.to < added.from) {
    if (!isJoinable(last, added)) return [...parts, added];
    return [...parts.slice(0, -1), together(last, added)];
  }
  const start = firstEndingAt(parts, added.from);
  let end = start;
  const trimmed: P[] = [];
  for (; end < parts.length; end += 1) {
    const old = parts[end];
    if (old === undefined || old.from > added.to) break;
    if (old.from < added.from) trimmed.push({ ...old, to: added.from - 1 });
    if (old.to > added.to) trimmed.push({ ...old, from: added.to + 1 });
  }
  const middle = [...trimmed, added].sort((a, b) => a.from - b.from);
  // Only the neighbours of the changed parts can join.
  const left = Math.max(0, start - 1);
  return [
    ...parts.slice(0, left),
    ...joined([...parts.slice(left, start), ...middle, ...parts.slice(end, end + 1)]),
    ...parts.slice(end + 1),
  ];
}

function joined<P extends Part>(parts: readonly P[]): P[] {
  const result: P[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last !== undefined && isJoinable(last, part)) {
      result[result.length - 1] = together(last, part);
    } else result.push(part);
  }
  return result;
}

function isJoinable(part: Part, next: Part): boolean {
  return part.to + 1 === next.from && isSameStatus(part, next);
}

function together<P extends Part>(part: P, next: P): P {
  return {
    ...part,
    to: next.to,
    head: Math.min(part.head, next.head),
    readAtMs: Math.min(part.readAtMs, next.readAtMs),
  };
}

function isSameStatus(a: Part, b: Part): boolean {
  return a.status === b.status && a.reason === b.reason;
}

/** Whether two keys have the same coverage. Keys of one walk often have the same array. */
function areSameParts(a: readonly Part[], b: readonly Part[]): boolean {
  if (a === b) return true;
  return a.length === b.length && a.every((part, i) => isSamePart(part, b[i]));
}

function isSamePart(a: Part, b: Part | undefined): boolean {
  return (
    b !== undefined &&
    a.from === b.from &&
    a.to === b.to &&
    a.head === b.head &&
    a.readAtMs === b.readAtMs &&
    isSameStatus(a, b)
  );
}

/** Groups of at most `maxKeys` neighbouring keys with equal parts, without keys that have none. */
export function* equalNeighbours<P extends Part>(
  entries: Iterable<readonly [key: string, parts: readonly P[]]>,
  maxKeys: number,
): Generator<{ readonly keys: string[]; readonly parts: readonly P[] }, void, undefined> {
  let keys: string[] = [];
  let parts: readonly P[] = [];
  for (const [key, partsOfKey] of entries) {
    if (partsOfKey.length === 0) continue;
    if (keys.length > 0 && (keys.length === maxKeys || !areSameParts(parts, partsOfKey))) {
      yield { keys, parts };
      keys = [];
    }
    if (keys.length === 0) parts = partsOfKey;
    keys.push(key);
  }
  if (keys.length > 0) yield { keys, parts };
}

export function isAllComplete(parts: readonly Part[]): boolean {
  return parts.every(({ status }) => status === 'complete');
}
