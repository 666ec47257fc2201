import type { Effects } from '../../../src/effects.ts';
import { dataOption, Fault } from '../../../src/fault.ts';
import { type Chains, chainsIn, openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { messageOf } from '../../../src/load/query/open-warehouse.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Source } from '../protocol/source.ts';
import { ServedLake } from './served-lake.ts';

/** A lake as a source: serves exported records again. */
export interface LakeSource extends Source {
  /**
   * Reads the newest versions of the lake's logs between two questions. Returns true if they have
   * changed. It is also called while requests arrive.
   */
  refresh(): Promise<boolean>;
  /** Closes the source; it must not be used afterwards. */
  close(): Promise<void>;
}

export interface LakeSourceOptions {
  /** The data root. */
  readonly root: string;
  readonly effects: Effects;
  /** Memory limit of the database that reads them. Default `DEFAULT_MEMORY_BYTES`. */
  readonly memoryBytes?: number;
  /**
   * Whether questions are answered from the available records even if some are missing. Default
   * false.
   */
  readonly isPartAnswered?: boolean;
  /** Cancels the opening, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const DEFAULT_MEMORY_BYTES = 2 ** 30;

/** Milliseconds between two checks of the logs. */
const LOOK_INTERVAL_MS = 1000;

/**
 * Answers from the curated tables of a data root, which are read where they are. Opening the source
 * reads the logs, and makes an index of hashes in a temporary folder (about 25 bytes per hash and
 * block). Records that have landed, but are not curated yet, are refused as if they had not been
 * exported. Throws Fault('configuration') for a root without a lake or with several chains, and
 * Fault('lake') for a corrupt log, an unreadable data file, or a temporary folder without enough
 * space.
 */
export async function lakeSource(options: LakeSourceOptions): Promise<LakeSource> {
  const {
    root,
    effects,
    memoryBytes = DEFAULT_MEMORY_BYTES,
    isPartAnswered = false,
    signal,
  } = options;
  const chains = await servedChains(root);
  const lake = await openLake({ root, chains, run: 'serve', effects, disk: localDisk });
  const served = await ServedLake.open(lake, memoryBytes, signal).catch((error: unknown) => {
    lake.close();
    if (error instanceof Fault || signal?.aborted === true) throw error;
    throw new Fault('lake', `The lake cannot be opened: ${messageOf(error)}`, {
      where: root,
      advice: {
        text:
          'The temporary folder (TMPDIR) must have room for an index of all hashes. If a data ' +
          'file is missing or broken, make the curated tables again.',
        command: `windrow load --full${dataOption(root)}`,
      },
      cause: error,
    });
  });
  const warnOfBehind = (): void => {
    if (served.behind.length === 0) return;
    const names = served.behind.join(', ');
    const command = `windrow load${dataOption(root)}`;
    effects.log('warn', `Newer records of ${names} are not served. To curate them: ${command}`);
  };
  warnOfBehind();
  let lookedAtMs = effects.now();
  let look: Promise<unknown> | undefined;
  /** Missing rows would be taken as proof that they do not exist. */
  const readable = <T>(dataset: string, answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      effects.log('warn', `${dataset} could not be read from the lake: ${messageOf(error)}`);
      throw new Refusal('internal', `${dataset} could not be read from the lake`);
    });
  const within: Source = {
    get names() {
      return served.names(chains);
    },
    head: (axis) => served.head(axis),
    lacksBlocks: (axis) => served.lacksBlocks(axis),
    find: (query) => readable(query.dataset, served.find(query)),
    newest: async (query) => (await within.find({ ...query, offset: 0, count: 1 })).records[0],
    ...(isPartAnswered
      ? {}
      : { lacks: (query, isEarly) => readable(query.dataset, served.lacks(query, isEarly)) }),
  };
  return {
    get names() {
      return within.names;
    },
    head: within.head,
    lacksBlocks: (axis) => served.lacksBlocks(axis),
    steady: (work) => served.steady(() => work(within)),
    find: (query) => served.steady(async () => within.find(query)),
    newest: (query) => served.steady(async () => within.newest(query)),
    refresh: () => served.refresh(),
    requested: () => {
      if (look !== undefined || effects.now() - lookedAtMs < LOOK_INTERVAL_MS) return;
      look = served
        .refresh()
        .then((hasChanged) => {
          if (hasChanged) warnOfBehind();
        })
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

/** The pair of chains under a data root. Throws a Fault('configuration') for none or several. */
export async function servedChains(root: string): Promise<Chains> {
  const [chains, ...others] = await chainsIn(root, localDisk);
  if (chains === undefined) {
    throw new Fault('configuration', 'There is no lake to serve.', {
      where: root,
      advice: 'Run a pipeline first, or name a data root that a pipeline has filled.',
    });
  }
  if (others.length === 0) return chains;
  throw new Fault('configuration', 'The lake holds several chains, but only one can be served.', {
    where: root,
    advice: 'Keep each chain under a data root of its own.',
  });
}
