import { createHash } from 'node:crypto';
import { endpointAt, equalsParams } from '../catalogue/index.ts';
import type { Destination } from './empty-answers.ts';
import type { Fetched } from './fetch-slice.ts';
import { contentOf } from './wire.ts';

interface Answer extends Destination {
  readonly part: Fetched;
  readonly value: string;
  readonly digest: string;
}

/**
 * Finds filters that a service ignores. Records do not carry the value of some filters (the token
 * standard): the value is filled in as it was asked. If two values of such a filter bring the same
 * records for the same keys and blocks, the service did not look at it, and neither is believed.
 */
export class SameAnswers {
  readonly #answers = new Map<string, Answer[]>();

  /** Parts to take back because this part equals them; undefined where it equals none. */
  refutedBy(part: Fetched, to: Destination): Refutation | undefined {
    const answer = answerOf(part, to);
    if (answer === undefined) return undefined;
    const { question, ...own } = answer;
    const others = this.#answers.get(question) ?? [];
    this.#answers.set(question, [...others, { ...own, part: { ...part, records: [] } }]);
    const same = others.filter(({ digest, value }) => {
      return digest === own.digest && value !== own.value;
    });
    if (same.length === 0) return undefined;
    const values = [own.value, ...same.map(({ value }) => value)].sort().join(' and ');
    const reason = `${values} have the same records: the service ignores the filter`;
    return { reason, others: same };
  }
}

export interface Refutation {
  readonly reason: string;
  /** Earlier parts, without their records. */
  readonly others: readonly (Destination & { readonly part: Fetched })[];
}

/** undefined for parts without records, and for lists without such a filter. */
function answerOf(
  part: Fetched,
  to: Destination,
): (Answer & { readonly question: string }) | undefined {
  const { slice, records, status } = part;
  const { params } = slice.variant;
  const endpoint = endpointAt(slice.endpoint);
  const filter = equalsParams(endpoint).find(({ fills }) => fills !== undefined);
  const value = filter === undefined ? undefined : (params[filter.name] ?? filter.default);
  const isProven = status === 'complete' || status === 'provisional';
  if (filter === undefined || value === undefined || records.length === 0 || !isProven) {
    return undefined;
  }
  const { [filter.name]: _, ...others } = params;
  const { from, to: last } = slice.interval;
  const question = JSON.stringify([slice.endpoint, others, slice.keys, from, last]);
  const contents = records.map((record) => contentOf(endpoint, record)).sort();
  const digest = createHash('sha256').update(contents.join('\n')).digest('base64');
  return { ...to, part, value, digest, question };
}
