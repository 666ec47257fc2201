import { z } from 'zod';
import type { Slice } from '../../coverage/slice.ts';

/** Kept from run to run, by the endpoint's path: facts of a deployment, never content. */
export const listFactsSchema = z.record(
  z.string(),
  z.object({
    /** The largest page it gives, where it gave a smaller one than was asked for. */
    pageSize: z.number().int().positive().optional(),
  }),
);
export type ListFactsMemory = Readonly<z.infer<typeof listFactsSchema>>;

/** Whether a range of blocks includes its first and its last block; undefined: not known yet. */
export interface RangeEdges {
  readonly from?: boolean;
  readonly to?: boolean;
}

/** A page that is shorter than one of this many latest pages is not cut at a record cap. */
const RECENT_PAGES = 200;
/** Page counts of a list are ignored once this many of them were wrong. */
const WRONG_COUNTS = 3;

/**
 * What this run has learned of each list, by the endpoint's path. Only page sizes outlive the run:
 * a service may change everything else, so every run learns it again.
 */
export class ListFacts {
  readonly #pageSizes = new Map<string, number>();
  readonly #clamped = new Map<string, number>();
  /** Records on the latest pages that had any. */
  readonly #recent = new Map<string, number[]>();
  /** Page lengths at which a record cap was seen. */
  readonly #caps = new Map<string, Set<number>>();
  readonly #edges = new Map<string, RangeEdges>();
  readonly #known = new Map<string, Slice>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #wrongCounts = new Map<string, number>();
  readonly #answeredAt = new Map<string, number>();
  readonly #mixed = new Set<string>();
  #contradictions = 0;
  #pages = 0;
  #rightAnswers = 0;
  #falseAnswers = 0;

  constructor(memory: ListFactsMemory) {
    for (const [path, { pageSize }] of Object.entries(memory)) {
      if (pageSize !== undefined) this.#pageSizes.set(path, pageSize);
    }
  }

  memory(): ListFactsMemory {
    return Object.fromEntries([...this.#pageSizes].map(([path, pageSize]) => [path, { pageSize }]));
  }

  /** The page size to ask for: no larger than the service gives. */
  pageSize(path: string, wanted: number): number {
    return Math.min(wanted, this.#pageSizes.get(path) ?? wanted);
  }

  /** One smaller page may be a mistake of the service; the second of the same size is believed. */
  clamped(path: string, pageSize: number): void {
    if (this.#clamped.get(path) === pageSize) this.learnPageSize(path, pageSize);
    this.#clamped.set(path, pageSize);
  }

  learnPageSize(path: string, pageSize: number): void {
    this.#pageSizes.set(path, pageSize);
  }

  /**
   * Whether an answer of this many records may be cut at a record cap that the service does not
   * announce: none of the latest pages had more. Call `pageShown` afterwards.
   */
  mayBeCut(path: string, records: number): boolean {
    return !(this.#recent.get(path) ?? []).some((shown) => shown > records);
  }

  /** Remembers the length of a page. */
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

  /** Counts the pages that were read so far. */
  get pages(): number {
    return this.#pages;
  }

  /** Whether the list had records on a page after so many pages of the run. */
  hasAnsweredSince(path: string, pages: number): boolean {
    return (this.#answeredAt.get(path) ?? 0) > pages;
  }

  /** Answers to questions that must have records: those with records, and those without. */
  get answers(): { readonly right: number; readonly false: number } {
    return { right: this.#rightAnswers, false: this.#falseAnswers };
  }

  sawAnswer(hasRecords: boolean): void {
    if (hasRecords) this.#rightAnswers += 1;
    else this.#falseAnswers += 1;
  }

  /** Whether pages of this many records were seen to be cut though they are not full. */
  isCap(path: string, records: number): boolean {
    return this.#caps.get(path)?.has(records) === true;
  }

  /** The smallest record cap that was seen of each list, by the endpoint's path. */
  caps(): ReadonlyMap<string, number> {
    return new Map([...this.#caps].map(([path, caps]) => [path, Math.min(...caps)]));
  }

  /** Where a longer page was shown of late, something else has cut it. */
  learnCap(path: string, records: number): void {
    if (!this.mayBeCut(path, records)) return;
    this.#caps.set(path, (this.#caps.get(path) ?? new Set()).add(records));
  }

  /** Whether the list was seen to mix the records of several keys. */
  areKeysMixed(path: string): boolean {
    return this.#mixed.has(path);
  }

  learnMixedKeys(path: string): void {
    this.#mixed.add(path);
  }

  /** Whether page counts and totals of the list can be believed. */
  areCountsRight(path: string): boolean {
    return (this.#wrongCounts.get(path) ?? 0) < WRONG_COUNTS;
  }

  /** A page came again as it was, though it had counted more than it holds. */
  countedWrongly(path: string): void {
    this.#wrongCounts.set(path, (this.#wrongCounts.get(path) ?? 0) + 1);
  }

  /** How often answers contradicted each other. */
  get contradictions(): number {
    return this.#contradictions;
  }

  contradicted(): void {
    this.#contradictions += 1;
  }

  edges(path: string): RangeEdges {
    return this.#edges.get(path) ?? {};
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

  /** One at a time for a list: the first caller's findings may be all that the next one needs. */
  inTurn<T>(path: string, learn: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(learn);
    this.#turns.set(
      path,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
