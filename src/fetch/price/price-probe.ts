import { paramOf } from '../../catalogue/index.ts';
import type { Densities } from '../../coverage/density.ts';
import { chunksOf } from '../../coverage/grouped.ts';
import { listKey } from '../../coverage/list.ts';
import { blocksIn, type Interval, intersection } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { axisSettings } from '../../pipeline/axis-settings.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { isReachable, sumOf } from '../../plan/estimate.ts';
import { findsFor } from '../../plan/finders.ts';
import type { Plan, PlannedRequest } from '../../plan/plan.ts';
import type { ProbedKeys, ProbeResult } from '../../plan/probe-result.ts';
import { naturalRows } from '../../plan/routes.ts';
import { CallFailure, isOfRequest } from '../http/call-failure.ts';
import { type Caller, type PageReply, PRIORITY } from '../http/caller.ts';
import { queryOf } from '../walk/record-reader.ts';
import {
  announcedCount,
  atDensity,
  equalParts,
  type FirstPage,
  keysIn,
  ofSameBlocks,
} from './first-page.ts';
import { fairShares, shareOfText, spread } from './sample.ts';

/** Requests first pages of lists without landed records, so that a first run can be priced. */

export interface PriceProbeOptions {
  readonly caller: Caller;
  readonly plan: Plan;
  readonly pipeline: Pick<Pipeline, 'source' | 'groupSize' | 'blocks' | 'zoneBlocks'>;
  /** Lists with a known density are not requested. */
  readonly densities: Densities;
  /** Selects slices, blocks and keys; the same text selects the same ones. */
  readonly seed: string;
  readonly signal: AbortSignal | undefined;
}

/** Most first pages of slices, over all lists. */
const LIST_REQUESTS = 300;
/** Short intervals in which the keys named by rows are counted, per request that looks keys up. */
const WINDOWS = 6;
/** Groups of keys that are requested in each of them. */
const WINDOW_GROUPS = 8;
/** Records that the fullest slice of a window should have, so that they fit on one page. */
const WINDOW_RECORDS = 40;
/** Slices of found keys that are requested, per request that looks keys up. */
const KEY_SLICES = 10;
/** Parts of a slice whose density is sampled, where its first page has no page count. */
const DENSITY_PARTS = 4;

/**
 * Requests first pages of at most 300 slices (4 parts of a slice whose page has no page count). For
 * each request whose keys are found in rows, it also sends 48 requests per list that names the keys
 * and 10 for the keys. Requests that the service refuses individually are skipped. Throws the
 * CallFailure of any other failure.
 */
export async function probePlan(options: PriceProbeOptions): Promise<ProbeResult> {
  return new PriceProbe(options).probe();
}

class PriceProbe {
  readonly #input: PriceProbeOptions;
  readonly #replies = new Map<string, Promise<FirstPage | undefined>>();
  readonly #pages = new Map<PlannedRequest, readonly FirstPage[]>();
  readonly #deeperPages = new Map<FirstPage, Promise<FirstPage[]>>();
  #requests = 0;

  constructor(options: PriceProbeOptions) {
    this.#input = options;
  }

  async probe(): Promise<ProbeResult> {
    const { plan, seed } = this.#input;
    const lists = new Map<PlannedRequest, readonly number[]>();
    const open = plan.requests.filter((request) => !request.isFound && this.#isOpen(request));
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
        lists.set(
          planned,
          pages.map(({ count }) => count),
        );
      }),
    );
    const probedKeys = new Map<PlannedRequest, ProbedKeys>();
    for (const planned of plan.requests) {
      if (!planned.isFound || !this.#isOpen(planned)) continue;
      const keys = await this.#keysOf(planned);
      if (keys !== undefined) probedKeys.set(planned, keys);
    }
    return { lists, keys: probedKeys, requests: this.#requests, seed };
  }

  /** Whether the length of the list is known neither from earlier runs nor by its definition. */
  #isOpen(planned: PlannedRequest): boolean {
    const isKnown = (this.#input.densities.get(listKey(planned.list))?.keyBlocks ?? 0) > 0;
    return !isKnown && (planned.isFound || isUnknown(planned));
  }

  /** The number of keys that rows name, and the cost of looking some of them up. */
  async #keysOf(planned: PlannedRequest): Promise<ProbedKeys | undefined> {
    const { plan, seed, pipeline } = this.#input;
    const { interval, request, list } = planned;
    const param = paramOf(list.entry, 'keys');
    const [column] = param?.columns ?? [];
    if (interval === undefined || column === undefined) return undefined;
    const finders = plan.requests.filter((finder) => !finder.isFound && findsFor(planned, finder));
    const { without } = request.foundIn ?? {};
    const named = (pages: readonly FirstPage[]): Set<string> => keysIn(pages, column, without);
    const views = await this.#viewsOf(finders, interval);
    const rows = sumOf(views.flat().map(({ records }) => records.length));
    const inViews = sumOf(views.map((pages) => named(pages).size));
    const keys = named(views.flat());
    if (inViews === 0) return undefined;
    // Positional lists are sampled one by one; their newest pages show how many keys they share.
    const newest = ofSameBlocks(finders.flatMap((finder) => this.#movingPages(finder)));
    const shared = named(newest).size / sumOf(newest.map((page) => named([page]).size));
    const keysPerSlice = Math.min(pipeline.groupSize, param?.max ?? 1);
    const groups = spread([...keys], KEY_SLICES * keysPerSlice, seed);
    // A partial group says too little about full ones.
    const slices = chunksOf(groups, keysPerSlice)
      .filter((group, at) => group.length === keysPerSlice || at === 0)
      .map((group): Slice => ({ list, keys: group, interval, provisional: false }));
    const looked = await this.#firstPages(planned, slices);
    if (looked.length === 0) return undefined;
    const records = looked.map(({ count }) => count);
    const share = Number.isNaN(shared) ? 1 : shared;
    return { keysPerRecord: (share * inViews) / rows, keysPerSlice, records };
  }

  /**
   * Pages of the lists that name keys, in parts whose keys do not overlap. Lists with block bounds
   * are sampled together in short intervals, the others by several pages each.
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
        const pages = spread(this.#pages.get(finder) ?? [], WINDOW_GROUPS, this.#input.seed);
        return pages.map((page) => this.#deeper(finder, page));
      });
    return Promise.all([...windows, ...others]);
  }

  /** The page and further pages of its list; each is requested once. */
  #deeper(finder: PlannedRequest, first: FirstPage): Promise<FirstPage[]> {
    const pages = this.#deeperPages.get(first) ?? this.#askDeeper(finder, first);
    this.#deeperPages.set(first, pages);
    return pages;
  }

  async #askDeeper(finder: PlannedRequest, first: FirstPage): Promise<FirstPage[]> {
    const numbers = Array.from({ length: first.pages - 1 }, (_, i) => i + 2);
    const chosen = spread(numbers, WINDOWS - 1, `${this.#input.seed} pages`);
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
    const chosen = spread(groups, WINDOW_GROUPS, `${this.#input.seed} ${window.from}`);
    const pages = await this.#firstPages(
      finder,
      chosen.map((slice) => ({
        ...slice,
        interval: intersection(slice.interval, window) ?? window,
      })),
    );
    // Windows that exceed a page are dropped, because their rows cover different blocks.
    return pages.filter(({ records, count }) => records.length >= count);
  }

  /** Evenly spread intervals, each as wide as one page of the fullest slice covers. */
  #windowsIn(finders: readonly PlannedRequest[], interval: Interval): Interval[] {
    const pages = finders.flatMap((finder) => this.#pages.get(finder) ?? []);
    const densest = Math.max(
      0,
      ...pages.map(({ count, slice }) => count / blocksIn(slice.interval)),
    );
    const blocks = Math.max(1, Math.floor(Math.min(WINDOW_RECORDS / densest, blocksIn(interval))));
    const room = blocksIn(interval) - blocks + 1;
    const offset = shareOfText(`${this.#input.seed} windows`);
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

  /** The first page as a walk requests it; each page is requested once. */
  #firstPage(planned: PlannedRequest, slice: Slice): Promise<FirstPage | undefined> {
    const { list, keys, interval } = slice;
    const id = JSON.stringify([listKey(list), keys, interval]);
    const page = this.#replies.get(id) ?? this.#ask(planned, slice);
    this.#replies.set(id, page);
    return page;
  }

  async #ask(planned: PlannedRequest, slice: Slice): Promise<FirstPage | undefined> {
    const reply = await this.#reply(planned, slice);
    if (reply === undefined) return undefined;
    const announced = this.#announced(slice, reply, planned.pageSize);
    const { records, totalPage: pages = 1 } = reply;
    if (announced !== undefined) return { slice, records, count: announced, pages };
    const [first, ...rest] = equalParts(slice, DENSITY_PARTS);
    const replies = await Promise.all(rest.map((part) => this.#reply(planned, part)));
    const parts = [first, ...rest].map((part, i) => {
      const answer = i === 0 ? reply : replies[i - 1];
      return part === undefined || answer === undefined
        ? 0
        : (this.#announced(part, answer, planned.pageSize) ?? atDensity(part, answer.records));
    });
    return { slice, records, count: Math.max(records.length, sumOf(parts)), pages };
  }

  /** undefined where the service refuses this request only. */
  async #reply(
    { pageSize }: PlannedRequest,
    slice: Slice,
    page = 1,
  ): Promise<PageReply | undefined> {
    const { caller, pipeline, signal } = this.#input;
    const entry = slice.list.entry;
    const { chain } = axisSettings(pipeline, entry.axis);
    const limit = Number.isFinite(pageSize) ? pageSize : 1;
    const query = queryOf(entry, slice, { chain, page, limit });
    this.#requests += 1;
    try {
      return await caller.call(entry, query, { priority: PRIORITY.firstPage, signal });
    } catch (error) {
      if (error instanceof CallFailure && isOfRequest(error)) return undefined;
      throw error;
    }
  }

  /** Records of a slice by the counts of its first page; undefined where it has none. */
  #announced(slice: Slice, reply: PageReply, pageSize: number): number | undefined {
    const entry = slice.list.entry;
    const { records, total, totalPage } = reply;
    const shown = records.length;
    const limit = reply.limit ?? pageSize;
    if (total === undefined && totalPage === undefined) return shown < limit ? shown : undefined;
    const announced = total ?? announcedCount(totalPage ?? 0, limit, shown);
    const isCapped = entry.axis === 'primary' && announced >= this.#input.pipeline.source.recordCap;
    if (isCapped && entry.list === 'ranged') return undefined;
    return entry.list === 'positional' ? this.#within(slice, announced) : announced;
  }

  /** The estimated part of a whole-chain list that lies in the slice. */
  #within({ list, interval }: Slice, whole: number): number {
    const head = this.#input.plan.heads[list.entry.axis]?.head ?? interval.to;
    return Math.min(whole, (whole * blocksIn(interval)) / (head + 1));
  }
}

/** Whether the length of the list is not fixed by its definition. */
function isUnknown({ list: { entry }, slices }: PlannedRequest): boolean {
  return entry.list !== 'snapshot' && slices.length > 0 && naturalRows(entry, 1) === undefined;
}
