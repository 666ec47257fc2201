import { z } from 'zod';

/** What is remembered of a list, by the endpoint's path: facts of a deployment, never content. */
export const ceilingsSchema = z.record(
  z.string(),
  z.object({
    /** The largest page it gives, where it gave a smaller one than was asked for. */
    pageSize: z.number().int().positive().optional(),
    /** Most records it shows for one query, where that was found out. */
    cap: z.number().int().positive().optional(),
    /** Whether a range of blocks includes its end; never kept. */
    includesEnd: z.boolean().optional(),
  }),
);
export type CeilingsMemory = Readonly<z.infer<typeof ceilingsSchema>>;

type Ceiling = NonNullable<CeilingsMemory[string]>;

/**
 * So many lists with records are looked back at. A list that shows more than another proves the
 * other one whole; but what was shown long ago says nothing of a service that has changed since.
 */
const RECENT_LISTS = 200;

/** A cap below this is not remembered from run to run. */
const LEAST_CAP = 1000;

/**
 * How much a source shows of its lists. A cap can hide behind any page count. A list shorter than
 * one of the latest is whole, because more can be shown; one as long as the longest has to prove
 * itself, which is rare.
 */
export class Ceilings {
  readonly #of: Map<string, Ceiling>;
  /** Lengths of the latest lists with records, by path; never kept. */
  readonly #recent = new Map<string, number[]>();
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

  /** A query with so many records or more may be cut off. */
  cap(path: string, given: number): number {
    return Math.min(given, this.#of.get(path)?.cap ?? given);
  }

  /** The caps that were found out, by the endpoint's path. */
  caps(): ReadonlyMap<string, number> {
    const found = [...this.#of].flatMap(([path, { cap }]): [string, number][] => {
      return cap === undefined ? [] : [[path, cap]];
    });
    return new Map(found);
  }

  /** Told of a list that has so many records at least: a lower cap was a mistake. */
  shown(path: string, records: number): void {
    const { cap = Number.POSITIVE_INFINITY, ...facts } = this.#of.get(path) ?? {};
    if (records > cap) this.#of.set(path, facts);
  }

  /** Whether a list of so many records is shown whole, because others of late showed more. */
  isProven(path: string, records: number): boolean {
    return (this.#recent.get(path) ?? []).some((shown) => shown > records);
  }

  /** Told of a list that showed so many records, all of them what was asked for. */
  listed(path: string, records: number): void {
    if (records === 0) return;
    const recent = this.#recent.get(path) ?? [];
    recent.push(records);
    if (recent.length > RECENT_LISTS) recent.shift();
    this.#recent.set(path, recent);
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

  includesEnd(path: string): boolean | undefined {
    return this.#of.get(path)?.includesEnd;
  }

  learn(path: string, fact: Ceiling): void {
    this.#of.set(path, { ...this.#of.get(path), ...fact });
  }
}
