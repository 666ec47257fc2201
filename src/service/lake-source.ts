import { chainFullName } from '../catalogue/blocks-vocabulary.ts';
import type { Axis, Dataset } from '../catalogue/entry.ts';
import { datasets } from '../catalogue/index.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { localDisk } from '../land/disk.ts';
import { type Chains, chainsIn, type Lake, openLake } from '../land/lake.ts';
import { identifier } from '../land/parquet.ts';
import { Refusal } from './errors.ts';
import { servedDataset } from './lake-columns.ts';
import { Held } from './lake-held.ts';
import { createTables, load, lowestChange, type Version, versionOf } from './lake-loading.ts';
import { LakeStore } from './lake-store.ts';
import { LakeTable } from './lake-table.ts';
import { Turns } from './lake-turns.ts';
import { headEndpoint } from './missing-blocks.ts';
import type { ChainNames, Found, Query, Selection, Source } from './source.ts';
import { DEFAULT_NAMES } from './source.ts';

/** A lake as a source: what was exported, served again. */
export interface LakeSource extends Source {
  /**
   * Takes in what the lake's logs say by now, between two questions; true when they say more than
   * before. Happens by itself while requests come in.
   */
  refresh(): Promise<boolean>;
  /** Ends the source; nothing may be asked of it any more. */
  close(): Promise<void>;
}

export interface LakeSourceOptions {
  /** The data root. */
  readonly root: string;
  readonly effects: Effects;
  /** Most memory for what is served; `DEFAULT_MEMORY_BYTES` unless told otherwise. */
  readonly memoryBytes?: number;
  /** Questions are answered from what there is, even where that is not all. Default false. */
  readonly isPartAnswered?: boolean;
  /** Ends the opening, which throws its reason. */
  readonly signal?: AbortSignal;
}

const DEFAULT_MEMORY_BYTES = 2 ** 30;

/** How long after a look at the logs the next one is due. */
const LOOK_INTERVAL_MS = 1000;

/**
 * Answers from the tables of a data root. What several lists say of one record is blended when the
 * source is opened, into a database in a temporary folder, two to three times the lake in size:
 * minutes for many million rows. The lake itself is only read. Throws Fault('configuration') for a
 * root without a lake, or with those of several chains, and Fault('lake') for a corrupt log.
 */
export async function lakeSource(options: LakeSourceOptions): Promise<LakeSource> {
  const {
    root,
    effects,
    memoryBytes = DEFAULT_MEMORY_BYTES,
    isPartAnswered = false,
    signal,
  } = options;
  const chains = await chainsOf(root);
  const lake = await openLake({ root, chains, run: 'serve', effects, disk: localDisk });
  const served = await ServedLake.open(lake, memoryBytes, signal).catch((error: unknown) => {
    lake.close();
    throw error;
  });
  let lookedAtMs = effects.now();
  let look: Promise<unknown> | undefined;
  return {
    get names() {
      return served.names(chains);
    },
    head: (axis) => served.head(axis),
    lacksBlocks: (axis) => served.lacksBlocks(axis),
    find: (query) => served.find(query),
    ...(isPartAnswered ? {} : { lacks: (asked, isEarly) => served.lacks(asked, isEarly) }),
    newest: async (asked) => (await served.find({ ...asked, offset: 0, count: 1 })).records[0],
    refresh: () => served.refresh(),
    requested: () => {
      if (look !== undefined || effects.now() - lookedAtMs < LOOK_INTERVAL_MS) return;
      look = served
        .refresh()
        .catch((error: unknown) => effects.log('warn', `The lake cannot be read: ${String(error)}`))
        .finally(() => {
          lookedAtMs = effects.now();
          look = undefined;
        });
    },
    close: async () => {
      await look;
      await served.close();
    },
  };
}

async function chainsOf(root: string): Promise<Chains> {
  const [chains, ...others] = await chainsIn(root, localDisk);
  if (chains === undefined) {
    throw new Fault('configuration', 'There is no lake to serve.', {
      where: root,
      advice: 'Run a pipeline first, or name the data root of one that ran.',
    });
  }
  if (others.length === 0) return chains;
  throw new Fault('configuration', 'The lake holds several chains, and one can be served.', {
    where: root,
    advice: 'Keep each chain under a data root of its own.',
  });
}

interface Part {
  readonly dataset: Dataset;
  readonly table: LakeTable;
  held: Held;
  version: Version | undefined;
  head: number;
  /** The height from which on a load that failed has left the tables half done. */
  tornFrom: number | undefined;
}

/** The tables of all datasets, each at one version of the lake. */
class ServedLake {
  readonly #lake: Lake;
  readonly #store: LakeStore;
  readonly #parts: ReadonlyMap<string, Part>;
  readonly #turns = new Turns();
  readonly #fullNames = new Map<Axis, string>();

  private constructor(lake: Lake, store: LakeStore) {
    this.#lake = lake;
    this.#store = store;
    this.#parts = new Map(
      datasets.map((dataset) => {
        const table = new LakeTable(servedDataset(dataset.name), store);
        return [
          dataset.name,
          {
            dataset,
            table,
            held: new Held(dataset.name, []),
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
      // A chain without a table has no folder to be called by.
      shortName: this.#has(axis) ? chains[axis] : DEFAULT_NAMES[axis].shortName,
      fullName: this.#fullNames.get(axis) ?? DEFAULT_NAMES[axis].fullName,
    });
    return { primary: nameOf('primary'), zone: nameOf('zone') };
  }

  head(axis: Axis): number {
    const heads = [...this.#parts.values()]
      .filter(({ dataset, table }) => dataset.axis === axis && !table.of.isSnapshot)
      .map(({ head }) => head);
    return Math.max(-1, ...heads);
  }

  lacksBlocks(axis: Axis): boolean {
    const blocks = this.#parts.get(headEndpoint(axis)?.dataset ?? '');
    return blocks?.head === -1 && this.head(axis) >= 0;
  }

  async find(query: Query): Promise<Found> {
    const part = this.#parts.get(query.dataset);
    if (part === undefined) return { total: 0, records: [] };
    return this.#turns.shared(async () => {
      // Rows that are missing would be taken for proof that there are none.
      if (part.tornFrom !== undefined) {
        throw new Refusal('internal', `${query.dataset} could not be read from the lake`);
      }
      return part.table.find(query);
    });
  }

  /** See `Source`. On the primary chain the last block of a range may be one that nobody wants. */
  async lacks(asked: Selection, endsEarly: boolean): Promise<string | undefined> {
    const part = this.#parts.get(asked.dataset);
    // What is torn is refused for that, by whoever finds it.
    if (part === undefined || part.tornFrom !== undefined) return undefined;
    const { from, to } = asked.interval;
    const isEndKept = part.dataset.axis === 'zone' || from === to;
    const interval = { from, to: isEndKept ? to : to - 1 };
    const [missing] = part.held.missing({ ...asked, interval }, endsEarly);
    if (missing === undefined || (await this.#isFoundByHash(part, asked))) return undefined;
    return `blocks ${missing.from} to ${missing.to} of ${asked.dataset}`;
  }

  /** Whether a question asks for hashes, and all that these transactions have is here. */
  async #isFoundByHash({ dataset, table, held }: Part, asked: Selection): Promise<boolean> {
    const naming = table.hashesAsked(asked);
    if (naming === undefined) return false;
    const values = naming.values.filter((value) => !held.isLookedUp(asked, value));
    const heights = await Promise.all(
      [...this.#parts.values()]
        .filter((other) => other.dataset.axis === dataset.axis)
        .map((other) => this.#turns.shared(() => other.table.heightsOf(values))),
    );
    const own = await this.#turns.shared(() => table.heightsOf(values));
    const [identity, ...others] = dataset.identity;
    const isOne = others.length === 0 && naming.columns.some((column) => column === identity);
    return values.every((value) => {
      // Of a record that the hash alone tells from others there is one, and it is here.
      if (isOne && own.has(value)) return true;
      return heights.some((of) => {
        const height = of.get(value);
        if (height === undefined) return false;
        const interval = { from: height, to: height };
        return held.missing({ ...asked, interval }, false).length === 0;
      });
    });
  }

  async refresh(signal?: AbortSignal): Promise<boolean> {
    let hasChanged = false;
    for (const part of this.#parts.values()) {
      const version = await versionOf(this.#lake.table(part.dataset.name));
      if (version.number === (part.version?.number ?? -1)) continue;
      await this.#turns.alone(() => this.#advance(part, version, signal));
      hasChanged = true;
    }
    return hasChanged;
  }

  async close(): Promise<void> {
    await this.#turns.alone(() => this.#store.close());
    this.#lake.close();
  }

  async #advance(part: Part, version: Version, signal?: AbortSignal): Promise<void> {
    const { table, dataset } = part;
    const from = lowest(part.tornFrom, lowestChange(part.version, version));
    if (from !== undefined) {
      // Half done is done anew at the next look, whatever changes until then: the version stays
      // the old one, and nothing is answered.
      part.tornFrom = from;
      await load(this.#store, table.of, { version, from, signal }).finally(() => table.forget());
      const { heightColumn, name } = table.of;
      const sql = `SELECT max(${identifier(heightColumn)}) FROM ${identifier(name)}`;
      part.head = Number((await this.#store.rows(sql))[0]?.[0] ?? -1);
      await this.#learnName(table, dataset.axis);
    }
    part.version = version;
    part.held = new Held(dataset.name, version.coverage);
    part.tornFrom = undefined;
  }

  /** The chain is called what its newest record says that says it. */
  async #learnName({ of }: LakeTable, axis: Axis): Promise<void> {
    const { column } = chainFullName;
    if (!of.words.some((word) => word.column === column)) return;
    const [row] = await this.#store.rows(
      `SELECT arg_max(${column}, _position) FROM ${identifier(of.name)}`,
    );
    if (typeof row?.[0] === 'string') this.#fullNames.set(axis, row[0]);
  }

  #has(axis: Axis): boolean {
    return [...this.#parts.values()].some(
      ({ dataset, version }) => dataset.axis === axis && (version?.number ?? -1) >= 0,
    );
  }
}

function lowest(...heights: readonly (number | undefined)[]): number | undefined {
  const known = heights.filter((height) => height !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
