import { createHash } from 'node:crypto';
import { equalsParams } from '../../catalogue/index.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';
import { contentOf } from '../walk/wire.ts';
import type { Destination } from './destination.ts';

interface Answer extends Destination {
  readonly slice: Slice;
  readonly value: string;
  readonly digest: string;
}

export interface Refutation {
  readonly reason: string;
  /** All slices that returned the same records. */
  readonly answers: readonly (Destination & { readonly slice: Slice })[];
}

/**
 * Detects filters that a service ignores. Records do not carry the value of some filters (the token
 * standard), so windrow fills in the value that it sent. If two values of such a filter return the
 * same records for the same keys and blocks, the service ignored the filter, and both answers are
 * refuted.
 */
export class SameAnswers {
  readonly #answers = new Map<string, Answer[]>();

  /**
   * The slices to withdraw because their records equal this one's; undefined where there are none.
   */
  refutedBy(slice: Slice, digest: string | undefined, to: Destination): Refutation | undefined {
    const filter = ignorableFilter(slice);
    if (filter === undefined || digest === undefined) return undefined;
    const { name, value } = filter;
    const { [name]: _, ...others } = slice.list.filters;
    const { from, to: last } = slice.interval;
    const question = JSON.stringify([slice.list.endpoint, others, slice.keys, from, last]);
    const answer = { ...to, slice, value, digest };
    const answers = [...(this.#answers.get(question) ?? []), answer];
    this.#answers.set(question, answers);
    const same = answers.filter((other) => other.digest === digest);
    if (new Set(same.map((each) => each.value)).size < 2) return undefined;
    const values = [...new Set(same.map((each) => each.value))].sort().join(' and ');
    return { reason: `${values} have the same records: the filter is ignored`, answers: same };
  }
}

function ignorableFilter({
  list,
}: Slice): { readonly name: string; readonly value: string } | undefined {
  const param = equalsParams(list.entry).find(({ fills }) => fills !== undefined);
  const value = param === undefined ? undefined : (list.filters[param.name] ?? param.default);
  return param === undefined || value === undefined ? undefined : { name: param.name, value };
}

/**
 * A digest of the records of a slice's parts as a multiset, independent of their order and of the
 * split.
 */
export class PartsDigest {
  readonly #isWanted: boolean;
  #sum = 0n;
  #records = 0;

  constructor(slice: Slice) {
    this.#isWanted = ignorableFilter(slice) !== undefined;
  }

  add({ slice, records }: FetchedPart): void {
    if (!this.#isWanted) return;
    const endpoint = slice.list.entry;
    for (const record of records) {
      const hash = createHash('sha256').update(contentOf(endpoint, record)).digest();
      this.#sum = BigInt.asUintN(128, this.#sum + hash.readBigUInt64LE(0));
    }
    this.#records += records.length;
  }

  /** undefined where no part had a record. */
  text(): string | undefined {
    return this.#records === 0 ? undefined : `${this.#records} ${this.#sum}`;
  }
}
