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

/** How often a list shows a record that matches several keys, by endpoint path. */
export type RepeatModes = Readonly<Record<string, 'once' | 'per-key'>>;

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

/** The facts about one list, by the path of its endpoint. */
class LearnedList {
  /** At most the page size that the service returns. */
  pageSize = Number.POSITIVE_INFINITY;
  /** Size of the last page that was smaller than requested. */
  clampedTo: number | undefined;
  /** Record counts of the latest pages with records. */
  recent: number[] = [];
  /** Page lengths at which a record cap was detected. */
  caps = new Set<number>();
  edges: RangeEdges = {};
  repeatMode: RepeatModes[string] | undefined;
  queue: Promise<unknown> = Promise.resolve();
  wrongCounts = 0;
  /** Number of pages of the run when the list last had records. */
  answeredAt = 0;
  /** Those that must have records. */
  answers: Answers = { right: 0, false: 0 };
  /** Whether the list is known to mix the records of several keys. */
  areKeysMixed = false;
  /** Whether the list shows only some records of each key, so that keys must be read alone. */
  areKeysCut = false;
  /** Records of one key on a page of this many keys or more, by the number of keys. */
  readonly keysShown: number[] = [];
  /** Whether two readings of the list by its pages had different records. */
  haveReadingsDiffered = false;
}

/**
 * The facts that this run has learned about each list, by endpoint path. Only page sizes and
 * repeat modes are kept after the run: a service may change the others, so every run learns them
 * again.
 */
export class ListFacts {
  readonly answered = new AnsweredRequests();
  readonly #lists = new Map<string, LearnedList>();
  /** Questions that were answered with records, in the order of learning. */
  readonly #questions = new Map<string, Slice>();
  #pages = 0;

  constructor(memory: ListFactsMemory, repeatModes: RepeatModes = {}) {
    for (const [path, { pageSize }] of Object.entries(memory)) {
      if (pageSize !== undefined) this.at(path).pageSize = pageSize;
    }
    for (const [path, mode] of Object.entries(repeatModes)) this.at(path).repeatMode = mode;
  }

  memory(): ListFactsMemory {
    const limited = [...this.#lists].filter(([, { pageSize }]) => Number.isFinite(pageSize));
    return Object.fromEntries(limited.map(([path, { pageSize }]) => [path, { pageSize }]));
  }

  repeatModes(): RepeatModes {
    return Object.fromEntries(
      [...this.#lists].flatMap(([path, { repeatMode }]) =>
        repeatMode ? [[path, repeatMode]] : [],
      ),
    );
  }

  at(path: string): LearnedList {
    const list = this.#lists.get(path) ?? new LearnedList();
    this.#lists.set(path, list);
    return list;
  }

  /** The page size to request, at most the one that the service returns. */
  pageSize(path: string, wanted: number): number {
    return Math.min(wanted, this.at(path).pageSize);
  }

  /** A single smaller page may be an error; the second one of the same size is believed. */
  clamped(path: string, pageSize: number): void {
    const list = this.at(path);
    if (list.clampedTo === pageSize) list.pageSize = pageSize;
    list.clampedTo = pageSize;
  }

  /**
   * Whether an answer of this length may be cut at an undocumented record cap, because none of the
   * latest pages was longer. Call `pageShown` afterwards.
   */
  mayBeCut(path: string, records: number): boolean {
    return Math.max(0, ...this.at(path).recent) <= records;
  }

  /** Records the length of a page. */
  pageShown(path: string, records: number): void {
    this.#pages += 1;
    if (records === 0) return;
    const list = this.at(path);
    list.answeredAt = this.#pages;
    list.recent.push(records);
    if (list.recent.length > RECENT_PAGES) list.recent.shift();
    for (const cap of list.caps) if (cap < records) list.caps.delete(cap);
  }

  /** The number of pages read so far. */
  get pages(): number {
    return this.#pages;
  }

  /** The answers of all lists that must have records. */
  get answers(): Answers {
    const sum = { right: 0, false: 0 };
    for (const { answers } of this.#lists.values()) {
      sum.right += answers.right;
      sum.false += answers.false;
    }
    return sum;
  }

  /** Called with each answer that must have records. */
  sawAnswer(path: string, hasRecords: boolean): void {
    const list = this.at(path);
    const { right, false: wrong } = list.answers;
    list.answers = { right: right + Number(hasRecords), false: wrong + Number(!hasRecords) };
  }

  /** Whether pages of this length were found to be cut although they are not full. */
  isCap(path: string, records: number): boolean {
    return this.at(path).caps.has(records);
  }

  /** The smallest record cap detected for each list, by endpoint path. */
  caps(): ReadonlyMap<string, number> {
    const capped = [...this.#lists].filter(([, { caps }]) => caps.size > 0);
    return new Map(capped.map(([path, { caps }]) => [path, Math.min(...caps)]));
  }

  /** A length below that of a recent page is not a record cap. */
  learnCap(path: string, records: number): void {
    if (this.mayBeCut(path, records)) this.at(path).caps.add(records);
  }

  /** The smallest number of records that a cap of each key may have in groups of this size. */
  leastKeyCap(path: string, keys: number): number {
    return this.at(path).keysShown[keys] ?? 0;
  }

  /** Called when a group of this size has listed this many records of one key. */
  keyShown(path: string, keys: number, records: number): void {
    const shown = this.at(path).keysShown;
    for (let size = keys; size > 0; size -= 1) shown[size] = Math.max(records, shown[size] ?? 0);
  }

  /** Pages of one key are compared with each other from now on, not with those of groups. */
  learnKeyCap(path: string): void {
    Object.assign(this.at(path), { areKeysCut: true, recent: [] });
  }

  /** Whether the page counts and totals of the list are reliable. */
  areCountsRight(path: string): boolean {
    return this.at(path).wrongCounts < WRONG_COUNTS;
  }

  edges(path: string): RangeEdges {
    return this.at(path).edges;
  }

  /** Whether ranges exclude their first block. Lists without records do as the others. */
  isStartExcluded(path: string): boolean {
    const { from } = this.edges(path);
    if (from !== undefined) return !from;
    return [...this.#lists.values()].some(({ edges }) => edges.from === false);
  }

  learnEdges(path: string, edges: RangeEdges): void {
    this.at(path).edges = { ...this.edges(path), ...edges };
  }

  /** A question that this list answered with records in this run. */
  knownQuestion(path: string): Slice | undefined {
    return this.#questions.get(path);
  }

  /** All such questions, the latest list first. */
  allKnown(): readonly Slice[] {
    return [...this.#questions.values()].reverse();
  }

  learnKnown(path: string, question: Slice): void {
    if (!this.#questions.has(path)) this.#questions.set(path, question);
  }

  /** Forgets which requests have records, because the chain has changed. */
  forgetRecords(): void {
    this.#questions.clear();
    this.answered.clear();
  }

  /**
   * Runs `learn` after all earlier calls for the list, because their findings may be sufficient.
   */
  oneAtATime<T>(path: string, learn: () => Promise<T>): Promise<T> {
    const list = this.at(path);
    const result = list.queue.then(learn);
    list.queue = result.catch(() => undefined);
    return result;
  }
}
