import type { Coverage } from '../../coverage/coverage.ts';
import { type ListId, listKey } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import { type Claim, type Landable, type Removal, removes, type Walk } from './claim.ts';

/** The records that a commit adds so far. A later walk of the commit may remove them again. */
export class Inserts<R extends Landable> {
  #all: Walk<R>[] = [];
  readonly #coverage: Coverage;
  /** Records that touch several followed keys, by list and key; only keys of the walks. */
  readonly #shared = new Map<string, Map<string, Set<R>>>();

  /** `claims` are those of all walks of the commit, `coverage` is that of the table. */
  constructor(coverage: Coverage, claims: readonly Claim[]) {
    this.#coverage = coverage;
    for (const claim of claims) {
      const list = listKey(claim.list);
      const byKey = this.#shared.get(list) ?? new Map<string, Set<R>>();
      this.#shared.set(list, byKey);
      for (const key of claim.keys) byKey.set(key, new Set());
    }
  }

  /** The added records, in one or more parts for each walk, in the order of the walks. */
  all(): readonly Walk<R>[] {
    return this.#all;
  }

  /**
   * The records of a walk that touch several keys of its own, or another key that the table or a
   * walk of the commit follows. Most records touch one key alone, and need no comparison.
   */
  shared({ claim, records }: Walk<R>): ReadonlySet<R> {
    const keys = new Set(claim.keys);
    const isFollowed = this.#isFollowed(claim.list);
    const isShared = ({ touches }: R): boolean => {
      let named = 0;
      for (const key of touches) {
        if (keys.has(key)) named += 1;
        else if (isFollowed(key)) return true;
      }
      return named > 1;
    };
    return new Set(records.filter(isShared));
  }

  /** Adds records of a walk; `shared` are those that `shared` returned for it. */
  add(claim: Claim, records: readonly R[], shared: ReadonlySet<R>): void {
    const walked = this.#sharedOf(claim.list);
    const isFollowed = this.#isFollowed(claim.list);
    this.#all.push({ claim, records });
    for (const record of records) {
      if (!shared.has(record)) continue;
      for (const key of record.touches) if (isFollowed(key)) walked.get(key)?.add(record);
    }
  }

  #isFollowed(list: ListId): (key: string) => boolean {
    const walked = this.#sharedOf(list);
    const covered = this.#coverage.keysOf(list);
    return (key) => walked.has(key) || covered.has(key);
  }

  remove(removal: Removal): void {
    this.#all = this.#all.map((added) => {
      const { claim, records } = added;
      const gone = new Set(records.filter((record) => removes(removal, claim.list, record)));
      if (gone.size === 0) return added;
      const walked = this.#sharedOf(claim.list);
      for (const record of gone) {
        for (const key of record.touches) walked.get(key)?.delete(record);
      }
      return { claim, records: records.filter((record) => !gone.has(record)) };
    });
  }

  /** Records of the claim's list in its interval that touch one of its keys and another key. */
  touching(claim: Claim): R[] {
    const records = new Set<R>();
    const shared = this.#sharedOf(claim.list);
    for (const key of claim.keys) {
      for (const record of shared.get(key) ?? []) {
        if (contains(claim.interval, record.height)) records.add(record);
      }
    }
    return [...records];
  }

  #sharedOf(list: ListId): ReadonlyMap<string, Set<R>> {
    return this.#shared.get(listKey(list)) ?? new Map();
  }
}
