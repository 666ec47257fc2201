import {
  endpoints,
  equalsParams,
  kindOfKey,
  wordsOfDataset,
} from '../../../src/catalogue/index.ts';
import { fromAddress, toAddress } from '../../../src/catalogue/vocabulary.ts';
import {
  type CoverageGroup,
  type CoveragePart,
  isProven,
  type Status,
} from '../../../src/coverage/coverage.ts';
import { type Interval, intersection, normalise, subtract } from '../../../src/coverage/ranges.ts';
import { listCoverage } from '../../../src/curate/rule/list-coverage.ts';
import { isWider, type ListKeys, type Side, scopeOf } from '../../../src/curate/rule/lists.ts';
import { PENDING_REASON } from '../../../src/fetch/walk/pending-records.ts';
import type { Naming, Selection } from '../protocol/source.ts';

/** Coverage of each key by lists that narrow their records in the same way. */
interface ScopeCoverage {
  readonly scope: ReadonlyMap<string, string>;
  /** Keyed by `idOf`. */
  readonly partsById: Map<string, readonly CoveragePart[]>;
}

/**
 * The available records of a dataset in a lake, from its coverage. A lake is a part of a chain: it
 * has no rows in ranges that were never fetched, and an empty answer for them would be wrong.
 */
export class Availability {
  readonly #dataset: string;
  readonly #scopes = new Map<string, ScopeCoverage>();

  constructor(dataset: string, coverage: readonly CoverageGroup[]) {
    this.#dataset = dataset;
    for (const { traits, groups } of listCoverage([{ dataset, coverage }])) {
      const { partsById } = this.#at(scopeOf(traits));
      const sides = sidesOf(traits.keyKind, traits.side);
      for (const { keys, parts } of groups) {
        // A pending hash was answered, but the dataset has no record of it.
        const rest = parts.filter(({ reason }) => reason !== PENDING_REASON);
        if (rest.length === 0) continue;
        for (const id of keys.flatMap((key) =>
          sides.map((side) => idOf(traits.keyKind, side, key)),
        )) {
          const before = partsById.get(id);
          partsById.set(id, before === undefined ? rest : [...before, ...rest]);
        }
      }
    }
  }

  /**
   * The requested heights for which records are missing. With `endsEarly`, the list is complete
   * even if its depth limit cuts off old records.
   */
  missing(query: Selection, endsEarly: boolean): Interval[] {
    const isThere = (status: Status): boolean =>
      isProven(status) || (endsEarly && status === 'depth_limited');
    const { interval } = query;
    if (interval.from > interval.to) return [];
    const covered = (kind: ListKeys, side: Side | '', key: string): Interval[] =>
      this.#coveredIn(scopeAsked(query), idOf(kind, side, key), isThere);
    const all = covered('all', '', '');
    const missing = subtract(interval, all);
    if (missing.length === 0) return [];
    const byNames = namingsOf(query).flatMap((naming) => {
      const keys = naming.values.flatMap((key) =>
        keysOf(this.#dataset, naming).map(([kind, side]) => [...all, ...covered(kind, side, key)]),
      );
      return inAll(interval, keys);
    });
    return missing.flatMap((gap) => subtract(gap, normalise(byNames)));
  }

  /** Whether all records of a transaction were fetched by this hash, by coverage. */
  isLookedUp(query: Selection, value: string): boolean {
    const covered = this.#coveredIn(scopeAsked(query), idOf('transaction', '', value), isProven);
    return covered.length > 0;
  }

  #at(scope: ReadonlyMap<string, string>): ScopeCoverage {
    const id = JSON.stringify([...scope].sort());
    const group = this.#scopes.get(id) ?? { scope, partsById: new Map() };
    this.#scopes.set(id, group);
    return group;
  }

  /**
   * Intervals covered for a key by lists that contain at least the scope, alone or in combination.
   */
  #coveredIn(
    scope: ReadonlyMap<string, string>,
    id: string,
    isThere: (status: Status) => boolean,
  ): Interval[] {
    const wider = [...this.#scopes.values()].filter((group) => isWider(group.scope, scope));
    const alone = wider.flatMap(({ partsById }) => partsById.get(id) ?? []);
    const whole = alone.filter(({ status }) => isThere(status));
    const together = [...this.#dividing(scope)].flatMap((column) => {
      const values = VALUES.get(column) ?? [];
      const parts = values.map((value) =>
        this.#coveredIn(new Map([...scope, [column, value]]), id, isThere),
      );
      const [first = []] = parts;
      return parts
        .slice(1)
        .reduce((covered, part) => covered.flatMap((interval) => inAll(interval, [part])), first);
    });
    return normalise([...whole, ...together]);
  }

  /** Columns by whose values lists divide the scope. */
  #dividing(scope: ReadonlyMap<string, string>): Set<string> {
    const columns = [...this.#scopes.values()].flatMap((group) => [...group.scope.keys()]);
    return new Set(columns.filter((column) => !scope.has(column) && VALUES.has(column)));
  }
}

/** The values that lists can be narrowed to, by column. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map(
  endpoints.flatMap(equalsParams).flatMap(({ column, fills, values }) => {
    const narrowing = fills === undefined || fills === true ? values : fills;
    return narrowing === undefined ? [] : [[column.column, narrowing] as const];
  }),
);

/** The filters of the question that lists can apply too. */
function scopeAsked({ filters }: Selection): Map<string, string> {
  const scope = new Map<string, string>();
  for (const { columns, values } of filters) {
    const [column, ...others] = columns;
    if (column === undefined || others.length > 0 || values.length !== 1) continue;
    scope.set(column, values[0] ?? '');
  }
  return scope;
}

function namingsOf({ keys, filters }: Selection): readonly Naming[] {
  return keys === undefined ? filters : [keys, ...filters];
}

/** The kinds of keys and sides whose lists together contain the named records; empty for others. */
function keysOf(dataset: string, { columns }: Naming): [ListKeys, Side | ''][] {
  const words = wordsOfDataset(dataset).filter(({ column }) => columns.includes(column));
  return words.flatMap(({ column }): [ListKeys, Side | ''][] => {
    const kind = kindOfKey(column);
    if (kind === undefined || kind === 'transaction') return [];
    if (kind !== 'address') return [[kind, '']];
    if (column === fromAddress.column) return [[kind, 'from']];
    return column === toAddress.column
      ? [[kind, 'to']]
      : sidesOf(kind, 'both').map((side) => [kind, side]);
  });
}

function sidesOf(kind: ListKeys, side: Side | undefined): (Side | '')[] {
  if (kind !== 'address') return [''];
  return side === 'from' || side === 'to' ? [side] : ['from', 'to'];
}

const idOf = (kind: ListKeys, side: Side | '', key: string): string => `${kind} ${side} ${key}`;

/** The parts of the interval that lie in every list; empty if there are no lists. */
function inAll(interval: Interval, lists: readonly (readonly Interval[])[]): Interval[] {
  if (lists.length === 0) return [];
  return lists.reduce<Interval[]>(
    (covered, list) =>
      covered.flatMap((part) => list.flatMap((other) => intersection(part, other) ?? [])),
    [interval],
  );
}
