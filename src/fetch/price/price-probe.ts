import { paramOf } from '../../catalogue/index.ts';
import type { Densities } from '../../coverage/density.ts';
import { listKey } from '../../coverage/list.ts';
import { blocksIn, type Interval, intersection } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { findsFor } from '../../plan/finders.ts';
import type { Plan, PlannedRequest } from '../../plan/plan.ts';
import type { ProbedKeys, ProbedList, ProbeResult } from '../../plan/probe-result.ts';
import { naturalRows } from '../../plan/routes.ts';
import { CallFailure } from '../http/call-failure.ts';
import { type Caller, callOptions, type PageReply, PRIORITY } from '../http/caller.ts';
import { queryOf } from '../walk/wire.ts';
import {
  atDensity,
  equalParts,
  type FirstPage,
  keysIn,
  ofSameBlocks,
  toldBy,
} from './first-page.ts';
import { fairShares, shareOfText, spread } from './sample.ts';

/** Asks first pages of lists that nothing has landed of, so that a first run can be priced. */

export interface ProbeOptions {
  readonly caller: Caller;
  readonly plan: Plan;
  readonly pipeline: Pick<Pipeline, 'source' | 'groupSize'>;
  /** Lists whose walks are known from the past are not asked. */
  readonly densities: Densities;
  /** Chooses slices, blocks and keys: the same ones for the same text. */
  readonly seed: string;
  readonly signal: AbortSignal | undefined;
}

/** First pages of slices, over all lists. */
const LIST_REQUESTS = 300;
/** Short intervals in which the keys that rows name are counted, for each request that looks. */
const WINDOWS = 6;
/** Groups of keys that are asked in each of them. */
const WINDOW_GROUPS = 8;
/** Records that the fullest slice of a window should have: they must fit into one page. */
const WINDOW_RECORDS = 40;
/** Slices of found keys that are asked, for each request that looks them up. */
const KEY_SLICES = 10;
/** Parts of a slice whose density is looked at, where its first page does not say its length. */
const DENSITY_PARTS = 4;

/**
 * First pages of at most 300 slices (of 4 parts of a slice whose page does not say its length) and,
 * for each request whose keys are found in rows, 48 for each list that names them and 10 for the
 * keys. Requests that the service refuses for themselves are passed over. Throws the CallFailure of
 * any other failure.
 */
export async function probePlan(of: ProbeOptions): Promise<ProbeResult> {
  return new PriceProbe(of).probe();
}

class PriceProbe {
  readonly #of: ProbeOptions;
  readonly #asked = new Map<string, Promise<FirstPage | undefined>>();
  readonly #pages = new Map<PlannedRequest, readonly FirstPage[]>();
  readonly #deeperPages = new Map<FirstPage, Promise<FirstPage[]>>();
  #requests = 0;

  constructor(of: ProbeOptions) {
    this.#of = of;
  }

  async probe(): Promise<ProbeResult> {
    const { plan, seed } = this.#of;
    const lists = new Map<PlannedRequest, ProbedList>();
    const open = plan.requests.filter((each) => !each.isFound && this.#isOpen(each));
    const reachable = open.map((planned) => planned.slices.filter(isReachable));
    const shares = fairShares(
      reachable.map((slices) => slices.length),
      LIST_REQUESTS,
    );
    await Promise.all(
      open.map(async (planned, i) => {
        const { shape } = planned.list.entry.reply;
        const share = Math.ceil((shares[i] ?? 0) / (shape === 'bare' ? DENSITY_PARTS : 1));
        const chosen = spread(reachable[i] ?? [], share, `${seed} ${i}`);
        const pages = await this.#firstPages(planned, chosen);
        if (pages.length === 0) return;
        this.#pages.set(planned, pages);
        lists.set(planned, { records: pages.map(({ count }) => count) });
      }),
    );
    const found = new Map<PlannedRequest, ProbedKeys>();
    for (const planned of plan.requests) {
      if (!planned.isFound || !this.#isOpen(planned)) continue;
      const keys = await this.#keysOf(planned);
      if (keys !== undefined) found.set(planned, keys);
    }
    return { lists, found, requests: this.#requests, seed };
  }

  /** Whether neither the past nor its definition says how long a list is. */
  #isOpen(planned: PlannedRequest): boolean {
    const isKnown = (this.#of.densities.get(listKey(planned.list))?.keyBlocks ?? 0) > 0;
    return !isKnown && (planned.isFound || isUnknown(planned));
  }

  /** How many keys rows name, and what looking some of them up takes. */
  async #keysOf(planned: PlannedRequest): Promise<ProbedKeys | undefined> {
    const { plan, seed, pipeline } = this.#of;
    const { interval, request, list } = planned;
    const param = paramOf(list.entry, 'keys');
    const [column] = param?.columns ?? [];
    if (interval === undefined || column === undefined) return undefined;
    const finders = plan.requests.filter((each) => !each.isFound && findsFor(planned, each));
    const { without } = request.foundIn ?? {};
    const named = (pages: readonly FirstPage[]): Set<string> => keysIn(pages, column, without);
    const views = await this.#viewsOf(finders, interval);
    const rows = sumOf(views.flat().map(({ records }) => records.length));
    const inViews = sumOf(views.map((pages) => named(pages).size));
    const keys = named(views.flat());
    if (inViews === 0) return undefined;
    // Lists that move are looked at one by one: how many keys two of them share, newest pages say.
    const newest = ofSameBlocks(finders.flatMap((finder) => this.#movingPages(finder)));
    const shared = named(newest).size / sumOf(newest.map((page) => named([page]).size));
    const keysPerSlice = Math.min(pipeline.groupSize, param?.max ?? 1);
    const groups = spread([...keys], KEY_SLICES * keysPerSlice, seed);
    const slices: Slice[] = [];
    for (let start = 0; start < groups.length; start += keysPerSlice) {
      const own = groups.slice(start, start + keysPerSlice);
      // A group that is not full says too little of full ones.
      if (own.length < keysPerSlice && slices.length > 0) break;
      slices.push({ list, keys: own, interval, provisional: false });
    }
    const looked = await this.#firstPages(planned, slices);
    if (looked.length === 0) return undefined;
    const records = looked.map(({ count }) => count);
    const share = Number.isNaN(shared) ? 1 : shared;
    return { keysPerRecord: (share * inViews) / rows, keysPerSlice, records };
  }

  /**
   * Pages of the lists that name keys, in parts of which no two name the same ones: for lists asked
   * by blocks all of them in short intervals, else several pages of each list.
   */
  async #viewsOf(
    finders: readonly PlannedRequest[],
    interval: Interval,
  ): Promise<readonly (readonly FirstPage[])[]> {
    const ranged = finders.filter(({ list }) => list.entry.list === 'ranged');
    const windows = this.#windowsIn(ranged, interval).map(async (window) => {
      const pages = await Promise.all(ranged.map((finder) => this.#window(finder, window)));
      return pages.flat();
    });
    const others = finders
      .filter((finder) => !ranged.includes(finder))
      .flatMap((finder) => {
        const pages = spread(this.#pages.get(finder) ?? [], WINDOW_GROUPS, this.#of.seed);
        return pages.map((page) => this.#deeper(finder, page));
      });
    return Promise.all([...windows, ...others]);
  }

  /** The page, and others of its list; they are asked once. */
  #deeper(finder: PlannedRequest, first: FirstPage): Promise<FirstPage[]> {
    const known = this.#deeperPages.get(first) ?? this.#askDeeper(finder, first);
    this.#deeperPages.set(first, known);
    return known;
  }

  async #askDeeper(finder: PlannedRequest, first: FirstPage): Promise<FirstPage[]> {
    const numbers = Array.from({ length: first.pages - 1 }, (_, i) => i + 2);
    const chosen = spread(numbers, WINDOWS - 1, `${this.#of.seed} pages`);
    const replies = await Promise.all(chosen.map((page) => this.#reply(finder, first.slice, page)));
    const more = replies.filter((reply) => reply !== undefined);
    return [first, ...more.map(({ records }) => ({ ...first, records }))];
  }

  #movingPages(finder: PlannedRequest): readonly FirstPage[] {
    const isMoving = finder.list.entry.list === 'positional';
    return isMoving ? (this.#pages.get(finder) ?? []) : [];
  }

  async #window(finder: PlannedRequest, window: Interval): Promise<readonly FirstPage[]> {
    const groups = finder.slices
      .filter(({ interval }) => intersection(interval, window) !== undefined)
      .filter(isReachable);
    const chosen = spread(groups, WINDOW_GROUPS, `${this.#of.seed} ${window.from}`);
    const pages = await this.#firstPages(
      finder,
      chosen.map((slice) => ({
        ...slice,
        interval: intersection(slice.interval, window) ?? window,
      })),
    );
    // Of a window that does not fit into a page, the rows are not all of the same blocks.
    return pages.filter(({ records, count }) => records.length >= count);
  }

  /** Evenly spread, and as wide as one page of the fullest slice holds. */
  #windowsIn(finders: readonly PlannedRequest[], interval: Interval): Interval[] {
    const pages = finders.flatMap((finder) => this.#pages.get(finder) ?? []);
    const densest = Math.max(
      0,
      ...pages.map(({ count, slice }) => count / blocksIn(slice.interval)),
    );
    const blocks = Math.max(1, Math.floor(Math.min(WINDOW_RECORDS / densest, blocksIn(interval))));
    const room = blocksIn(interval) - blocks + 1;
    const offset = shareOfText(`${this.#of.seed} windows`);
    const length = Math.min(WINDOWS, Math.ceil(blocksIn(interval) / blocks));
    return Array.from({ length }, (_, i) => {
      const from = interval.from + Math.floor(((i + offset) * room) / length);
      return { from, to: from + blocks - 1 };
    });
  }

  async #firstPages(planned: PlannedRequest, slices: readonly Slice[]): Promise<FirstPage[]> {
    const pages = await Promise.all(slices.map((slice) => this.#firstPage(planned, slice)));
    return pages.filter((page) => page !== undefined);
  }

  /** The first page as a walk asks for it; each is asked once. */
  #firstPage(planned: PlannedRequest, slice: Slice): Promise<FirstPage | undefined> {
    const { list, keys, interval } = slice;
    const id = JSON.stringify([listKey(list), keys, interval]);
    const asked = this.#asked.get(id) ?? this.#ask(planned, slice);
    this.#asked.set(id, asked);
    return asked;
  }

  async #ask(planned: PlannedRequest, slice: Slice): Promise<FirstPage | undefined> {
    const reply = await this.#reply(planned, slice);
    if (reply === undefined) return undefined;
    const told = this.#told(slice, reply, planned.pageSize);
    const { records, totalPage: pages = 1 } = reply;
    if (told !== undefined) return { slice, records, count: told, pages };
    const [first, ...rest] = equalParts(slice, DENSITY_PARTS);
    const replies = await Promise.all(rest.map((part) => this.#reply(planned, part)));
    const parts = [first, ...rest].map((part, i) => {
      const own = i === 0 ? reply : replies[i - 1];
      return part === undefined || own === undefined
        ? 0
        : (this.#told(part, own, planned.pageSize) ?? atDensity(part, own.records));
    });
    return { slice, records, count: Math.max(records.length, sumOf(parts)), pages };
  }

  /** undefined where the service refuses the request for itself. */
  async #reply(
    { pageSize }: PlannedRequest,
    slice: Slice,
    page = 1,
  ): Promise<PageReply | undefined> {
    const { caller, pipeline, signal } = this.#of;
    const entry = slice.list.entry;
    const { chain: primary, zoneChain } = pipeline.source;
    const chain = entry.axis === 'primary' ? primary : zoneChain;
    const limit = Number.isFinite(pageSize) ? pageSize : 1;
    const query = queryOf(entry, slice, { chain, to: slice.interval.to, page, limit });
    this.#requests += 1;
    try {
      return await caller.call(entry, query, callOptions(PRIORITY.firstPage, signal));
    } catch (error) {
      if (error instanceof CallFailure && error.outcome === 'permanent') return undefined;
      throw error;
    }
  }

  /** Records of a slice as its first page says; undefined where it does not say. */
  #told(slice: Slice, reply: PageReply, pageSize: number): number | undefined {
    const entry = slice.list.entry;
    const { records, total, totalPage } = reply;
    const shown = records.length;
    const limit = reply.limit ?? pageSize;
    if (total === undefined && totalPage === undefined) return shown < limit ? shown : undefined;
    const told = total ?? toldBy(totalPage ?? 0, limit, shown);
    const isCapped = entry.axis === 'primary' && told >= this.#of.pipeline.source.recordCap;
    if (isCapped && entry.list === 'ranged') return undefined;
    return entry.list === 'positional' ? this.#within(slice, told) : told;
  }

  /** The part of a list of the whole chain that lies in the slice. */
  #within({ list, interval }: Slice, whole: number): number {
    const head = this.#of.plan.heads[list.entry.axis]?.head ?? interval.to;
    return Math.min(whole, (whole * blocksIn(interval)) / (head + 1));
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Lists whose length is not their definition. */
function isUnknown({ list: { entry }, slices }: PlannedRequest): boolean {
  return entry.list !== 'snapshot' && slices.length > 0 && naturalRows(entry, 1) === undefined;
}

function isReachable({ unreachable }: Slice): boolean {
  return unreachable === undefined;
}
