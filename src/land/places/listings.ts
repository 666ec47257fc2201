import type { Effects } from '../../effects.ts';
import type { ObjectFacts, ObjectStore } from './object-store.ts';

/** Answers about tables are used again for this long. `renew` drops them before a commit. */
const KEPT_MS = 30_000;

/** An answer of the store, and when it was asked for. */
interface Kept<T> {
  readonly askedMs: number;
  readonly answer: T;
}

/**
 * The remembered names in the folders of tables. Most work reads the same logs several times
 * within seconds, and each look would cost a request. Stale answers lose no commit: the store
 * decides whether the version of an entry is free.
 */
export class Listings {
  readonly #store: ObjectStore;
  readonly #effects: Pick<Effects, 'now'>;
  readonly #folders = new Map<string, Kept<Map<string, ObjectFacts>>>();
  readonly #objects = new Map<string, Kept<ObjectFacts | undefined>>();

  constructor(store: ObjectStore, effects: Pick<Effects, 'now'>) {
    this.#store = store;
    this.#effects = effects;
  }

  /** Objects and folders in a folder, by key. A folder that its parent lacks costs no request. */
  async in(folder: string): Promise<ReadonlyMap<string, ObjectFacts>> {
    const kept = this.#folders.get(folder);
    if (kept !== undefined && this.#isNew(kept)) return kept.answer;
    const table = folder.replace(/\/_delta_log\/$/, '/');
    const chain = parentOf(table);
    if (chain !== '' && !(await this.in(chain)).has(table)) return new Map();
    const askedMs = this.#effects.now();
    const objects = await this.#store.list(folder, 'folder');
    const answer = new Map(objects.map((facts) => [facts.key, facts]));
    this.#folders.set(folder, { askedMs, answer });
    return answer;
  }

  /** Size and time of an object; undefined without one. */
  async factsOf(key: string): Promise<ObjectFacts | undefined> {
    // Work that looks at one data file of a table looks at all of them.
    const isOfData = key.endsWith('.parquet');
    if (isOfData) await this.in(parentOf(key));
    const folder = this.#folders.get(parentOf(key));
    const listed = folder && this.#isNew(folder) ? folder.answer.get(key) : undefined;
    if (listed !== undefined) return listed;
    // An entry that a new listing lacks is not committed yet; a data file may have come since.
    if (folder !== undefined && this.#isNew(folder) && !isOfData) return undefined;
    const kept = this.#objects.get(key);
    if (kept !== undefined && this.#isNew(kept)) return kept.answer;
    const askedMs = this.#effects.now();
    const answer = await this.#store.facts(key);
    this.#objects.set(key, { askedMs, answer });
    return answer;
  }

  /** Takes in that this process has put or removed an object. */
  note(key: string, bytes: number | undefined): void {
    const askedMs = this.#effects.now();
    const facts = bytes === undefined ? undefined : { key, bytes, modifiedMs: askedMs };
    this.#objects.set(key, { askedMs, answer: facts });
    const listed = this.#folders.get(parentOf(key))?.answer;
    if (facts === undefined) listed?.delete(key);
    else listed?.set(key, facts);
    for (let child = parentOf(key); facts !== undefined && child !== ''; child = parentOf(child)) {
      const folder = { key: child, bytes: 0, modifiedMs: askedMs };
      this.#folders.get(parentOf(child))?.answer.set(child, folder);
    }
  }

  /** Drops the remembered names of a folder and of its objects, and its absence in its parent. */
  renew(folder: string): void {
    this.#folders.delete(folder);
    for (const key of this.#objects.keys()) if (key.startsWith(folder)) this.#objects.delete(key);
    for (let child = folder; child !== ''; child = parentOf(child)) {
      const parent = parentOf(child);
      if (this.#folders.get(parent)?.answer.has(child) === false) this.#folders.delete(parent);
    }
  }

  #isNew({ askedMs }: Kept<unknown>): boolean {
    return this.#effects.now() - askedMs < KEPT_MS;
  }
}

/** The folder of an object or of a folder, with its slash; '' at the top. */
function parentOf(key: string): string {
  return key.slice(0, key.replace(/\/$/, '').lastIndexOf('/') + 1);
}
