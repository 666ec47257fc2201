import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { contains, type Interval, subtract } from '../../../coverage/ranges.ts';
import type { PageReply } from '../../http/caller.ts';
import { askedRange, isEdgeHidden, isStartUnknown, isTooWide } from '../asked-range.ts';
import { type PageMode, readPageOf } from '../pages.ts';
import { listedOn } from '../pending-records.ts';
import { matchedKeys } from '../record-reader.ts';
import { areSame, beyondOf, orderOf, Records, settledOf } from '../sorted-pages.ts';
import type { Reading } from '../walk.ts';
import { KeyCaps } from './key-caps.ts';
import { isShownWhole } from './key-order.ts';
import { type Cut, PageJudge } from './page-judge.ts';
import { learnEdges, readAvailable } from './range-edges.ts';
import { RequestBudget } from './request-budget.ts';
import { emptySegment, joined, overflowSegment, type Segment, wholeSegment } from './segments.ts';
import {
  cutStretch,
  cutsOfLongList,
  givenUp,
  halvedStretch,
  MAX_PARTS,
  partsOfUnsorted,
  type Step,
  type Stretch,
  within,
} from './stretches.ts';

/**
 * Reads a list with block bounds by moving the bounds, never by page number: page 1 of the whole
 * range, then page 1 of the heights beyond its records. The last height of a page is read again
 * with the next page and must show its records again. No record can then be lost between two pages,
 * whatever order the service gives to records of one height, and whatever its page size is. Lists
 * may start with the newest or the oldest record; unsorted lists are read in small parts.
 */

/** Proven records are yielded once this many are buffered. */
const SEGMENT_RECORDS = 50_000;
type Shown = readonly ListedRecord[];

/** Contradictions of one stretch before it is reported as contradictory. */
const MAX_TRIES = 4;

/** Yields the whole interval in segments; adjacent whole ones are joined. */
export async function* walkHeights(reading: Reading): AsyncGenerator<Segment> {
  const walk = new HeightWalk(reading);
  const { interval } = reading.slice;
  let open: Stretch[] = [{ ...interval, history: reading.history ?? [], tries: 0, isPart: false }];
  let whole: Segment[] = [];
  let buffered = 0;
  while (open.length > 0) {
    const spent = walk.budget.overspent();
    const steps = await Promise.all(
      open.splice(0, MAX_PARTS).map((stretch) => {
        return spent === undefined ? walk.step(stretch) : givenUp(stretch, spent);
      }),
    );
    open = [...steps.flatMap((step) => step.open), ...open];
    for (const segment of steps.flatMap((step) => step.segments)) {
      if (segment.kind !== 'whole') yield segment;
      else {
        whole.push(segment);
        buffered += segment.records.length;
      }
    }
    if (open.length > 0 && buffered < SEGMENT_RECORDS) continue;
    const judged = await walk.caps.judged(whole);
    yield* judged.filter(({ kind }) => kind !== 'whole');
    yield* joined(judged.filter(({ kind }) => kind === 'whole'));
    whole = [];
    buffered = 0;
  }
}

class HeightWalk {
  readonly #reading: Reading;
  readonly #judge: PageJudge;
  readonly budget = new RequestBudget();
  readonly caps: KeyCaps;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.caps = new KeyCaps(reading);
    this.#judge = new PageJudge(reading);
  }

  /** Reads one page. */
  async step(stretch: Stretch): Promise<Step> {
    const reading = { ...this.#reading, limit: this.#judge.limit };
    const { endpoint } = reading;
    const { facts } = reading.settings;
    const stay: Step = { segments: [], open: [stretch] };
    const wanted = askedRange(reading, stretch);
    if (isTooWide(reading, wanted)) return { segments: [], open: halvedStretch(stretch) };
    const mode = stretch.history.length > 0 ? 'has-records' : 'plain';
    const ask = (range: Interval) => this.#ask(range, mode);
    const { range, reply } = await readAvailable(reading, stretch, wanted, ask);
    const shown = reply.records;
    if (listedOn(reply) === 0 && this.#judge.isClamped(reply)) return stay;
    const again = this.#judge.shortAgain(stretch, reply);
    if (again !== undefined) return { segments: [], open: [this.#again(again, shown)] };
    const cut = this.#judge.cutOf(reply);
    const wrong =
      this.#judge.wrongIn(reply, range) ??
      this.#judge.missing(stretch, shown, cut) ??
      (await this.#otherPage(stretch, range, shown));
    if (wrong !== undefined) return this.#contradicted(stretch, shown, wrong);
    if (reading.slice.keys.length > 1 && facts.at(endpoint.path).areKeysCut) {
      return { segments: [overflowSegment(stretch, stretch.history, true)], open: [] };
    }
    facts.pageShown(endpoint.path, listedOn(reply));
    this.budget.shown(shown.length);
    this.#judge.learn(range, shown);
    const inside = shown.filter((record) => this.#judge.isInside(stretch, record));
    const height = inside[0]?.height;
    if (height !== undefined) {
      facts.learnKnown(endpoint.path, { ...reading.slice, interval: { from: height, to: height } });
      if (isEdgeHidden(reading, stretch, range) || isStartUnknown(reading, stretch)) {
        const isShown = await learnEdges(reading, height);
        const reason = `a record at height ${height} is not listed when that height is requested`;
        if (!isShown) return this.#contradicted(stretch, shown, reason);
        if (isEdgeHidden(reading, stretch, range)) return stay;
      }
    }
    this.caps.add(stretch, shown, cut);
    if (cut === undefined) return this.#settled(stretch, inside);
    // A page of only pending or broken records has no height that shows where the list continues.
    if (this.#judge.heights(shown).length === 0) {
      if (cut !== 'full') return this.#settled(stretch, inside);
      return { segments: [overflowSegment(stretch, inside)], open: [] };
    }
    if (cut === 'full') return this.#beyond(stretch, shown, inside, reply);
    return this.#checked(stretch, reply, inside, cut);
  }

  /** Replies without a page number are read twice to prove that they are page 1. */
  async #otherPage(stretch: Stretch, range: Interval, shown: Shown) {
    const { endpoint } = this.#reading;
    const isSeen = stretch.history.length > 0 && stretch.isPart;
    if (endpoint.reply.shape !== 'bare' || isSeen || shown.length === 0) return undefined;
    const { records } = await this.#ask(range, 'has-records');
    if (areSame(records, shown)) return undefined;
    return 'page 1 had other records when it was read again';
  }

  /**
   * Checks a short page that may be cut: the heights beyond it must have no further records. If
   * they have some, the heights before must return the same records when they are requested alone,
   * because a record cap cuts a page only at its end.
   */
  async #checked(stretch: Stretch, reply: PageReply, inside: Shown, cut: Cut): Promise<Step> {
    const { endpoint, settings, slice } = this.#reading;
    const shown = reply.records;
    const heights = this.#judge.heights(shown);
    const order = orderOf(heights);
    const contradicted = (why = 'its parts differ') => this.#contradicted(stretch, shown, why);
    // Nothing beside one height shows whether the page was cut in the middle of it.
    const isOpen = order === 'one-height' && (await this.#judge.mayContinue(stretch, reply, cut));
    if (isOpen) return this.#beyond(stretch, shown, inside, reply);
    if (isOpen === undefined) return contradicted('page 2 of a height is like page 1');
    const parts = beyondOf(order, heights, stretch);
    const due = parts.flatMap((part) => within(inside, part));
    const records: ListedRecord[] = [];
    for (const part of parts) {
      const listed = await this.#listed(part, within(due, part).length > 0);
      if (listed === undefined) return contradicted();
      records.push(...listed);
    }
    if (records.length > due.length) {
      const isSame = await this.#comesAgain(settledOf(order, heights, stretch), inside);
      if (!isSame) return contradicted('a part of a page had other records when read alone');
      settings.facts.learnCap(endpoint.path, listedOn(reply));
      return this.#beyond(stretch, shown, inside, reply);
    }
    if (!areSame(records, due)) return contradicted();
    const [height] = heights;
    const isOfSeveral = slice.keys.length > 1 && settings.isUnsplit !== true;
    const isOneHeight = order === 'one-height' && height !== undefined && contains(stretch, height);
    if (cut !== 'capped' || !isOfSeveral || !isOneHeight) return this.#settled(stretch, inside);
    // All of it may be a part of the records of one height: one key at a time shows more.
    const interval = { from: height, to: height };
    const beside = subtract(stretch, [interval]).map(emptySegment);
    this.budget.seen += inside.length;
    return { segments: [overflowSegment(interval, inside, true), ...beside], open: [] };
  }

  /** The records in a part of a checked page; `proof: strict` reads doubtful parts twice. */
  async #listed(part: Interval, hasRecords: boolean): Promise<Shown | undefined> {
    const { endpoint, settings } = this.#reading;
    const isBare = endpoint.reply.shape === 'bare';
    const isTwice = settings.proof === 'strict' && (isBare || !hasRecords);
    let listed: Shown = [];
    for (let i = 0; i < (isTwice ? 2 : 1) && (isBare || listed.length === 0); i += 1) {
      const range = askedRange(this.#reading, part);
      const { records, ...reply } = await this.#ask(range, hasRecords ? 'has-records' : 'plain');
      if (this.#judge.wrongIn({ records, ...reply }, range) !== undefined) return undefined;
      this.#judge.learn(range, records);
      listed = new Records(listed).with(within(records, part)).all();
      // An extra block may have filled the page; the range omits it once the edges are known.
      const { from, to } = askedRange(this.#reading, part);
      if ((from !== range.from || to !== range.to) && listed.length < records.length)
        return this.#listed(part, hasRecords);
    }
    return listed;
  }

  /** Whether a part returns the records of the page when it is requested alone. */
  async #comesAgain(part: Interval, inside: Shown): Promise<boolean> {
    if (part.from > part.to) return true;
    const due = within(inside, part);
    const range = askedRange(this.#reading, part);
    const { records } = await this.#ask(range, due.length > 0 ? 'has-records' : 'plain');
    return areSame(within(records, part), due);
  }

  #ask(range: Interval, mode: PageMode): Promise<PageReply> {
    this.budget.requests += 1;
    return readPageOf({ ...this.#reading, limit: this.#judge.limit }, range, 1, mode);
  }

  /** The page has all records of the stretch. */
  #settled(stretch: Stretch, inside: Shown): Step {
    if (inside.length === 0) return { segments: [emptySegment(stretch)], open: [] };
    this.budget.seen += inside.length;
    return { segments: [wholeSegment(stretch, inside)], open: [] };
  }

  /** The list continues, or may continue, beyond this page. */
  async #beyond(stretch: Stretch, shown: Shown, inside: Shown, reply: PageReply): Promise<Step> {
    const heights = this.#judge.heights(shown);
    const order = orderOf(heights);
    const next: Stretch = { ...stretch, tries: 0, isPart: true };
    if (order === 'unsorted') return this.#inParts(next, heights, inside, reply);
    if (order === 'one-height') return this.#oneHeight(stretch, next, Math.min(...heights), inside);
    const isNewestFirst = order === 'newest-first';
    const last = isNewestFirst ? Math.min(...heights) : Math.max(...heights);
    // The page showed only extra blocks; ranges are now known to include their edges.
    if (isNewestFirst ? last > stretch.to : last < stretch.from) {
      return { segments: [], open: [stretch] };
    }
    const isLast = (record: ListedRecord): boolean => record.height === last;
    const settled = settledOf(order, heights, stretch);
    const rest = isNewestFirst ? { from: stretch.from, to: last } : { from: last, to: stretch.to };
    const records = inside.filter((record) => !isLast(record));
    const reading = { ...this.#reading, limit: this.#judge.limit };
    const isWhole = records.length === 0 || (await isShownWhole(reading, settled, shown, records));
    if (!isWhole) return this.#inParts(next, heights, inside, reply);
    this.budget.seen += records.length;
    const segments = settled.from <= settled.to ? [wholeSegment(settled, records)] : [];
    if (rest.from > rest.to) return { segments, open: [] };
    const knownRecords = new Records(within(stretch.history, rest));
    const left = { ...next, ...rest, history: knownRecords.with(inside.filter(isLast)).all() };
    const more = ((reply.totalPage ?? 0) - 1) * reading.limit;
    const cuts = cutsOfLongList(rest, settled, records.length, more);
    return { segments, open: cutStretch(left, cuts) };
  }

  #inParts(
    next: Stretch,
    heights: readonly number[],
    inside: Shown,
    { totalPage = 0 }: PageReply,
  ): Step {
    const whole = { ...next, history: new Records(next.history).with(inside).all() };
    const { limit } = this.#judge;
    return { segments: [], open: partsOfUnsorted(whole, heights, { totalPage, limit }) };
  }

  /** All records of the page have one height; the heights beside it are read separately. */
  #oneHeight(stretch: Stretch, next: Stretch, height: number, inside: Shown): Step {
    if (!contains(stretch, height)) return { segments: [], open: [stretch] };
    const interval = { from: height, to: height };
    this.budget.seen += inside.length;
    const open = subtract(stretch, [interval]).map((part) => {
      return { ...next, ...part, history: within(stretch.history, part) };
    });
    const here = new Records(within(stretch.history, interval)).with(inside);
    return { segments: [overflowSegment(interval, here.all())], open };
  }

  #contradicted(stretch: Stretch, shown: Shown, reason: string): Step {
    this.budget.reason = reason;
    const again = this.#again({ ...stretch, tries: stretch.tries + 1 }, shown);
    return again.tries < MAX_TRIES ? { segments: [], open: [again] } : givenUp(again, reason);
  }

  /** The stretch to read again; the next page must show the records of this one. */
  #again(stretch: Stretch, shown: Shown): Stretch {
    const { slice } = this.#reading;
    const here = shown.filter((record) => this.#judge.isInside(stretch, record));
    const ours = here.filter((record) => matchedKeys(record, slice).length > 0);
    const knownRecords = new Records(stretch.history).with(ours);
    return { ...stretch, history: knownRecords.all() };
  }
}
