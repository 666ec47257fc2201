import type { CoverageEntry, CoverageGroup } from '../../coverage/coverage.ts';
import { listKey } from '../../coverage/list.ts';
import { type LandedList, type Traits, traitsOf } from './lists.ts';

/** The coverage of one list. Very many keys may have one group: those that were read together. */
export interface ListCoverage {
  readonly traits: Traits;
  readonly groups: readonly CoverageGroup[];
}

/** The coverage of one raw table. */
interface TableCoverage {
  readonly dataset: string;
  readonly coverage: readonly CoverageGroup[];
}

/** The coverage of every list, in the order of precedence of the lists. */
export function listCoverage(tables: readonly TableCoverage[]): ListCoverage[] {
  const groupsOf = new Map<string, CoverageGroup[]>();
  const lists = new Map<string, LandedList>();
  for (const { dataset, coverage } of tables) {
    for (const group of coverage) {
      const { endpoint, variant } = group;
      const list = { dataset, endpoint, variant };
      const id = idOf(list);
      const groups = groupsOf.get(id);
      if (groups !== undefined) groups.push(group);
      else {
        groupsOf.set(id, [group]);
        lists.set(id, list);
      }
    }
  }
  return traitsOf([...lists.values()]).map((traits) => ({
    traits,
    groups: groupsOf.get(idOf(traits)) ?? [],
  }));
}

function idOf(list: LandedList): string {
  return `${list.dataset} ${listKey(list)}`;
}

/** One entry per key and interval. A list of look-ups may have millions. */
export function* keyEntriesOf({ groups }: ListCoverage): Generator<CoverageEntry, void, undefined> {
  for (const { endpoint, variant, keys, parts } of groups) {
    for (const key of keys) for (const part of parts) yield { ...part, endpoint, variant, key };
  }
}

/** Whether the keys of the list are hashes of transactions. */
export function isOfLookUps({ traits }: ListCoverage): boolean {
  return traits.keyKind === 'transaction';
}
