import { createHash } from 'node:crypto';
import { equalsParams } from '../../catalogue/index.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';
import { contentOf } from '../walk/record-reader.ts';
import type { Destination } from './destination.ts';

interface Answer extends Destination {
  readonly slice: Slice;
}

export interface Refutation {
  readonly reason: string;
  /** All slices of the lists concerned that were read so far. */
  readonly answers: readonly Answer[];
}

/**
 * Detects filters that a service ignores. Records do not carry the value of some filters (the token
 * standard), so windrow fills in the value that it sent. If two values of such a filter return the
 * same records for the same keys and blocks, the service ignored the filter. All answers for both
 * values are then refuted, empty ones too: they may be those of the other value.
 */
export class SameAnswers {
  /** Values of the filter by question and digest of the answer. */
  readonly #values = new Map<string, Set<string>>();
  /** All answers of a list with one value. */
  readonly #answers = new Map<string, Answer[]>();
  /** Reasons by list and value. */
  readonly #refuted = new Map<string, string>();

  /**
   * The slices to withdraw, this one among them; undefined where there are none. `digest` is
   * undefined for a slice without records.
   */
  refutedBy(slice: Slice, digest: string | undefined, to: Destination): Refutation | undefined {
    const filter = ignorableFilter(slice);
    if (filter === undefined) return undefined;
    const { name, value } = filter;
    const { [name]: _, ...others } = slice.list.filters;
    const { from, to: last } = slice.interval;
    const list = JSON.stringify([slice.list.endpoint, others]);
    const answer = { ...to, slice };
    const earlierReason = this.#refuted.get(`${list} ${value}`);
    if (earlierReason !== undefined) return { reason: earlierReason, answers: [answer] };
    const answers = this.#answers.get(`${list} ${value}`) ?? [];
    this.#answers.set(`${list} ${value}`, answers);
    answers.push(answer);
    if (digest === undefined) return undefined;
    const question = JSON.stringify([list, slice.keys, from, last, digest]);
    const values = this.#values.get(question) ?? new Set();
    this.#values.set(question, values.add(value));
    if (values.size < 2) return undefined;
    const names = [...values].sort();
    const reason = `${names.join(' and ')} have the same records: the filter is ignored`;
    for (const name of names) this.#refuted.set(`${list} ${name}`, reason);
    return { reason, answers: names.flatMap((name) => this.#answers.get(`${list} ${name}`) ?? []) };
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

  add({ records }: FetchedPart): void {
    if (!this.#isWanted) return;
    for (const record of records) {
      const hash = createHash('sha256').update(contentOf(record)).digest();
      this.#sum = BigInt.asUintN(128, this.#sum + hash.readBigUInt64LE(0));
    }
    this.#records += records.length;
  }

  /** undefined where no part had a record. */
  text(): string | undefined {
    return this.#records === 0 ? undefined : `${this.#records} ${this.#sum}`;
  }
}
