import { paramOf } from '../../catalogue/index.ts';
import { isSameList, listKey } from '../../coverage/list.ts';
import { blocksIn, halves, type Interval } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';
import { unlessRefused } from '../http/call-failure.ts';
import { askedRange, isTooWide } from '../walk/asked-range.ts';
import { readAvailable } from '../walk/heights/range-edges.ts';
import { readPageOf } from '../walk/pages.ts';
import type { SourceSettings } from '../walk/walk.ts';
import type { HeldPart } from './destination.ts';
import { type EmptyPart, rangeOf, withSlice } from './empty-part.ts';
import { isKnownAnswered, type ListSource, readingOf } from './known-question.ts';

/** Most questions of one call: one may prove or refute many parts. */
const MAX_QUESTIONS = 8;
/** Times that a question is sent with `proof: strict`: an index that moves answers some of them. */
const STRICT_ASKS = 5;
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
  readonly #source: ListSource;
  /** Ranges of known questions that had no records, by list. */
  readonly #refuted = new Map<string, Interval[]>();

  constructor(source: ListSource) {
    this.#source = source;
  }

  /** Whether requests with the end and the width of this part have had records. */
  isProven({ part: { slice }, range }: Pick<EmptyPart, 'part' | 'range'>): boolean {
    const { list, provisional } = slice;
    if (list.entry.list !== 'ranged' || provisional) return true;
    return this.#source.facts.answered.proves({ list, interval: range });
  }

  /**
   * Sends known questions for the parts that are not proven, that of the highest end first. Returns
   * whether one was answered with records.
   */
  async ask(held: readonly EmptyPart[]): Promise<boolean> {
    let isAnswered = false;
    for (let i = 0; i < MAX_QUESTIONS; i += 1) {
      const open = held.filter((part) => !this.isProven(part) && !this.#isRefuted(part));
      const questions = open.flatMap((part) => {
        const question = this.#questionFor(part);
        return question === undefined ? [] : [{ question, settings: part.settings }];
      });
      const [next] = questions.sort((a, b) => b.question.interval.to - a.question.interval.to);
      if (next === undefined) break;
      const { question, settings } = next;
      const answer = await this.#answers(question, settings, question.interval);
      if (answer === undefined) break;
      if (answer) isAnswered = true;
      else {
        const id = listKey(question.list);
        this.#refuted.set(id, [...(this.#refuted.get(id) ?? []), question.interval]);
      }
    }
    return isAnswered;
  }

  /**
   * Whether the answer may land as it is. Where no question can be asked, only the newest blocks
   * are doubted.
   */
  isAccepted(held: EmptyPart): boolean {
    return this.isProven(held) || !(isNewest(held) || this.#isRefuted(held));
  }

  /** The pieces of a part that is not accepted: those to read in other requests, and the rest. */
  pieces(held: EmptyPart): {
    readonly read: readonly EmptyPart[];
    readonly rest: readonly EmptyPart[];
  } {
    const { slice } = held.part;
    const { from, to } = slice.interval;
    const piece = (interval: Interval): EmptyPart => {
      const part = withSlice(held, { interval });
      return { ...part, range: rangeOf(part) };
    };
    if (!this.#isRefuted(held)) {
      const floor = held.head - NEWEST_BLOCKS;
      if (from > floor || floor >= to) return { read: [], rest: [held] };
      const rest = withSlice(held, { interval: { from: floor + 1, to } });
      return { read: [piece({ from, to: floor })], rest: [rest] };
    }
    const end = this.#source.facts.answered.endOf(slice.list);
    const middle = halves({ from, to })[0].to;
    if (from === to) return { read: [], rest: [held] };
    const at = from <= end && end < to ? end : middle;
    return { read: [piece({ from, to: at }), piece({ from: at + 1, to })], rest: [] };
  }

  /**
   * The part with the status that its answer proves. With a `doubt` about all empty answers of the
   * source, those about the newest blocks are provisional: more of them may be false than others.
   */
  judged(held: EmptyPart, doubt?: string): FetchedPart {
    const { part } = held;
    const isDoubted = part.slice.list.entry.list === 'ranged' && isNewest(held);
    if (doubt !== undefined && isDoubted) return { ...part, status: 'provisional', reason: doubt };
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
    const newestSlice = this.#source.facts.answered.newestOf(list);
    if (newestSlice === undefined || !isSameList(newestSlice.list, list)) return true;
    const { max = keys.length + 1 } = paramOf(list.entry, 'keys') ?? {};
    const others = keys.length < max ? [keys] : [keys.slice(0, -1), keys.slice(1)];
    for (const group of others) {
      const question = { ...newestSlice, keys: [...group, ...newestSlice.keys].sort() };
      const range = askedRange(readingOf(this.#source, question, settings), question.interval);
      if ((await this.#answers(question, settings, range)) === false) return false;
    }
    return true;
  }

  #isRefuted({ part: { slice }, range }: EmptyPart): boolean {
    const { list } = this.#source.facts.answered.newestOf(slice.list) ?? slice;
    return (this.#refuted.get(listKey(list)) ?? []).some(
      (refuted) => range.to >= refuted.to || blocksIn(range) >= blocksIn(refuted),
    );
  }

  /**
   * The known record in a range that ends where the part does, or as near to it as the width of the
   * part allows; undefined where no record is known, or requests have proven the range.
   */
  #questionFor({ part: { slice }, range, settings }: EmptyPart): Slice | undefined {
    const { answered } = this.#source.facts;
    const newest = answered.newestOf(slice.list);
    if (newest === undefined) return undefined;
    const blocks = blocksIn(range);
    // The blocks beside the record, where ranges may exclude their first or last block.
    const beside = askedRange({ endpoint: newest.list.entry, settings }, newest.interval);
    const endingAt = (end: number): Slice => {
      const to = Math.max(beside.to, end);
      return {
        ...newest,
        interval: { from: Math.max(0, Math.min(beside.from, to - blocks + 1)), to },
      };
    };
    const whole = endingAt(range.to);
    const isWhole = !isTooWide(readingOf(this.#source, whole, settings), whole.interval);
    const question = isWhole ? whole : endingAt(Math.min(range.to, beside.from + blocks - 1));
    return answered.proves(question) ? undefined : question;
  }

  /**
   * Whether the question, sent with this range, has records; undefined where the list does not even
   * show the known record alone.
   */
  async #answers(
    question: Slice,
    settings: SourceSettings,
    range: Interval,
  ): Promise<boolean | undefined> {
    const { facts } = this.#source;
    const { endpoint } = question.list;
    const reading = readingOf(this.#source, question, settings);
    // A service may refuse the blocks beside the part, and then it refused them to the part, too.
    const { from, to } = range;
    const inner = { from: Math.min(from + 1, to), to: Math.max(from, to - 1) };
    const isSeen = async (): Promise<boolean> => {
      const read = (interval: Interval) => readPageOf(reading, interval, 1);
      const answer = await readAvailable(reading, inner, range, read).catch(unlessRefused);
      return answer !== undefined && answer.reply.records.length > 0;
    };
    let seen = 0;
    const times = settings.proof === 'strict' ? STRICT_ASKS : 1;
    while (seen < times && (await isSeen())) seen += 1;
    const isProven = seen === times;
    // An index that moves may answer now, but may not have had the blocks before.
    if (isProven || seen > 0 || (await isSeen())) {
      facts.sawAnswer(endpoint, isProven);
      if (isProven) facts.answered.prove(question);
      return isProven;
    }
    const isShown = await isKnownAnswered(this.#source, endpoint, settings);
    return isShown ? false : undefined;
  }
}

/** Whether the part ends where an index may lag. */
export function isNewest({ part, head }: HeldPart): boolean {
  return part.slice.interval.to > head - NEWEST_BLOCKS;
}
