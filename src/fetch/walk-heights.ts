import type { WireRecord } from '../catalogue/record.ts';
import { contains, halves, type Interval, subtract } from '../plan/ranges.ts';
import type { PageReply } from './caller.ts';
import { capOf, type PageMode, pageText, readPageOf } from './pages.ts';
import { listedOn } from './pending-records.ts';
import { askedRange, isEdgeHidden, isTooWide, learnEdges } from './range-edges.ts';
import { beyondOf, cutByHeights, orderOf, Records } from './sorted-pages.ts';
import type { Reading } from './walked.ts';
import { heightOf, matchedKeys } from './wire.ts';

/**
 * Reads a list with block bounds by moving the bounds, never by page number: page 1 of the whole
 * range, then page 1 of what lies beyond the records it showed. The last height of a page is asked
 * again with the next one, and its records must come again: so nothing can lie between two pages,
 * whatever order the service gives to records of one height, and however many records it shows at
 * most. Pages may begin with the newest or the oldest record; unsorted ones are asked for in parts
 * that fit on one page.
 */

/** A part of the interval, with what is known of it. Parts do not overlap. */
export type Segment =
  | { readonly kind: 'whole'; readonly interval: Interval; readonly records: readonly WireRecord[] }
  /** The answer for this part was empty, which alone proves nothing. */
  | { readonly kind: 'empty'; readonly interval: Interval; readonly records: readonly [] }
  /** One height whose records do not fit on a page, or may not; these were shown. */
  | {
      readonly kind: 'crowded';
      readonly interval: Interval;
      /** The page was not full: only a record cap could have cut it. */
      readonly isDoubt: boolean;
      readonly records: readonly WireRecord[];
    }
  /** The service kept contradicting itself; these records were shown. */
  | {
      readonly kind: 'contradictory';
      readonly interval: Interval;
      readonly reason: string;
      readonly records: readonly WireRecord[];
    };

/** Heights still to be read. */
interface Stretch extends Interval {
  /** Records that were listed here, which every page that reaches their height must show. */
  readonly known: readonly WireRecord[];
  /** Contradictions met here so far. */
  readonly tries: number;
  /** It lies beside or below a part of the list that had records. */
  readonly isPart: boolean;
  /** The page that was shorter than its own page count says, as text. */
  readonly short?: string;
}

/**
 * Why a page may not be all of a stretch: it is full or counts more; it is as long as the longest
 * of late, so that a record cap may have cut it; or short pages are checked by the settings.
 */
type Cut = 'full' | 'capped' | 'checked';

/** What one page settles, and what it leaves to be read. */
interface Step {
  readonly segments: readonly Segment[];
  readonly open: readonly Stretch[];
}

/** A page that is filled to this share may have lost records at its end. */
const NEARLY_FULL = 0.9;
/** Finished records are handed over once there are this many of them. */
const SEGMENT_RECORDS = 50_000;
/** Contradictions of one stretch before it is given up. */
const MAX_TRIES = 4;
/** Requests of a walk beside those that its records need. */
const SPARE_REQUESTS = 24;
/** Requests per page that the records of a walk fill: an unsorted list needs up to three. */
const REQUESTS_PER_PAGE = 4;
/** A list with this many more pages is read in two parts at once. */
const PAGES_PER_PART = 50;
const MAX_PARTS = 8;

/** The whole interval in segments; adjacent whole ones are joined. */
export async function* walkHeights(reading: Reading): AsyncGenerator<Segment> {
  const walk = new HeightWalk(reading);
  const { interval } = reading.slice;
  let open: Stretch[] = [{ ...interval, known: reading.known ?? [], tries: 0, isPart: false }];
  let whole: Segment[] = [];
  let held = 0;
  while (open.length > 0) {
    const spent = walk.overspent();
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
        held += segment.records.length;
      }
    }
    if (held >= SEGMENT_RECORDS) {
      yield* joined(whole);
      whole = [];
      held = 0;
    }
  }
  yield* joined(whole);
}

class HeightWalk {
  readonly #reading: Reading;
  #limit: number;
  #requests = 0;
  #seen = 0;
  /** Records on the longest page. */
  #longest = 1;
  #reason = '';

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#limit = reading.settings.facts.pageSize(reading.endpoint.path, reading.limit);
  }

  /** Why the walk is given up; undefined while it takes no more requests than it can need. */
  overspent(): string | undefined {
    const pages = Math.ceil(this.#seen / this.#longest);
    if (this.#requests <= SPARE_REQUESTS + REQUESTS_PER_PAGE * pages) return undefined;
    const reason = this.#reason === '' ? '' : `; the last contradiction: ${this.#reason}`;
    return `${this.#requests} requests for ${this.#seen} records do not settle the list${reason}`;
  }

  /** Reads one page. */
  async step(stretch: Stretch): Promise<Step> {
    const reading = { ...this.#reading, limit: this.#limit };
    const { facts } = reading.settings;
    const { path } = reading.endpoint;
    const range = askedRange(reading, stretch);
    if (isTooWide(reading, range)) return { segments: [], open: this.#halved(stretch) };
    const reply = await this.#ask(range, stretch.known.length > 0 ? 'has-records' : 'plain');
    const shown = reply.records;
    if (listedOn(reply) === 0 && this.#isClamped(reply)) return { segments: [], open: [stretch] };
    const again = this.#shortAgain(stretch, reply);
    if (again !== undefined) return { segments: [], open: [again] };
    const cut = this.#cutOf(reply);
    const wrong = this.#wrongIn(reply, range) ?? this.#missing(stretch, shown, cut);
    if (wrong !== undefined) return this.#contradicted(stretch, shown, wrong);
    facts.pageShown(path, listedOn(reply));
    this.#longest = Math.max(this.#longest, shown.length);
    this.#learn(range, shown);
    const inside = shown.filter((record) => this.#isInside(stretch, record));
    const [first] = inside;
    const height = first === undefined ? undefined : heightOf(reading.endpoint, first);
    if (height !== undefined) {
      facts.learnKnown(path, { ...reading.slice, interval: { from: height, to: height } });
      if (isEdgeHidden(reading, stretch, range)) {
        const isShown = await learnEdges(reading, height);
        const reason = `a record at height ${height} is not listed when that height is asked`;
        if (!isShown) return this.#contradicted(stretch, shown, reason);
        if (isEdgeHidden(reading, stretch, range)) return { segments: [], open: [stretch] };
      }
    }
    if (cut === undefined) return this.#settled(stretch, inside);
    // A page of nothing but pending records: those in blocks are on later pages.
    if (shown.length === 0) {
      const { from, to } = stretch;
      const interval = { from, to };
      return {
        segments: [{ kind: 'crowded', interval, isDoubt: false, records: [] }],
        open: [],
      };
    }
    if (cut === 'full') return this.#beyond(stretch, shown, inside, reply);
    return this.#checked(stretch, range, reply, inside, cut);
  }

  /**
   * A short page that may have been cut all the same: what lies beyond it must have no other
   * records. If it has, the same page must come again before it counts as cut at a record cap.
   */
  async #checked(
    stretch: Stretch,
    range: Interval,
    reply: PageReply,
    inside: readonly WireRecord[],
    cut: Cut,
  ): Promise<Step> {
    const { endpoint, settings, slice } = this.#reading;
    const shown = reply.records;
    const heights = this.#heights(shown);
    const order = orderOf(heights);
    const beyond = beyondOf(order, heights, stretch);
    let due = 0;
    let found = 0;
    for (const part of beyond) {
      const known = this.#within(inside, part);
      const listed = await this.#listed(part, known.length > 0);
      if (listed === undefined) return this.#contradicted(stretch, shown, 'its parts differ');
      due += known.length;
      found += listed;
    }
    if (found > due) {
      const again = await this.#ask(range, 'has-records');
      const isSame = pageText(endpoint, again.records) === pageText(endpoint, shown);
      const reason = 'a page came with other records when it was read again';
      if (!isSame) return this.#contradicted(stretch, again.records, reason);
      settings.facts.learnCap(endpoint.path, listedOn(reply));
      return this.#beyond(stretch, shown, inside, reply);
    }
    if (found < due) return this.#contradicted(stretch, shown, 'its parts have fewer records');
    const [height] = heights;
    // Nothing beside one height shows whether a page without a count was cut in the middle of it.
    if (order === 'one-height' && endpoint.reply.shape === 'bare') {
      return this.#beyond(stretch, shown, inside, reply);
    }
    const isOfSeveral = slice.keys.length > 1 && settings.isUnsplit !== true;
    const isOneHeight = order === 'one-height' && height !== undefined && contains(stretch, height);
    if (cut !== 'capped' || !isOfSeveral || !isOneHeight) return this.#settled(stretch, inside);
    // All of it may be a part of the records of one height: one key at a time shows more.
    const interval = { from: height, to: height };
    const beside = subtract(stretch, [interval]);
    this.#seen += inside.length;
    return {
      segments: [
        { kind: 'crowded', interval, isDoubt: true, records: inside },
        ...beside.map((part) => wholeSegment(part, [])),
      ],
      open: [],
    };
  }

  /** How many records a part of a checked page lists; an empty part is read twice if strict. */
  async #listed(part: Interval, hasRecords: boolean): Promise<number | undefined> {
    const { settings } = this.#reading;
    const range = askedRange(this.#reading, part);
    const readings = settings.proof === 'strict' && !hasRecords ? 2 : 1;
    let found = 0;
    for (let i = 0; i < readings && found === 0; i += 1) {
      const reply = await this.#ask(range, hasRecords ? 'has-records' : 'plain');
      if (this.#wrongIn(reply, range) !== undefined) return undefined;
      found = this.#within(reply.records, part).length;
    }
    return found;
  }

  #ask(range: Interval, mode: PageMode): Promise<PageReply> {
    this.#requests += 1;
    return readPageOf({ ...this.#reading, limit: this.#limit }, range, 1, mode);
  }

  /** The page holds all that the stretch has. */
  #settled(stretch: Stretch, inside: readonly WireRecord[]): Step {
    const { from, to } = stretch;
    if (inside.length === 0) {
      return { segments: [{ kind: 'empty', interval: { from, to }, records: [] }], open: [] };
    }
    this.#seen += inside.length;
    return { segments: [wholeSegment(stretch, inside)], open: [] };
  }

  /** The list goes on, or may go on, beyond this page. */
  #beyond(
    stretch: Stretch,
    shown: readonly WireRecord[],
    inside: readonly WireRecord[],
    reply: PageReply,
  ): Step {
    const heights = this.#heights(shown);
    const order = orderOf(heights);
    const low = Math.min(...heights);
    const high = Math.max(...heights);
    const next: Stretch = { ...stretch, tries: 0, isPart: true };
    if (order === 'unsorted') return this.#inParts(next, heights, inside, reply);
    if (order === 'one-height') return this.#oneHeight(stretch, next, low, inside);
    const isNewestFirst = order === 'newest-first';
    const last = isNewestFirst ? low : high;
    // Only blocks beside the stretch were shown; now it is known that ranges include them.
    if (isNewestFirst ? last > stretch.to : last < stretch.from) {
      return { segments: [], open: [stretch] };
    }
    const isLast = (record: WireRecord): boolean => this.#height(record) === last;
    const settled = isNewestFirst
      ? { from: Math.max(last + 1, stretch.from), to: stretch.to }
      : { from: stretch.from, to: Math.min(last - 1, stretch.to) };
    const rest = isNewestFirst ? { from: stretch.from, to: last } : { from: last, to: stretch.to };
    const records = inside.filter((record) => !isLast(record));
    this.#seen += records.length;
    const segments = settled.from <= settled.to ? [wholeSegment(settled, records)] : [];
    if (rest.from > rest.to) return { segments, open: [] };
    const known = new Records(this.#reading.endpoint, this.#within(stretch.known, rest));
    const left = { ...next, ...rest, known: known.with(inside.filter(isLast)).all() };
    return { segments, open: this.#partsOf(left, settled, records.length, reply) };
  }

  /** Cuts what is left of a long list into parts of about as many records. */
  #partsOf(next: Stretch, settled: Interval, records: number, reply: PageReply): Stretch[] {
    const pages = (reply.totalPage ?? 0) - 1;
    const parts = Math.min(MAX_PARTS, Math.floor(pages / PAGES_PER_PART));
    const blocks = next.to - next.from + 1;
    if (parts < 2 || records === 0 || blocks < parts * 2) return [next];
    const perBlock = records / (settled.to - settled.from + 1);
    const width = Math.min(blocks / parts, (pages * this.#limit) / perBlock / parts);
    const cuts = Array.from({ length: parts - 1 }, (_, i) => Math.floor(next.to - width * (i + 1)));
    return this.#cut(next, cuts);
  }

  /** All records of the page are of one height: the others are asked for beside it. */
  #oneHeight(stretch: Stretch, next: Stretch, height: number, inside: readonly WireRecord[]): Step {
    if (!contains(stretch, height)) return { segments: [], open: [stretch] };
    const interval = { from: height, to: height };
    this.#seen += inside.length;
    const open = subtract(stretch, [interval]).map((part) => ({
      ...next,
      ...part,
      known: this.#within(stretch.known, part),
    }));
    return { segments: [{ kind: 'crowded', interval, isDoubt: false, records: inside }], open };
  }

  /** Records in no order of height: parts that should fit on one page each. */
  #inParts(
    next: Stretch,
    heights: readonly number[],
    inside: readonly WireRecord[],
    { totalPage = 0 }: PageReply,
  ): Step {
    const listed = Math.max(heights.length * 2, totalPage * this.#limit);
    const parts = Math.min(16, Math.max(2, Math.ceil(listed / (0.7 * this.#limit))));
    const sorted = [...heights].sort((a, b) => a - b);
    const cuts = Array.from({ length: parts - 1 }, (_, i) => {
      return sorted[Math.floor((sorted.length * (i + 1)) / parts)] ?? next.from;
    });
    const known = new Records(this.#reading.endpoint, next.known).with(inside).all();
    const open = this.#cut({ ...next, known }, cuts);
    return { segments: [], open: open.length > 1 ? open : this.#halved({ ...next, known }) };
  }

  #halved(stretch: Stretch): Stretch[] {
    const [low] = halves({ from: stretch.from, to: stretch.to });
    return this.#cut(stretch, [low.to]);
  }

  /** The stretch cut above each of the heights. */
  #cut(stretch: Stretch, heights: readonly number[]): Stretch[] {
    return cutByHeights(stretch, heights).map((part) => {
      return { ...stretch, ...part, known: this.#within(stretch.known, part) };
    });
  }

  #within(records: readonly WireRecord[], interval: Interval): WireRecord[] {
    return records.filter((record) => contains(interval, this.#height(record)));
  }

  /** Why the list may hold more than the page; undefined where it does not. */
  #cutOf(reply: PageReply): Cut | undefined {
    const { endpoint, settings } = this.#reading;
    const { totalPage = 0, total = 0, limit = this.#limit } = reply;
    const count = listedOn(reply);
    if (count === 0) return undefined;
    const most = Math.min(limit, this.#limit, capOf(endpoint, settings));
    const isCounted = settings.facts.areCountsRight(endpoint.path);
    if (count >= most || settings.facts.isCap(endpoint.path, count)) return 'full';
    if (isCounted && (totalPage > 1 || total > count)) return 'capped';
    if (settings.facts.mayBeCut(endpoint.path, count)) return 'capped';
    // Without a page count a short page may be a smaller page size that nothing announces.
    const isUncounted = endpoint.reply.shape === 'bare';
    const isChecked = isUncounted || settings.proof === 'strict' || count >= NEARLY_FULL * most;
    return isChecked ? 'checked' : undefined;
  }

  /**
   * The stretch to read again because the page holds less than its own count of pages or records
   * says: a record may be left out. Counts that come again with the same page are simply wrong.
   */
  #shortAgain(stretch: Stretch, reply: PageReply): Stretch | undefined {
    const { endpoint, settings } = this.#reading;
    const { records, totalPage = 0, total = 0, limit = this.#limit } = reply;
    const count = listedOn(reply);
    const isCounted = totalPage > 1 || total > count;
    const isShort = isCounted && count < Math.min(limit, this.#limit);
    if (count === 0 || !settings.facts.areCountsRight(endpoint.path)) return undefined;
    const short = isShort || stretch.short !== undefined ? pageText(endpoint, records) : undefined;
    if (short !== undefined && stretch.short === short) {
      settings.facts.countedWrongly(endpoint.path);
      return undefined;
    }
    return isShort && short !== undefined ? { ...stretch, short } : undefined;
  }

  /** An empty answer with a smaller page size than was asked refuses the size, not the question. */
  #isClamped({ limit = 0 }: PageReply): boolean {
    if (limit <= 0 || limit >= this.#limit) return false;
    this.#reading.settings.facts.clamped(this.#reading.endpoint.path, limit);
    this.#limit = limit;
    return true;
  }

  /** Why the page is no answer to the question; undefined when it is. */
  #wrongIn(reply: PageReply, range: Interval): string | undefined {
    const { endpoint, slice } = this.#reading;
    const { records, page, totalPage = 0, total = 0 } = reply;
    if (listedOn(reply) === 0 && (totalPage > 0 || total > 0)) {
      return `page 1 of ${totalPage} held no record`;
    }
    if (records.length > 0 && page !== undefined && page !== 1) {
      return `page 1 was asked and page ${page} came`;
    }
    for (const record of records) {
      const height = heightOf(endpoint, record);
      if (height !== undefined && !contains(range, height)) {
        return `a record at height ${height} was listed for ${range.from}-${range.to}`;
      }
      if (matchedKeys(endpoint, record, slice).length === 0) {
        return 'a record that matches none of the keys was listed';
      }
    }
    return undefined;
  }

  /** What a page lacks that was listed before, at a height that it must show whole. */
  #missing(
    { known }: Stretch,
    shown: readonly WireRecord[],
    cut: Cut | undefined,
  ): string | undefined {
    if (known.length === 0) return undefined;
    const heights = this.#heights(shown);
    const order = orderOf(heights);
    const low = Math.min(...heights);
    const high = Math.max(...heights);
    const isDue = (record: WireRecord): boolean => {
      const height = this.#height(record);
      if (cut === undefined) return true;
      if (order === 'newest-first') return height > low;
      return order === 'oldest-first' && height < high;
    };
    const lost = new Records(this.#reading.endpoint, shown).lacks(known.filter(isDue));
    if (lost === undefined) return undefined;
    return `a record at height ${this.#height(lost)} was listed before, and is not listed again`;
  }

  #contradicted(stretch: Stretch, shown: readonly WireRecord[], reason: string): Step {
    this.#reason = reason;
    this.#reading.settings.facts.contradicted();
    const tries = stretch.tries + 1;
    if (tries < MAX_TRIES) return { segments: [], open: [{ ...stretch, tries }] };
    const inside = shown.filter(
      (record) =>
        this.#isInside(stretch, record) &&
        matchedKeys(this.#reading.endpoint, record, this.#reading.slice).length > 0,
    );
    const { from, to } = stretch;
    const interval = { from, to };
    return { segments: [{ kind: 'contradictory', interval, reason, records: inside }], open: [] };
  }

  /** A record at the very edge of what was asked shows that ranges include that edge. */
  #learn(range: Interval, shown: readonly WireRecord[]): void {
    const { endpoint, settings } = this.#reading;
    for (const record of shown) {
      const height = heightOf(endpoint, record);
      if (height === range.from) settings.facts.learnEdges(endpoint.path, { from: true });
      if (height === range.to) settings.facts.learnEdges(endpoint.path, { to: true });
    }
  }

  /** Records without a height belong to the first stretch that lists them. */
  #isInside(stretch: Stretch, record: WireRecord): boolean {
    const height = heightOf(this.#reading.endpoint, record);
    return height === undefined ? !stretch.isPart : contains(stretch, height);
  }

  #heights(records: readonly WireRecord[]): number[] {
    return records.flatMap((record) => heightOf(this.#reading.endpoint, record) ?? []);
  }

  #height(record: WireRecord): number {
    return heightOf(this.#reading.endpoint, record) ?? -1;
  }
}

function wholeSegment(
  { from, to }: Interval,
  records: readonly WireRecord[],
): Segment & { readonly kind: 'whole' } {
  return { kind: 'whole', interval: { from, to }, records };
}

function givenUp({ from, to, known }: Stretch, reason: string): Step {
  const interval = { from, to };
  return { segments: [{ kind: 'contradictory', interval, reason, records: known }], open: [] };
}

/** Adjacent whole segments as one, in order of height. */
function joined(segments: readonly Segment[]): Segment[] {
  const sorted = [...segments].sort((a, b) => a.interval.from - b.interval.from);
  const result: { interval: Interval; records: WireRecord[] }[] = [];
  for (const { interval, records } of sorted) {
    const last = result.at(-1);
    if (last !== undefined && last.interval.to + 1 === interval.from) {
      last.interval = { from: last.interval.from, to: interval.to };
      for (const record of records) last.records.push(record);
    } else result.push({ interval, records: [...records] });
  }
  return result.map((each) => ({ kind: 'whole', ...each }));
}
