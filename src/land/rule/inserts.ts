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
  readonly #shared = new Map<string, Set<Insert<R>>>();

  /** `claims` are those of all walks of the commit, `coverage` is that of the table. */
  constructor(coverage: Coverage, claims: readonly Claim[]) {
    this.#coverage = coverage;
    for (const claim of claims) {
      for (const key of claim.keys) this.#shared.set(keyOf(claim, key), new Set());
    }
  }

  all(): readonly Insert<R>[] {
    return this.#all;
  }

  add(claim: Claim, record: R): void {
    const insert = { claim, record };
    this.#all.push(insert);
    if (record.touches.length < 2) return;
    const covered = this.#coverage.keysOf(claim);
    const walked = record.touches.filter((key) => this.#shared.has(keyOf(claim, key)));
    const others = record.touches.filter((key) => covered.has(key) && !walked.includes(key));
    if (walked.length + others.length < 2) return;
    for (const key of walked) this.#shared.get(keyOf(claim, key))?.add(insert);
  }

  remove(removal: Removal): void {
    const isGone = ({ claim, record }: Insert<R>): boolean => removes(removal, claim, record);
    const gone = this.#all.filter(isGone);
    if (gone.length === 0) return;
    this.#all = this.#all.filter((insert) => !isGone(insert));
    for (const insert of gone) {
      for (const key of insert.record.touches) {
        this.#shared.get(keyOf(insert.claim, key))?.delete(insert);
      }
    }
  }

  /** Records of the claim's list in its interval that touch one of its keys and another key. */
  touching(claim: Claim): R[] {
    const found = new Set<R>();
    for (const key of claim.keys) {
      for (const { record } of this.#shared.get(keyOf(claim, key)) ?? []) {
        if (contains(claim.interval, record.height)) found.add(record);
      }
    }
    return [...found];
  }
}

function keyOf(list: ListId, key: string): string {
  return `${listKey(list)} ${key}`;
}
