import { z } from 'zod';
import type { Slice } from '../../coverage/slice.ts';
import { AnsweredRequests } from './answered-requests.ts';

/** Facts about a deployment by endpoint path, kept from run to run; never records. */
export const listFactsSchema = z.record(
  z.string(),
  z.object({
    /** The largest page that the service returns, where it is smaller than requested. */
    pageSize: z.number().int().positive().optional(),
  }),
);
export type ListFactsMemory = Readonly<z.infer<typeof listFactsSchema>>;

/** Whether a range includes its first and last block; undefined until learned. */
export interface RangeEdges {
  readonly from?: boolean;
  readonly to?: boolean;
}

/** Counts of answers that must have records. */
export interface Answers {
  /** With records. */
  readonly right: number;
  /** Empty. */
  readonly false: number;
}

/** A page is not cut at a record cap if one of this many latest pages is longer. */
const RECENT_PAGES = 200;
/** Wrong page counts after which those of a list are ignored. */
const WRONG_COUNTS = 3;

/**
 * The facts that this run has learned about each list, by endpoint path. Only page sizes are kept
 * after the run: a service may change the others, so every run learns them again.
 */
export class ListFacts {
  readonly answered = new AnsweredRequests();
  readonly #pageSizes = new Map<string, number>();
  readonly #clamped = new Map<string, number>();
  /** Record counts of the latest pages with records. */
  readonly #recent = new Map<string, number[]>();
  /** Page lengths at which a record cap was detected. */
  readonly #caps = new Map<string, Set<number>>();
  readonly #edges = new Map<string, RangeEdges>();
  readonly #known = new Map<string, Slice>();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #wrongCounts = new Map<string, number>();
  readonly #answeredAt = new Map<string, number>();
  readonly #answers = new Map<string, Answers>();
  readonly #mixed = new Set<string>();
  readonly #cutKeys = new Set<string>();
  /** Records of one key on a page of this many keys or more, by path and number of keys. */
  readonly #keysShown = new Map<string, number[]>();
  readonly #differing = new Set<string>();
  #contradictions = 0;
  #pages = 0;

  constructor(memory: ListFactsMemory) {
    for (const [path, { pageSize }] of Object.entries(memory)) {
      if (pageSize !== undefined) this.#pageSizes.set(path, pageSize);
    }
  }

  memory(): ListFactsMemory {
    return Object.fromEntries([...this.#pageSizes].map(([path, pageSize]) => [path, { pageSize }]));
  }

  /** The page size to request, at most the one that the service returns. */
  pageSize(path: string, wanted: number): number {
    return Math.min(wanted, this.#pageSizes.get(path) ?? wanted);
  }

  /** A single smaller page may be an error; the second one of the same size is believed. */
  clamped(path: string, pageSize: number): void {
    if (this.#clamped.get(path) === pageSize) this.learnPageSize(path, pageSize);
    this.#clamped.set(path, pageSize);
  }

  learnPageSize(path: string, pageSize: number): void {
    this.#pageSizes.set(path, pageSize);
  }

  /**
   * Whether an answer of this length may be cut at an undocumented record cap, because none of the
   * latest pages was longer. Call `pageShown` afterwards.
   */
  mayBeCut(path: string, records: number): boolean {
    return this.longestPage(path) <= records;
  }

  /** The number of records on the longest recent page. */
  longestPage(path: string): number {
    return Math.max(0, ...(this.#recent.get(path) ?? []));
  }

  /** Records the length of a page. */
  pageShown(path: string, records: number): void {
    this.#pages += 1;
    if (records === 0) return;
    this.#answeredAt.set(path, this.#pages);
    const recent = this.#recent.get(path) ?? [];
    recent.push(records);
    if (recent.length > RECENT_PAGES) recent.shift();
    this.#recent.set(path, recent);
    const caps = [...(this.#caps.get(path) ?? [])].filter((cap) => cap >= records);
    if (caps.length === 0) this.#caps.delete(path);
    else this.#caps.set(path, new Set(caps));
  }

  /** The number of pages read so far. */
  get pages(): number {
    return this.#pages;
  }

  /** Whether the list had records on a page after the first `pages` pages of the run. */
  hasAnsweredSince(path: string, pages: number): boolean {
    return (this.#answeredAt.get(path) ?? 0) > pages;
  }

  /** The answers of all lists that must have records. */
  get answers(): Answers {
    const sum = { right: 0, false: 0 };
    for (const answers of this.#answers.values()) {
      sum.right += answers.right;
      sum.false += answers.false;
    }
    return sum;
  }

  answersOf(path: string): Answers {
    return this.#answers.get(path) ?? { right: 0, false: 0 };
  }

  /** Called with each answer that must have records. */
  sawAnswer(path: string, hasRecords: boolean): void {
    const answers = this.answersOf(path);
    const right = answers.right + (hasRecords ? 1 : 0);
    this.#answers.set(path, { right, false: answers.false + (hasRecords ? 0 : 1) });
  }

  /** Whether pages of this length were found to be cut although they are not full. */
  isCap(path: string, records: number): boolean {
    return this.#caps.get(path)?.has(records) === true;
  }

  /** The smallest record cap detected for each list, by endpoint path. */
  caps(): ReadonlyMap<string, number> {
    return new Map([...this.#caps].map(([path, caps]) => [path, Math.min(...caps)]));
  }

  /** A length below that of a recent page is not a record cap. */
  learnCap(path: string, records: number): void {
    if (!this.mayBeCut(path, records)) return;
    this.#caps.set(path, (this.#caps.get(path) ?? new Set()).add(records));
  }

  /** Whether the list is known to mix the records of several keys. */
  areKeysMixed(path: string): boolean {
    return this.#mixed.has(path);
  }

  learnMixedKeys(path: string): void {
    this.#mixed.add(path);
  }

  /** Whether the list shows only some records of each key, so that keys must be read alone. */
  areKeysCut(path: string): boolean {
    return this.#cutKeys.has(path);
  }

  /** The smallest number of records that a cap of each key may have in groups of this size. */
  leastKeyCap(path: string, keys: number): number {
    return this.#keysShown.get(path)?.[keys] ?? 0;
  }

  /** Called when a group of this size has listed this many records of one key. */
  keyShown(path: string, keys: number, records: number): void {
    const shown = this.#keysShown.get(path) ?? [];
    for (let size = keys; size > 0; size -= 1) shown[size] = Math.max(records, shown[size] ?? 0);
    this.#keysShown.set(path, shown);
  }

  /** Pages of one key are compared with each other from now on, not with those of groups. */
  learnKeyCap(path: string): void {
    this.#cutKeys.add(path);
    this.#recent.delete(path);
  }

  /** Whether the page counts and totals of the list are reliable. */
  areCountsRight(path: string): boolean {
    return (this.#wrongCounts.get(path) ?? 0) < WRONG_COUNTS;
  }

  /** Called when a page with too large a count was repeated unchanged. */
  countedWrongly(path: string): void {
    this.#wrongCounts.set(path, (this.#wrongCounts.get(path) ?? 0) + 1);
  }

  /** Whether two readings of one list by its pages had different records. */
  haveReadingsDiffered(path: string): boolean {
    return this.#differing.has(path);
  }

  readingsDiffered(path: string): void {
    this.#differing.add(path);
  }

  /** The number of contradictions between answers. */
  get contradictions(): number {
    return this.#contradictions;
  }

  contradicted(): void {
    this.#contradictions += 1;
  }

  edges(path: string): RangeEdges {
    return this.#edges.get(path) ?? {};
  }

  /** Whether ranges exclude their first block. Lists without records do as the others. */
  isStartExcluded(path: string): boolean {
    const { from } = this.edges(path);
    if (from !== undefined) return !from;
    return [...this.#edges.values()].some((edges) => edges.from === false);
  }

  learnEdges(path: string, edges: RangeEdges): void {
    this.#edges.set(path, { ...this.edges(path), ...edges });
  }

  /** A question that this list answered with records in this run. */
  known(path: string): Slice | undefined {
    return this.#known.get(path);
  }

  /** All such questions, the latest list first. */
  allKnown(): readonly Slice[] {
    return [...this.#known.values()].reverse();
  }

  learnKnown(path: string, question: Slice): void {
    if (!this.#known.has(path)) this.#known.set(path, question);
  }

  /** Forgets which requests have records, because the chain has changed. */
  forgetRecords(): void {
    this.#known.clear();
    this.answered.clear();
  }

  /**
   * Runs `learn` after all earlier calls for the list, because their findings may be sufficient.
   */
  oneAtATime<T>(path: string, learn: () => Promise<T>): Promise<T> {
    const result = (this.#queues.get(path) ?? Promise.resolve()).then(learn);
    this.#queues.set(
      path,
      result.catch(() => undefined),
    );
    return result;
  }
}
