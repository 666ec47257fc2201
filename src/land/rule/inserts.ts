import type { Coverage } from '../../coverage/coverage.ts';
import { type ListId, listKey } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import { type Claim, type Landable, type Removal, removes } from './claim.ts';

export interface Insert<R extends Landable> {
  readonly claim: Claim;
  readonly record: R;
}

/** The records that a commit adds so far. A later walk of the commit may remove them again. */
export class Inserts<R extends Landable> {
  #all: Insert<R>[] = [];
  readonly #coverage: Coverage;
  /** Records that touch several followed keys, by list and key; only keys of the walks. */
  readonly #shared = new Map<string, Map<string, Set<Insert<R>>>>();

  /** `claims` are those of all walks of the commit, `coverage` is that of the table. */
  constructor(coverage: Coverage, claims: readonly Claim[]) {
    this.#coverage = coverage;
    for (const claim of claims) {
      const byKey = this.#shared.get(listKey(claim)) ?? new Map<string, Set<Insert<R>>>();
      this.#shared.set(listKey(claim), byKey);
      for (const key of claim.keys) byKey.set(key, new Set());
    }
  }

  all(): readonly Insert<R>[] {
    return this.#all;
  }

  add(claim: Claim, records: readonly R[]): void {
    const covered = this.#coverage.keysOf(claim);
    const walked = this.#sharedOf(claim);
    const isFollowed = (key: string): boolean => walked.has(key) || covered.has(key);
    for (const record of records) {
      const insert = { claim, record };
      this.#all.push(insert);
      if (record.touches.length < 2) continue;
      const followed = record.touches.filter(isFollowed);
      if (followed.length < 2) continue;
      for (const key of followed) walked.get(key)?.add(insert);
    }
  }

  remove(removal: Removal): void {
    const isGone = ({ claim, record }: Insert<R>): boolean => removes(removal, claim, record);
    const gone = this.#all.filter(isGone);
    if (gone.length === 0) return;
    this.#all = this.#all.filter((insert) => !isGone(insert));
    for (const insert of gone) {
      for (const key of insert.record.touches) {
        this.#sharedOf(insert.claim).get(key)?.delete(insert);
      }
    }
  }

  /** Records of the claim's list in its interval that touch one of its keys and another key. */
  touching(claim: Claim): R[] {
    const found = new Set<R>();
    const shared = this.#sharedOf(claim);
    for (const key of claim.keys) {
      for (const { record } of shared.get(key) ?? []) {
        if (contains(claim.interval, record.height)) found.add(record);
      }
    }
    return [...found];
  }

  #sharedOf(list: ListId): ReadonlyMap<string, Set<Insert<R>>> {
    return this.#shared.get(listKey(list)) ?? new Map();
  }
}
