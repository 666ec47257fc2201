import { KeysOfList } from './keys-of-list.ts';
import { isAskedByHash, type ListId, listKey } from './list.ts';
import { equalNeighbours, isAllComplete, isCompleteAt, partsWithin, withPart } from './parts.ts';
import type { Interval } from './ranges.ts';
import { subtract } from './ranges.ts';

/**
 * Statuses of blocks below the safe height that were read and are short of complete. A pipeline may
 * accept them.
 */
export const SHORT_STATUSES = ['truncated', 'depth_limited', 'inconsistent'] as const;

/** All statuses, best first. `provisional` is that of blocks above the safe height. */
export const STATUSES = ['complete', 'provisional', ...SHORT_STATUSES, 'failed'] as const;

export type Status = (typeof STATUSES)[number];

/** Whether walks of the status have all records that their list has at the time of reading. */
export function isProven(status: string): boolean {
  return status === 'complete' || status === 'provisional';
}

/** Whether walks of the status land rows. */
export function hasRows(status: Status): boolean {
  return status !== 'depth_limited' && status !== 'failed';
}

/** The status of some keys of a list on one interval. */
export interface CoveragePart extends Interval {
  readonly status: Status;
  /** The cause of the status, as text for analysts; '' if there is none. */
  readonly reason: string;
  /** Head of the chain at the time of reading; of joined entries the lowest one. */
  readonly head: number;
  /** Time of reading in milliseconds since the Unix epoch; of joined entries the earliest one. */
  readonly readAtMs: number;
}

/** The status of one key of a list on one interval. */
export interface CoverageEntry extends ListId, CoveragePart {
  readonly key: string;
}

/** Keys of one list that have the same coverage. */
export interface CoverageGroup extends ListId {
  readonly keys: readonly string[];
  /** In order of height, disjoint. */
  readonly parts: readonly CoveragePart[];
}

/** Keys that were always read together share one array of parts. */
interface CoveredList extends ListId {
  readonly all: KeysOfList<CoveragePart>;
}

/**
 * Coverage of one lake: sorted and disjoint intervals for every key of every list. It is the fold
 * of all commits, and the newest commit wins: `add` trims overlapping entries and joins neighbours
 * with the same status and reason.
 *
 * The rows of a complete look-up by hash stand for its coverage, so its hash has no entry
 * (`addClaim`): a row of a list by hash, or of the table of look-ups without a record, completes
 * the look-up of its hash, unless the hash has an entry at its height.
 */
export class Coverage {
  readonly #lists = new Map<string, CoveredList>();
  /** The last result of `entries`; undefined after a change. Sorting very many keys is slow. */
  #sorted: readonly CoverageEntry[] | undefined;
  /** The last result of `grouped`; undefined after a change. */
  #grouped: readonly CoverageGroup[] | undefined;

  /** An independent copy. It shares the parts, which are immutable. */
  clone(): Coverage {
    const copy = new Coverage();
    for (const group of this.groups()) copy.addGroup(group);
    return copy;
  }

  /** A copy for changes while this one does not change. Its price does not depend on the size. */
  overlay(): Coverage {
    const over = new Coverage();
    for (const [id, { all, ...list }] of this.#lists) {
      over.#lists.set(id, { ...list, all: new KeysOfList(all) });
    }
    return over;
  }

  /** The coverage of several tables, which have different lists, as a live view for reading. */
  static ofTables(tables: readonly Coverage[]): Coverage {
    const together = new Coverage();
    for (const table of tables) {
      for (const [id, list] of table.#lists) together.#lists.set(id, list);
    }
    return together;
  }

  add({ endpoint, variant, key, from, to, status, reason, head, readAtMs }: CoverageEntry): void {
    this.addTo({ endpoint, variant }, [key], { from, to, status, reason, head, readAtMs });
  }

  /** Adds the same part to several keys of a list. */
  addTo(list: ListId, keys: readonly string[], added: CoveragePart): void {
    const all = this.#listOf(list);
    let before: readonly CoveragePart[] | undefined;
    let after: readonly CoveragePart[] = [];
    let isOpen = false;
    for (const key of keys) {
      const parts = all.get(key);
      if (parts !== before) {
        before = parts;
        after = withPart(parts, added);
        isOpen = !isAllComplete(after);
      }
      all.set(key, after, isOpen);
    }
  }

  /** Adds a group whose keys have no coverage yet. */
  addGroup({ keys, parts, ...list }: CoverageGroup): void {
    const all = this.#listOf(list);
    const isOpen = !isAllComplete(parts);
    for (const key of keys) all.set(key, parts, isOpen);
  }

  /**
   * Adds a claim of the log. That of complete look-ups only takes the entries of its hashes away;
   * its interval becomes one of the key ''.
   */
  addClaim(list: ListId, keys: readonly string[], added: CoveragePart): void {
    if (added.status !== 'complete' || !isAskedByHash(list)) {
      this.addTo(list, keys, added);
      return;
    }
    const all = this.#listOf(list);
    const open = keys.filter((key) => key !== '' && all.has(key));
    this.addTo(list, [...open, ''], added);
    for (const key of open) if (isAllComplete(all.get(key))) all.set(key, [], false);
  }

  #listOf({ endpoint, variant }: ListId): KeysOfList<CoveragePart> {
    this.#changed();
    const id = listKey({ endpoint, variant });
    const list = this.#lists.get(id);
    if (list !== undefined) return list.all;
    const all = new KeysOfList<CoveragePart>();
    this.#lists.set(id, { endpoint, variant, all });
    return all;
  }

  #changed(): void {
    this.#sorted = undefined;
    this.#grouped = undefined;
  }

  /** All coverage in groups of keys, as a value that later changes leave alone. */
  grouped(): readonly CoverageGroup[] {
    this.#grouped ??= [...this.groups()];
    return this.#grouped;
  }

  /** All coverage, in groups of at most `maxKeys` neighbouring keys. */
  *groups(maxKeys = Number.POSITIVE_INFINITY): Generator<CoverageGroup, void, undefined> {
    for (const { endpoint, variant, all } of this.#lists.values()) {
      for (const group of equalNeighbours(all.entries(), maxKeys)) {
        yield { endpoint, variant, ...group };
      }
    }
  }

  /** Removes all coverage of these keys of the list. */
  drop(list: ListId, keys: readonly string[]): void {
    const all = this.#listOf(list);
    for (const key of keys) all.set(key, [], false);
  }

  /** Removes coverage at the height and above it from lists of the chosen endpoints. */
  forget(isChosen: (endpoint: string) => boolean, height: number): void {
    this.#changed();
    for (const { endpoint, all } of this.#lists.values()) {
      if (!isChosen(endpoint)) continue;
      for (const [key, parts] of all.entries()) {
        if ((parts.at(-1)?.to ?? 0) < height) continue;
        const kept = parts
          .filter(({ from }) => from < height)
          .map((part) => ({ ...part, to: Math.min(part.to, height - 1) }));
        all.set(key, kept, !isAllComplete(kept));
      }
    }
  }

  /** The entries of one key, in order of height. */
  get(list: ListId, key: string): CoverageEntry[] {
    return this.#partsOf(list, key).map((part) => entryOf(list, part, key));
  }

  /** The lists that have coverage. */
  lists(): ListId[] {
    const lists = [...this.#lists.values()].filter(({ all }) => !all.isEmpty());
    return lists.map(({ endpoint, variant }) => ({ endpoint, variant }));
  }

  /** The keys of the list with coverage, as a live view. Open keys have an incomplete part. */
  keysOf(list: ListId): Pick<KeysOfList<CoveragePart>, 'get' | 'has' | 'keys' | 'openKeys'> {
    return this.#lists.get(listKey(list))?.all ?? NO_KEYS;
  }

  /** Every entry of the list that overlaps the interval, over all keys. */
  overlapping(list: ListId, interval: Interval): CoverageEntry[] {
    const entries: CoverageEntry[] = [];
    for (const [key, parts] of this.#lists.get(listKey(list))?.all.entries() ?? []) {
      for (const part of partsWithin(parts, interval)) entries.push(entryOf(list, part, key));
    }
    return entries;
  }

  /** Whether the key has an entry of any status on the interval. */
  isKnown(list: ListId, key: string, interval: Interval): boolean {
    return partsWithin(this.#partsOf(list, key), interval).length > 0;
  }

  /** Whether any key of the list has an incomplete entry on the interval. */
  isOpen(list: ListId, interval: Interval): boolean {
    const open = [...this.keysOf(list).openKeys()];
    return open.some((key) => !isAllComplete(partsWithin(this.#partsOf(list, key), interval)));
  }

  /** Whether a key of the list is `complete` at a height, until coverage is added. */
  completeIn(list: ListId): (key: string, height: number) => boolean {
    const all = this.#lists.get(listKey(list))?.all;
    return (key, height) => all !== undefined && isCompleteAt(all.get(key), height);
  }

  /** The parts of the interval that are not `complete` for the key, sorted and disjoint. */
  missing(list: ListId, key: string, interval: Interval): Interval[] {
    const parts = partsWithin(this.#partsOf(list, key), interval);
    const complete = parts.filter(({ status }) => status === 'complete');
    return subtract(interval, complete);
  }

  /** All entries, ordered by endpoint, variant, key and height. */
  entries(): readonly CoverageEntry[] {
    const lists = [...this.#lists].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#sorted ??= lists.flatMap(([, { all, ...list }]) =>
      [...all.keys()].sort().flatMap((key) => this.get(list, key)),
    );
    return this.#sorted;
  }

  #partsOf(list: ListId, key: string): readonly CoveragePart[] {
    return this.#lists.get(listKey(list))?.all.get(key) ?? NO_PARTS;
  }
}

const NO_PARTS: readonly CoveragePart[] = [];
const NO_KEYS = new KeysOfList<CoveragePart>();

function entryOf({ endpoint, variant }: ListId, part: CoveragePart, key: string): CoverageEntry {
  return { ...part, endpoint, variant, key };
}
