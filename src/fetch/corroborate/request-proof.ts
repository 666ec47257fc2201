import { paramOf } from '../../catalogue/index.ts';
import { isSameList, listKey } from '../../coverage/list.ts';
import { blocksIn, halves, type Interval } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';
import { unlessRefused } from '../http/call-failure.ts';
import type { Caller } from '../http/caller.ts';
import { askedRange, isTooWide } from '../walk/asked-range.ts';
import type { ListFacts } from '../walk/list-facts.ts';
import { readPage } from '../walk/pages.ts';
import type { SourceSettings } from '../walk/walk.ts';
import type { HeldPart } from './destination.ts';
import { withSlice } from './empty-part.ts';
import { isKnownAnswered } from './known-question.ts';

/** Most questions of one call: one may prove or refute many parts. */
const MAX_QUESTIONS = 8;
/** An index that lags by more blocks is not expected where no known record is near. */
const NEWEST_BLOCKS = 10_000;

const REFUTED = 'ranges like this one return no records, not even known ones';
const UNKNOWN_END = 'the list has shown no record near the end of this range';

/**
 * Proves that empty answers do not depend on their requests: a service may return nothing for
 * ranges that end above its index, or that are wide. A known question for an empty answer has the
 * same end, is at least as wide, and has a known record in its range.
 */
export class RequestProof {
  readonly #source: { readonly caller: Caller; readonly facts: ListFacts };
  /** Ranges of known questions that had no records, by list. */
  readonly #refuted = new Map<string, Interval[]>();

  constructor(source: { readonly caller: Caller; readonly facts: ListFacts }) {
    this.#source = source;
  }

  /** Whether requests with the end and the width of this part have had records. */
  isProven({ part: { slice } }: HeldPart): boolean {
    const isRanged = slice.list.entry.list === 'ranged';
    return !isRanged || slice.provisional || this.#source.facts.answered.proves(slice);
  }

  /**
   * Sends known questions for the parts that are not proven, that of the highest end first. Returns
   * whether one was answered with records.
   */
  async ask(held: readonly HeldPart[]): Promise<boolean> {
    let isAnswered = false;
    for (let i = 0; i < MAX_QUESTIONS; i += 1) {
      const open = held.filter((each) => !this.isProven(each) && !this.#isRefuted(each));
      const questions = open.flatMap(({ part, settings }) => {
        const question = this.#questionFor(part, settings);
        return question === undefined ? [] : [{ question, settings }];
      });
      const [next] = questions.sort((a, b) => b.question.interval.to - a.question.interval.to);
      if (next === undefined) break;
      const answer = await this.#answers(next.question, next.settings);
      if (answer === undefined) break;
      if (answer) isAnswered = true;
      else {
        const id = listKey(next.question.list);
        this.#refuted.set(id, [...(this.#refuted.get(id) ?? []), next.question.interval]);
      }
    }
    return isAnswered;
  }

  /**
   * Whether the answer may land as it is. Where no question can be asked, only the newest blocks
   * are doubted.
   */
  isAccepted(held: HeldPart): boolean {
    return this.isProven(held) || !(isNewest(held) || this.#isRefuted(held));
  }

  /** The pieces of a part that is not accepted: those to read in other requests, and the rest. */
  pieces<T extends HeldPart>(
    held: T,
  ): { readonly read: readonly T[]; readonly rest: readonly T[] } {
    const { slice } = held.part;
    const { from, to } = slice.interval;
    const cut = (at: number): [T, T] => [
      withSlice(held, { interval: { from, to: at } }),
      withSlice(held, { interval: { from: at + 1, to } }),
    ];
    if (!this.#isRefuted(held)) {
      const floor = held.head - NEWEST_BLOCKS;
      if (from > floor || floor >= to) return { read: [], rest: [held] };
      const [low, high] = cut(floor);
      return { read: [low], rest: [high] };
    }
    const end = this.#source.facts.answered.endOf(slice.list);
    const middle = halves({ from, to })[0].to;
    if (from === to) return { read: [], rest: [held] };
    return { read: cut(from <= end && end < to ? end : middle), rest: [] };
  }

  /** The part with the status that its answer proves. */
  judged(held: HeldPart): FetchedPart {
    const { part } = held;
    if (this.isAccepted(held)) return part;
    const reason = this.#isRefuted(held) ? REFUTED : UNKNOWN_END;
    const end = this.#source.facts.answered.endOf(part.slice.list);
    const status = part.slice.interval.to > end ? 'provisional' : 'inconsistent';
    return { ...part, status, reason };
  }

  /**
   * Whether the list shows a known record to the keys of a part and the key of that record. A group
   * of the largest size is tried without its last and without its first key.
   */
  async isGroupAnswered({ part: { slice }, settings }: HeldPart): Promise<boolean> {
    const { list, keys } = slice;
    const known = this.#source.facts.answered.newestOf(list);
    if (known === undefined || !isSameList(known.list, list)) return true;
    const { max = keys.length + 1 } = paramOf(list.entry, 'keys') ?? {};
    const others = keys.length < max ? [keys] : [keys.slice(0, -1), keys.slice(1)];
    for (const each of others) {
      const question = { ...known, keys: [...each, ...known.keys].sort() };
      if ((await this.#answers(question, settings)) === false) return false;
    }
    return true;
  }

  #isRefuted({ part: { slice } }: HeldPart): boolean {
    const { list } = this.#source.facts.answered.newestOf(slice.list) ?? slice;
    const { interval } = slice;
    return (this.#refuted.get(listKey(list)) ?? []).some(
      (range) => interval.to >= range.to || blocksIn(interval) >= blocksIn(range),
    );
  }

  /** undefined where no record is known, or the range would be too wide. */
  #questionFor({ slice }: FetchedPart, settings: SourceSettings): Slice | undefined {
    const known = this.#source.facts.answered.newestOf(slice.list);
    if (known === undefined) return undefined;
    const { to: height } = known.interval;
    const to = Math.max(height, slice.interval.to);
    const from = Math.max(0, Math.min(height, to - blocksIn(slice.interval) + 1));
    const question = { ...known, interval: { from, to } };
    const reading = this.#reading(question, settings);
    return isTooWide(reading, askedRange(reading, question.interval)) ? undefined : question;
  }

  /** undefined where the list does not even show the known record alone. */
  async #answers(question: Slice, settings: SourceSettings): Promise<boolean | undefined> {
    const { facts } = this.#source;
    const { endpoint } = question.list;
    const isSeen = async (): Promise<boolean> => {
      const reply = await readPage(this.#reading(question, settings), 1).catch(unlessRefused);
      return reply !== undefined && reply.records.length > 0;
    };
    if (await isSeen()) {
      facts.sawAnswer(endpoint, true);
      facts.answered.prove(question);
      return true;
    }
    // An index that moves may answer now, but may not have had the blocks before.
    if (await isSeen()) {
      facts.sawAnswer(endpoint, false);
      return false;
    }
    const isShown = await isKnownAnswered(this.#source, endpoint, settings);
    return isShown ? false : undefined;
  }

  #reading(slice: Slice, settings: SourceSettings) {
    const endpoint = slice.list.entry;
    const limit = settings.facts.pageSize(endpoint.path, settings.pageSize);
    return { caller: this.#source.caller, endpoint, slice, settings, limit };
  }
}

/** Whether the part ends where an index may lag. */
export function isNewest({ part, head }: HeldPart): boolean {
  return part.slice.interval.to > head - NEWEST_BLOCKS;
}
