import { type CoverageEntry, STATUSES, type Status } from '../../coverage/coverage.ts';
import { grouped } from '../../coverage/grouped.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import { keyEntriesOf, type ListCoverage } from './list-coverage.ts';
import { isWider, LIST_KEYS, type ListKeys, type Side, scopeOf } from './lists.ts';

/** 1 for complete, 6 for failed. */
export function statusRank(status: Status): number {
  return STATUSES.indexOf(status) + 1;
}

/** The rank of the list's status, if one entry of the whole chain covers the whole range. */
export function oneRank(list: ListCoverage, range: Interval): number | undefined {
  const [first, ...others] = list.groups
    .flatMap(({ parts }) => parts)
    .filter((part) => overlaps(part, range));
  if (first === undefined || others.length > 0) return undefined;
  const isWhole = first.from <= range.from && first.to >= range.to;
  return isWhole ? statusRank(first.status) : undefined;
}

/**
 * The best status of a key on an interval over all lists. Intervals of one dataset, scope, kind,
 * key and side are sorted and disjoint.
 */
export interface Reach {
  readonly dataset: string;
  readonly scope: string;
  readonly keyKind: ListKeys;
  readonly key: string;
  /** The side of an address that this covers; '' for other kinds of keys. */
  readonly side: Exclude<Side, 'both'> | '';
  /** The interval, with its best entry. */
  readonly entry: CoverageEntry;
}

/**
 * The best status for every address, for every token and for the whole chain, over lists that can
 * replace each other: lists of one dataset with equal filters. Intervals that are incomplete or
 * missing for an address or a token are filled from lists of the whole chain. Look-ups by
 * transaction are left out, because no other list replaces them.
 */
export function reachOf(lists: readonly ListCoverage[]): Reach[] {
  return [...coveredKeys(lists)].flatMap(({ place, entries, isListed, chain }) => {
    if (!isListed) return [];
    return reached(place, place.keyKind === 'all' ? chain : filled(fold(entries), chain));
  });
}

/**
 * The best status of every address, and of the whole chain, over all lists of a dataset that hold
 * the records of a scope: like `reachOf`, but without filling from lists of the whole chain, and
 * for every scope that any list of the dataset has. Whatever is known of other heights, a height
 * has the same status.
 */
export function bestOf(lists: readonly ListCoverage[]): Reach[] {
  return [...coveredKeys(lists)].flatMap(({ place, entries }) => {
    return place.keyKind === 'token' ? [] : reached(place, fold(entries));
  });
}

type Place = Omit<Reach, 'entry'>;

function reached(place: Place, entries: readonly CoverageEntry[]): Reach[] {
  return entries.map((entry) => ({ ...place, entry }));
}

/** A key with its entries in all lists that hold the records of a scope. */
interface CoveredKey {
  readonly place: Place;
  readonly entries: readonly CoverageEntry[];
  /** Whether a list of the scope itself has the key; others hold more records. */
  readonly isListed: boolean;
  /** The folded entries of lists of the whole chain. */
  readonly chain: readonly CoverageEntry[];
}

/** The keys of every dataset and scope that any list has, but for look-ups by transaction. */
function* coveredKeys(lists: readonly ListCoverage[]): Generator<CoveredKey, void, undefined> {
  const scopes = grouped(lists, ({ traits }) => JSON.stringify([traits.dataset, traits.scope]));
  for (const scopeLists of scopes.values()) {
    const [{ traits }] = scopeLists as [ListCoverage];
    const { dataset, scope } = traits;
    const wanted = scopeOf(traits);
    const wider = lists.filter((list) => {
      return list.traits.dataset === dataset && isWider(scopeOf(list.traits), wanted);
    });
    const chain = fold(ofKind(wider, 'all', '').get('') ?? []);
    for (const keyKind of LIST_KEYS.filter((kind) => kind !== 'transaction')) {
      for (const side of keyKind === 'address' ? (['from', 'to'] as const) : ['' as const]) {
        const listed = ofKind(scopeLists, keyKind, side);
        for (const [key, entries] of ofKind(wider, keyKind, side)) {
          const place = { dataset, scope, keyKind, key, side };
          yield { place, entries, isListed: listed.has(key), chain };
        }
      }
    }
  }
}

/** The entries of all lists of one kind and side, by key. */
function ofKind(lists: readonly ListCoverage[], kind: ListKeys, side: Reach['side']) {
  const chosen = lists.filter(({ traits }) => {
    const hasSide = side === '' || [undefined, 'both', side].includes(traits.side);
    return traits.keyKind === kind && hasSide;
  });
  return grouped(
    chosen.flatMap((list) => [...keyEntriesOf(list)]),
    ({ key }) => key,
  );
}

/** Sorted disjoint intervals: at every height the best of the entries there. */
function fold(entries: readonly CoverageEntry[]): CoverageEntry[] {
  const sorted = [...entries].sort((a, b) => a.from - b.from);
  const cuts = [...new Set(sorted.flatMap(({ from, to }) => [from, to + 1]))].sort((a, b) => a - b);
  const result: CoverageEntry[] = [];
  let begun = 0;
  let active: CoverageEntry[] = [];
  cuts.forEach((cut, i) => {
    active = active.filter(({ to }) => to >= cut);
    for (let next = sorted[begun]; next?.from === cut; next = sorted[begun]) {
      active.push(next);
      begun += 1;
    }
    if (active.length === 0) return;
    const best = active.reduce((one, other) =>
      statusRank(other.status) < statusRank(one.status) ? other : one,
    );
    result.push({ ...best, from: cut, to: (cuts[i + 1] ?? cut + 1) - 1 });
  });
  return joined(result);
}

/** From the lowest to the highest entry, with better entries of `all` laid over them. */
function filled(entries: readonly CoverageEntry[], all: readonly CoverageEntry[]): CoverageEntry[] {
  const complete = entries.filter(({ status }) => status === 'complete');
  const lowest = entries[0]?.from ?? 0;
  const highest = entries.at(-1)?.to ?? -1;
  const isWhole = complete.length === 1 && complete.length === entries.length;
  const better = isWhole ? [] : all.filter(({ from, to }) => to >= lowest && from <= highest);
  if (better.length === 0) return [...entries];
  const clipped = better.map((entry) => ({
    ...entry,
    from: Math.max(entry.from, lowest),
    to: Math.min(entry.to, highest),
  }));
  return fold([...entries, ...clipped]);
}

function joined(entries: readonly CoverageEntry[]): CoverageEntry[] {
  const result: CoverageEntry[] = [];
  for (const entry of entries) {
    const last = result.at(-1);
    const goesOn =
      last !== undefined &&
      last.to + 1 === entry.from &&
      last.status === entry.status &&
      // The source of a complete status does not matter; for others the reason does.
      (last.status === 'complete' || last.reason === entry.reason);
    if (goesOn) result[result.length - 1] = { ...last, to: entry.to };
    else result.push(entry);
  }
  return result;
}
