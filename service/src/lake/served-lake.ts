import { chainFullName } from '../../../src/catalogue/blocks-vocabulary.ts';
import type { Axis, Dataset } from '../../../src/catalogue/entry.ts';
import { datasets } from '../../../src/catalogue/index.ts';
import type { Chains, Lake } from '../../../src/land/lake.ts';
import { headEndpoint } from '../answer/missing-blocks.ts';
import type { ChainNames, Found, Query, Selection } from '../protocol/source.ts';
import { DEFAULT_NAMES } from '../protocol/source.ts';
import { Availability } from './availability.ts';
import { servedDataset } from './columns.ts';
import { ReadersWriterLock } from './readers-writer-lock.ts';
import { type ServedVersion, ServedVersions } from './served-version.ts';
import { LakeStore } from './store.ts';
import { ServedTable } from './table.ts';

interface Part {
  readonly dataset: Dataset;
  readonly versions: ServedVersions;
  readonly table: ServedTable;
  availability: Availability;
  version: ServedVersion | undefined;
}

/** The curated tables of all datasets, each at one version. */
export class ServedLake {
  readonly #lake: Lake;
  readonly #store: LakeStore;
  readonly #parts: ReadonlyMap<string, Part>;
  readonly #lock = new ReadersWriterLock();
  readonly #fullNames = new Map<Axis, string>();

  private constructor(lake: Lake, store: LakeStore) {
    this.#lake = lake;
    this.#store = store;
    const parts = datasets.flatMap((dataset): [string, Part][] => {
      const versions = ServedVersions.forDataset(lake, dataset.name);
      if (versions === undefined) return [];
      const table = new ServedTable(servedDataset(dataset.name), store);
      const availability = new Availability(dataset.name, []);
      return [[dataset.name, { dataset, versions, table, availability, version: undefined }]];
    });
    this.#parts = new Map(parts);
  }

  static async open(lake: Lake, memoryBytes: number, signal?: AbortSignal): Promise<ServedLake> {
    const store = await LakeStore.open(memoryBytes);
    const served = new ServedLake(lake, store);
    try {
      for (const { table } of served.#parts.values()) await table.create();
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

  head(axis: Axis): number {
    const parts = [...this.#parts.values()].filter(({ dataset }) => dataset.axis === axis);
    const heads = parts.flatMap(({ table }) => (table.dataset.isSnapshot ? [] : table.head));
    return Math.max(-1, ...heads);
  }

  /** The datasets whose newest records are not curated yet. */
  get behind(): string[] {
    const parts = [...this.#parts.values()].filter(({ version }) => version?.isBehind === true);
    return parts.map(({ dataset }) => dataset.name);
  }

  lacksBlocks(axis: Axis): boolean {
    const blocks = this.#parts.get(headEndpoint(axis)?.dataset ?? '');
    if (blocks === undefined || blocks.table.head >= 0) return false;
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
    return part.table.find(query);
  }

  /** See `Source`. */
  async lacks(selection: Selection, endsEarly: boolean): Promise<string | undefined> {
    const part = this.#parts.get(selection.dataset);
    if (part === undefined) return undefined;
    const [missing] = part.availability.missing(selection, endsEarly);
    if (missing === undefined || (await this.#isFoundByHash(part, selection))) return undefined;
    return `blocks ${missing.from} to ${missing.to} of ${selection.dataset}`;
  }

  /** Whether the question is by hashes, and all records of these transactions are present. */
  async #isFoundByHash(part: Part, selection: Selection): Promise<boolean> {
    const { dataset, table, availability, version } = part;
    const naming = table.hashesAsked(selection);
    if (naming === undefined) return false;
    const hashHeights = await table.heightsOf(naming.values);
    const looked = new Availability(
      dataset.name,
      (await version?.lookUps(naming.values, hashHeights)) ?? [],
    );
    const values = naming.values.filter((value) => {
      return !availability.isLookedUp(selection, value) && !looked.isLookedUp(selection, value);
    });
    const heights = await Promise.all(
      [...this.#parts.values()]
        .filter((other) => other.dataset.axis === dataset.axis)
        .map((other) => other.table.heightsOf(values)),
    );
    const [identity, ...others] = dataset.identity;
    const isOne = others.length === 0 && naming.columns.some((column) => column === identity);
    return values.every((value) => {
      // A record that is identified by the hash alone has no copies, and it is present.
      if (isOne && hashHeights.has(value)) return true;
      return heights.some((tableHeights) => {
        const height = tableHeights.get(value);
        if (height === undefined) return false;
        const interval = { from: height, to: height };
        return availability.missing({ ...selection, interval }, false).length === 0;
      });
    });
  }

  /** Shows every table that can be read, then throws the error of a table that cannot. */
  async refresh(signal?: AbortSignal): Promise<boolean> {
    let hasChanged = false;
    const failures: unknown[] = [];
    for (const part of this.#parts.values()) {
      signal?.throwIfAborted();
      try {
        const version = await part.versions.after(part.version?.number ?? -2, this.#store);
        if (version === undefined) continue;
        await this.#lock.alone(() => this.#advance(part, version));
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

  async #advance(part: Part, version: ServedVersion): Promise<void> {
    await part.table.show(version.files);
    part.version = version;
    part.availability = new Availability(part.dataset.name, version.coverage);
    // The chain's name comes from the newest record that has it.
    const { column } = chainFullName;
    if (!part.table.dataset.words.some((word) => word.column === column)) return;
    const name = await part.table.newestOf(column);
    if (name !== undefined) this.#fullNames.set(part.dataset.axis, name);
  }

  #has(axis: Axis): boolean {
    return [...this.#parts.values()].some((part) => part.dataset.axis === axis && isLanded(part));
  }
}

const isLanded = ({ version }: Part): boolean => version?.isLanded === true;
