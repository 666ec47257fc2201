import { z } from 'zod';

/** What is remembered of a list, by the endpoint's path: facts of a deployment, never content. */
export const ceilingsSchema = z.record(
  z.string(),
  z.object({
    /** The largest page it gives, where it gave a smaller one than was asked for. */
    pageSize: z.number().optional(),
    /** Most records it shows for one query, where that was found out. */
    cap: z.number().optional(),
    /** It has shown so many records of one query, and its halves had no more. */
    provenRecords: z.number().optional(),
    /** How many lists of exactly so many records were counted. */
    provenTimes: z.number().optional(),
    /** Whether a range of blocks includes its end; never kept. */
    includesEnd: z.boolean().optional(),
  }),
);
export type CeilingsMemory = Readonly<z.infer<typeof ceilingsSchema>>;

type Ceiling = NonNullable<CeilingsMemory[string]>;

/**
 * Lists of a page or less that are as long as the longest one proven are believed after so many. A
 * cap would have to be the very number of all of them, and every record of some lists stands alone.
 */
const ENOUGH_PROOFS = 3;

/** A cap below this is not remembered from run to run. */
const LEAST_CAP = 1000;

/**
 * How much a source shows of its lists. A cap on records can hide behind any page count, so a walk
 * that is longer than all that were proven has to prove itself; that happens as often as a record
 * is broken, and so ever more rarely.
 */
export class Ceilings {
  readonly #of: Map<string, Ceiling>;
  readonly #turns = new Map<string, Promise<void>>();

  constructor(memory: CeilingsMemory) {
    this.#of = new Map(Object.entries(memory));
  }

  /**
   * What the next run begins with. A cap so small is more likely a service in trouble than one that
   * is built so, and whether ranges hold their end is looked at in every run.
   */
  memory(): CeilingsMemory {
    const kept = [...this.#of].map(([path, of]): [string, Ceiling] => {
      const { cap, includesEnd: _, ...facts } = of;
      return [path, cap === undefined || cap < LEAST_CAP ? facts : { ...facts, cap }];
    });
    return Object.fromEntries(kept);
  }

  /** The page size to ask for: no larger than what the list gives. */
  pageSize(path: string, wanted: number): number {
    return Math.min(wanted, this.#of.get(path)?.pageSize ?? wanted);
  }

  /** Most records that a query may have to be shown whole. */
  cap(path: string, given: number): number {
    return Math.min(given, this.#of.get(path)?.cap ?? given);
  }

  /** Told of a list that has so many records at least: a lower cap was a mistake. */
  shown(path: string, records: number): void {
    const { cap = Number.POSITIVE_INFINITY, ...facts } = this.#of.get(path) ?? {};
    if (records > cap) this.#of.set(path, facts);
  }

  /** Whether a list of so many records, in pages of `limit`, is known to be shown whole. */
  isProven(path: string, records: number, limit: number): boolean {
    const { provenRecords = 0, provenTimes = 1 } = this.#of.get(path) ?? {};
    if (records !== provenRecords) return records < provenRecords;
    return records <= limit && provenTimes >= ENOUGH_PROOFS;
  }

  /** One at a time for a list: what the one before proves may be all that the next one asks. */
  inTurn<T>(path: string, prove: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(prove);
    this.#turns.set(
      path,
      turn.then(
        () => undefined,
        () => undefined,
      ),
    );
    return turn;
  }

  /** Told of a list with so many records, and no more than that. */
  proven(path: string, records: number): void {
    const { provenRecords, provenTimes = 1, ...facts } = this.#of.get(path) ?? {};
    const times = records === provenRecords ? provenTimes + 1 : 1;
    this.#of.set(path, { ...facts, provenRecords: records, provenTimes: times });
  }

  includesEnd(path: string): boolean | undefined {
    return this.#of.get(path)?.includesEnd;
  }

  learn(path: string, fact: Ceiling): void {
    this.#of.set(path, { ...this.#of.get(path), ...fact });
  }
}
