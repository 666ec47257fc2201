import { hasRows } from '../../coverage/coverage.ts';
import { isAskedByHash, isSameList, type ListId, listKey } from '../../coverage/list.ts';
import type { Interval } from '../../coverage/ranges.ts';
import { intersection, normalise, subtract } from '../../coverage/ranges.ts';
import type { Region } from '../../coverage/slice.ts';
import type { DataFile } from '../delta/actions.ts';
import type { ForgottenKeys } from '../rule/forgotten-keys.ts';
import type { EntryActions } from './walk-log.ts';

interface Origin extends Region {
  /** The commit that landed the rows. */
  readonly version: number;
}

interface Landing extends Interval {
  readonly version: number;
}

/**
 * Tracks, entry by entry, the keys and blocks that the rows of every data file were landed for:
 * those of the commit that wrote the file, and those of the files whose rows were copied into it.
 */
export class Origins {
  readonly #of = new Map<string, readonly Origin[]>();
  /** Complete landings by list and key. Each replaced the key's rows in all older files. */
  readonly #complete = new Map<string, Landing[]>();

  visit({ version, added, removed, ledger }: EntryActions): void {
    const claims = (ledger?.coverage ?? []).filter(({ status }) => hasRows(status));
    const own = claims.map(({ endpoint, variant, keys, from, to }): Origin => {
      return { endpoint, variant, keys, from, to, version };
    });
    for (const forgotten of ledger?.forgotten ?? []) this.#forget(forgotten, version);
    const taken = removed.flatMap((path) => this.#of.get(path) ?? []);
    for (const path of removed) this.#of.delete(path);
    for (const file of added) this.#of.set(file.path, clipped([...own, ...taken], file));
    for (const { endpoint, variant, keys, from, to, status } of claims) {
      if (status !== 'complete') continue;
      for (const key of keys) {
        const id = idOf({ endpoint, variant }, key);
        const known = this.#complete.get(id) ?? [];
        this.#complete.set(id, known);
        known.push({ version, from, to });
      }
    }
  }

  /** Rows that other keys explain stay: from now on they are rows of those keys. */
  #forget(forgotten: ForgottenKeys, version: number): void {
    const isOf = (origin: Origin): boolean => {
      return isSameList(origin, forgotten) && origin.keys.some((key) => isGone(key));
    };
    const isGone = (key: string): boolean => forgotten.keys.includes(key);
    const inherited = (origin: Origin): Origin[] => {
      const rest = { ...origin, keys: origin.keys.filter((key) => !isGone(key)) };
      const heirs = forgotten.heirs.flatMap(({ key, ...heights }) => {
        const part = intersection(origin, heights);
        return part === undefined ? [] : [{ ...origin, ...part, keys: [key], version }];
      });
      return rest.keys.length === 0 ? heirs : [rest, ...heirs];
    };
    for (const [path, origins] of this.#of) {
      if (!origins.some(isOf)) continue;
      this.#of.set(
        path,
        origins.flatMap((origin) => (isOf(origin) ? inherited(origin) : [origin])),
      );
    }
  }

  /** The regions that rows of the file may have been landed for, grouped by block interval. */
  of(path: string): Region[] {
    const intervals = new Map<string, { region: Region; key: string; parts: Interval[] }>();
    for (const { version, keys, from, to, ...list } of this.#of.get(path) ?? []) {
      for (const key of keys) {
        const id = idOf(list, key);
        const newer = (this.#complete.get(id) ?? []).filter((each) => each.version > version);
        const known = intervals.get(id) ?? { region: { ...list, keys, from, to }, key, parts: [] };
        known.parts.push(...subtract({ from, to }, normalise(newer)));
        intervals.set(id, known);
      }
    }
    const regions = new Map<string, Region & { readonly keys: string[] }>();
    for (const { region, key, parts } of intervals.values()) {
      const { endpoint, variant } = region;
      for (const { from, to } of normalise(parts)) {
        const id = JSON.stringify([endpoint, variant, from, to]);
        const known = regions.get(id) ?? { endpoint, variant, keys: [], from, to };
        known.keys.push(key);
        regions.set(id, known);
      }
    }
    return [...regions.values()];
  }
}

/** The origins that rows of the file can have, limited to its list and its heights. */
function clipped(origins: readonly Origin[], { source, heights }: DataFile): Origin[] {
  const seen = new Set<string>();
  return origins.flatMap((origin) => {
    const { endpoint, variant, keys, version } = origin;
    const isOther = source !== undefined && !isSameList(source, origin);
    // A row of a list by hash lies at one height, but is requested for its slice's interval.
    const isWhole = heights === undefined || isAskedByHash(origin);
    const part = isWhole ? origin : intersection(origin, heights);
    if (isOther || part === undefined) return [];
    const { from, to } = part;
    const id = JSON.stringify([endpoint, variant, keys, from, to, version]);
    if (seen.has(id)) return [];
    seen.add(id);
    return [{ endpoint, variant, keys, from, to, version }];
  });
}

function idOf(list: ListId, key: string): string {
  return `${listKey(list)} ${key}`;
}
