import { type ListId, listKey } from './list.ts';
import type { Interval } from './ranges.ts';
import { overlaps, subtract } from './ranges.ts';

/**
 * Statuses of blocks below the safe height that were read and are short of complete. A pipeline may
 * accept them.
 */
export const SHORT_STATUSES = ['truncated', 'depth_limited', 'inconsistent'] as const;

/** All statuses, best first. `provisional` is that of blocks above the safe height. */
export const STATUSES = ['complete', 'provisional', ...SHORT_STATUSES, 'failed'] as const;

export type Status = (typeof STATUSES)[number];

/** The status of one key of a list on one interval. */
export interface CoverageEntry extends ListId, Interval {
  readonly key: string;
  readonly status: Status;
  /** The cause of the status, as text for analysts; '' if there is none. */
  readonly reason: string;
  /** Head of the chain at the time of reading; of joined entries the lowest one. */
  readonly head: number;
  /** Time of reading in milliseconds since the Unix epoch; of joined entries the earliest one. */
  readonly readAtMs: number;
}

/** Keys of one list that have the same entries. */
export interface CoverageGroup extends ListId {
  readonly keys: readonly string[];
  /** In order of height. */
  readonly parts: readonly CoveragePart[];
}

export type CoveragePart = Omit<CoverageEntry, 'endpoint' | 'variant' | 'key'>;

/**
 * Coverage of one lake: sorted and disjoint intervals for every key of every list. It is the fold
 * of all commits, and the newest commit wins: `add` trims overlapping entries and joins neighbours
 * with the same status and reason.
 */
export class Coverage {
  readonly #keysOf = new Map<string, Map<string, CoverageEntry[]>>();
  /** Keys with an incomplete entry. These are few, and merging looks for them often. */
  readonly #openKeysOf = new Map<string, Set<string>>();
  /** What `entries` returned last; undefined after a change. Sorting very many keys is slow. */
  #sorted: readonly CoverageEntry[] | undefined;

  /** An independent copy. It shares the entries, which are immutable. */
  clone(): Coverage {
    const copy = new Coverage();
    for (const [list, keys] of this.#keysOf) copy.#keysOf.set(list, new Map(keys));
    for (const [list, keys] of this.#openKeysOf) copy.#openKeysOf.set(list, new Set(keys));
    return copy;
  }

  add(entry: CoverageEntry): void {
    this.#sorted = undefined;
    const list = listKey(entry);
    const keys = this.#keysOf.get(list) ?? new Map<string, CoverageEntry[]>();
    this.#keysOf.set(list, keys);
    const entries = withEntry(keys.get(entry.key) ?? [], entry);
    keys.set(entry.key, entries);
    const open = this.#openKeysOf.get(list) ?? new Set<string>();
    this.#openKeysOf.set(list, open);
    if (entries.every(({ status }) => status === 'complete')) open.delete(entry.key);
    else open.add(entry.key);
  }

  /** All entries in groups of at most `maxKeys` neighbouring keys. */
  *groups(maxKeys: number): Generator<CoverageGroup, void, undefined> {
    for (const keys of this.#keysOf.values()) {
      let group: (CoverageGroup & { readonly keys: string[] }) | undefined;
      for (const [key, entries] of keys) {
        const [first] = entries;
        if (first === undefined) continue;
        const parts = entries.map(({ endpoint: _, variant: __, key: ___, ...part }) => part);
        const isSame = group !== undefined && areSameParts(group.parts, parts);
        if (group !== undefined && isSame && group.keys.length < maxKeys) group.keys.push(key);
        else {
          if (group !== undefined) yield group;
          const { endpoint, variant } = first;
          group = { endpoint, variant, keys: [key], parts };
        }
      }
      if (group !== undefined) yield group;
    }
  }

  /** Adds a group whose keys have no entries yet. */
  addGroup({ endpoint, variant, keys, parts }: CoverageGroup): void {
    const list = listKey({ endpoint, variant });
    const known = this.#keysOf.get(list) ?? new Map<string, CoverageEntry[]>();
    this.#keysOf.set(list, known);
    const open = this.#openKeysOf.get(list) ?? new Set<string>();
    this.#openKeysOf.set(list, open);
    const isOpen = parts.some(({ status }) => status !== 'complete');
    for (const key of keys) {
      known.set(
        key,
        parts.map((part) => ({ endpoint, variant, ...part, key })),
      );
      if (isOpen) open.add(key);
    }
    this.#sorted = undefined;
  }

  /** Removes entries at the height and above it from lists of the chosen endpoints. */
  forget(isChosen: (endpoint: string) => boolean, height: number): void {
    this.#sorted = undefined;
    for (const [list, keys] of this.#keysOf) {
      if (!isChosen(list.slice(0, list.indexOf('?')))) continue;
      for (const [key, entries] of keys) {
        const kept = entries
          .filter(({ from }) => from < height)
          .map((entry) => ({ ...entry, to: Math.min(entry.to, height - 1) }));
        if (kept.length > 0) keys.set(key, kept);
        else keys.delete(key);
        if (kept.every(({ status }) => status === 'complete'))
          this.#openKeysOf.get(list)?.delete(key);
      }
    }
  }

  /** The entries of one key, in order of height. */
  of(list: ListId, key: string): readonly CoverageEntry[] {
    return this.#keysOf.get(listKey(list))?.get(key) ?? [];
  }

  /** The keys of the list with their entries, as a live view. */
  keysOf(list: ListId): ReadonlyMap<string, readonly CoverageEntry[]> {
    return this.#keysOf.get(listKey(list)) ?? NONE;
  }

  /** Every entry of the list that overlaps the interval, over all keys. */
  overlapping(list: ListId, interval: Interval): CoverageEntry[] {
    const keys = this.#keysOf.get(listKey(list));
    return [...(keys?.values() ?? [])].flatMap((entries) => within(entries, interval));
  }

  /** Whether the key has an entry of any status on the interval. */
  isKnown(list: ListId, key: string, interval: Interval): boolean {
    return within(this.of(list, key), interval).length > 0;
  }

  /** Whether any key of the list has an incomplete entry on the interval. */
  isOpen(list: ListId, interval: Interval): boolean {
    const open = this.#openKeysOf.get(listKey(list)) ?? [];
    return [...open].some((key) =>
      within(this.of(list, key), interval).some(({ status }) => status !== 'complete'),
    );
  }

  /** Whether the key is `complete` at this height. */
  isComplete(list: ListId, key: string, height: number): boolean {
    const entries = this.of(list, key);
    const entry = entries[firstEndingAt(entries, height)];
    return entry !== undefined && entry.from <= height && entry.status === 'complete';
  }

  /** The parts of the interval that are not `complete` for the key, sorted and disjoint. */
  missing(list: ListId, key: string, interval: Interval): Interval[] {
    const complete = this.of(list, key).filter(
      (entry) => entry.status === 'complete' && overlaps(entry, interval),
    );
    return subtract(interval, complete);
  }

  /** All entries, ordered by endpoint, variant, key and height. */
  entries(): readonly CoverageEntry[] {
    if (this.#sorted !== undefined) return this.#sorted;
    const lists = [...this.#keysOf.keys()].sort();
    this.#sorted = lists.flatMap((list) => {
      const keys = this.#keysOf.get(list) ?? new Map<string, CoverageEntry[]>();
      return [...keys.keys()].sort().flatMap((key) => keys.get(key) ?? []);
    });
    return this.#sorted;
  }
}

const NONE: ReadonlyMap<string, readonly CoverageEntry[]> = new Map();

/** The entries that overlap the interval. `entries` are sorted and disjoint. */
function within(entries: readonly CoverageEntry[], interval: Interval): CoverageEntry[] {
  const found: CoverageEntry[] = [];
  for (let i = firstEndingAt(entries, interval.from); i < entries.length; i += 1) {
    const entry = entries[i];
    if (entry === undefined || entry.from > interval.to) break;
    found.push(entry);
  }
  return found;
}

/** Index of the first entry that ends at or after the height. `entries` are sorted and disjoint. */
function firstEndingAt(entries: readonly CoverageEntry[], height: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && entry.to < height) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withEntry(entries: readonly CoverageEntry[], added: CoverageEntry): CoverageEntry[] {
  const start = firstEndingAt(entries, added.from);
  let end = start;
  const trimmed: CoverageEntry[] = [];
  for (; end < entries.length; end += 1) {
    const old = entries[end];
    if (old === undefined || old.from > added.to) break;
    if (old.from < added.from) trimmed.push({ ...old, to: added.from - 1 });
    if (old.to > added.to) trimmed.push({ ...old, from: added.to + 1 });
  }
  const middle = [...trimmed, added].sort((a, b) => a.from - b.from);
  // Only the neighbours of the changed entries can join.
  const left = Math.max(0, start - 1);
  return [
    ...entries.slice(0, left),
    ...joined([...entries.slice(left, start), ...middle, ...entries.slice(end, end + 1)]),
    ...entries.slice(end + 1),
  ];
}

function joined(entries: readonly CoverageEntry[]): CoverageEntry[] {
  const result: CoverageEntry[] = [];
  for (const entry of entries) {
    const last = result.at(-1);
    if (last !== undefined && last.to + 1 === entry.from && isSameStatus(last, entry)) {
      result[result.length - 1] = {
        ...last,
        to: entry.to,
        head: Math.min(last.head, entry.head),
        readAtMs: Math.min(last.readAtMs, entry.readAtMs),
      };
    } else result.push(entry);
  }
  return result;
}

function areSameParts(a: readonly CoveragePart[], b: readonly CoveragePart[]): boolean {
  return a.length === b.length && a.every((part, i) => isSamePart(part, b[i]));
}

function isSamePart(a: CoveragePart, b: CoveragePart | undefined): boolean {
  return (
    b !== undefined &&
    a.from === b.from &&
    a.to === b.to &&
    a.head === b.head &&
    a.readAtMs === b.readAtMs &&
    isSameStatus(a, b)
  );
}

function isSameStatus(a: CoveragePart, b: CoveragePart): boolean {
  return a.status === b.status && a.reason === b.reason;
}
