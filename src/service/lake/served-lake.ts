import { chainFullName } from '../../catalogue/blocks-vocabulary.ts';
import type { Axis, Dataset } from '../../catalogue/entry.ts';
import { datasets } from '../../catalogue/index.ts';
import type { Chains, Lake } from '../../land/lake.ts';
import { identifier } from '../../land/storage/sql-text.ts';
import { headEndpoint } from '../answer/missing-blocks.ts';
import { Refusal } from '../protocol/errors.ts';
import type { ChainNames, Found, Query, Selection } from '../protocol/source.ts';
import { DEFAULT_NAMES } from '../protocol/source.ts';
import { Availability } from './availability.ts';
import { servedDataset } from './columns.ts';
import { createTables, load, lowestChange, type Version, versionOf } from './loading.ts';
import { ReadersWriterLock } from './readers-writer-lock.ts';
import { LakeStore } from './store.ts';
import { ServedTable } from './table.ts';

interface Part {
  readonly dataset: Dataset;
  readonly table: ServedTable;
  availability: Availability;
  version: Version | undefined;
  head: number;
  /** The lowest height at which a failed load has left the tables incomplete. */
  tornFrom: number | undefined;
}

/** The tables of all datasets, each at one version of the lake. */
export class ServedLake {
  readonly #lake: Lake;
  readonly #store: LakeStore;
  readonly #parts: ReadonlyMap<string, Part>;
  readonly #lock = new ReadersWriterLock();
  readonly #fullNames = new Map<Axis, string>();

  private constructor(lake: Lake, store: LakeStore) {
    this.#lake = lake;
    this.#store = store;
    this.#parts = new Map(
      datasets.map((dataset) => {
        const table = new ServedTable(servedDataset(dataset.name), store);
        return [
          dataset.name,
          {
            dataset,
            table,
            availability: new Availability(dataset.name, []),
            version: undefined,
            head: -1,
            tornFrom: undefined,
          },
        ];
      }),
    );
  }

  static async open(lake: Lake, memoryBytes: number, signal?: AbortSignal): Promise<ServedLake> {
    const store = await LakeStore.open(memoryBytes);
    const served = new ServedLake(lake, store);
    try {
      for (const { table } of served.#parts.values()) await createTables(store, table.of);
      await served.refresh(signal);
      return served;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  names(chains: Chains): Readonly<Record<Axis, ChainNames>> {
    const nameOf = (axis: Axis): ChainNames => ({
      // A chain without a table has no folder to take a name from.
      shortName: this.#has(axis) ? chains[axis] : DEFAULT_NAMES[axis].shortName,
      fullName: this.#fullNames.get(axis) ?? DEFAULT_NAMES[axis].fullName,
    });
    return { primary: nameOf('primary'), zone: nameOf('zone') };
  }

  /** Throws a Refusal if a table of the axis is incomplete, because its head is then unknown. */
  head(axis: Axis): number {
    const parts = [...this.#parts.values()].filter(({ dataset }) => dataset.axis === axis);
    for (const part of parts) checkWhole(part);
    const heads = parts.filter(({ table }) => !table.of.isSnapshot).map(({ head }) => head);
    return Math.max(-1, ...heads);
  }

  lacksBlocks(axis: Axis): boolean {
    const blocks = this.#parts.get(headEndpoint(axis)?.dataset ?? '');
    if (blocks === undefined || blocks.head >= 0) return false;
    // A chain that has not started yet has no blocks, although they were fetched.
    return isLanded(blocks) ? this.head(axis) >= 0 : this.#has(axis);
  }

  /** Runs work while the tables do not change. Several such works run concurrently. */
  steady<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.shared(work);
  }

  async find(query: Query): Promise<Found> {
    const part = this.#parts.get(query.dataset);
    if (part === undefined) return { total: 0, records: [] };
    checkWhole(part);
    return part.table.find(query);
  }

  /** See `Source`. */
  async lacks(asked: Selection, endsEarly: boolean): Promise<string | undefined> {
    const part = this.#parts.get(asked.dataset);
    if (part === undefined) return undefined;
    checkWhole(part);
    const [missing] = part.availability.missing(asked, endsEarly);
    if (missing === undefined || (await this.#isFoundByHash(part, asked))) return undefined;
    return `blocks ${missing.from} to ${missing.to} of ${asked.dataset}`;
  }

  /** Whether the question is by hashes, and all records of these transactions are present. */
  async #isFoundByHash({ dataset, table, availability }: Part, asked: Selection): Promise<boolean> {
    const naming = table.hashesAsked(asked);
    if (naming === undefined) return false;
    const values = naming.values.filter((value) => !availability.isLookedUp(asked, value));
    const heights = await Promise.all(
      [...this.#parts.values()]
        .filter((other) => other.dataset.axis === dataset.axis)
        .map((other) => other.table.heightsOf(values)),
    );
    const own = await table.heightsOf(values);
    const [identity, ...others] = dataset.identity;
    const isOne = others.length === 0 && naming.columns.some((column) => column === identity);
    return values.every((value) => {
      // A record that is identified by the hash alone has no copies, and it is present.
      if (isOne && own.has(value)) return true;
      return heights.some((of) => {
        const height = of.get(value);
        if (height === undefined) return false;
        const interval = { from: height, to: height };
        return availability.missing({ ...asked, interval }, false).length === 0;
      });
    });
  }

  /** Updates every table that can be read, then throws the error of a table that cannot. */
  async refresh(signal?: AbortSignal): Promise<boolean> {
    let hasChanged = false;
    const failures: unknown[] = [];
    for (const part of this.#parts.values()) {
      try {
        const version = await versionOf(this.#lake.table(part.dataset.name));
        if (version.number === (part.version?.number ?? -1)) continue;
        await this.#lock.alone(() => this.#advance(part, version, signal));
        hasChanged = true;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return hasChanged;
  }

  async close(): Promise<void> {
    await this.#lock.alone(() => this.#store.close());
    this.#lake.close();
  }

  async #advance(part: Part, version: Version, signal?: AbortSignal): Promise<void> {
    const { table, dataset } = part;
    const from = lowest(part.tornFrom, lowestChange(part.version, version));
    if (from !== undefined) {
      table.forget();
      await load(this.#store, table.of, { version, from, signal }).catch((error: unknown) => {
        // The next check rebuilds the table even if its log has not changed: the version stays the
        // old one, and the table answers no questions.
        part.tornFrom = from;
        throw error;
      });
      const { heightColumn, name } = table.of;
      const sql = `SELECT max(${identifier(heightColumn)}) FROM ${identifier(name)}`;
      part.head = Number((await this.#store.rows(sql))[0]?.[0] ?? -1);
      await this.#learnName(table, dataset.axis);
    }
    part.version = version;
    part.availability = new Availability(dataset.name, version.coverage);
    part.tornFrom = undefined;
  }

  /** The chain's name comes from the newest record that has it. */
  async #learnName({ of }: ServedTable, axis: Axis): Promise<void> {
    const { column } = chainFullName;
    if (!of.words.some((word) => word.column === column)) return;
    const [row] = await this.#store.rows(
      `SELECT arg_max(${column}, _position) FROM ${identifier(of.name)}`,
    );
    if (typeof row?.[0] === 'string') this.#fullNames.set(axis, row[0]);
  }

  #has(axis: Axis): boolean {
    return [...this.#parts.values()].some((part) => part.dataset.axis === axis && isLanded(part));
  }
}

const isLanded = ({ version }: Part): boolean => (version?.number ?? -1) >= 0;

/** Missing rows would be taken as proof that they do not exist. */
function checkWhole({ dataset, tornFrom }: Part): void {
  if (tornFrom === undefined) return;
  throw new Refusal('internal', `${dataset.name} could not be read from the lake`);
}

function lowest(...heights: readonly (number | undefined)[]): number | undefined {
  const known = heights.filter((height) => height !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
