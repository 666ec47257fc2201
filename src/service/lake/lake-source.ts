import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { type Chains, chainsIn, openLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { messageOf } from '../../load/query/open-warehouse.ts';
import type { Source } from '../protocol/source.ts';
import { ServedLake } from './served-lake.ts';

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
 * source is opened, into a database in a temporary folder, two to five times the lake in size:
 * minutes for many million rows. The lake itself is only read. Throws Fault('configuration') for a
 * root without a lake, or with those of several chains, and Fault('lake') for a corrupt log, a data
 * file that cannot be read, or a temporary folder without room.
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
      advice:
        'If a data file is missing or broken, restore it, or move its table folder away and run ' +
        'the pipeline again; the temporary folder (TMPDIR) must have room for five times the lake.',
      cause: error,
    });
  });
  let lookedAtMs = effects.now();
  let look: Promise<unknown> | undefined;
  const within: Source = {
    get names() {
      return served.names(chains);
    },
    head: (axis) => served.head(axis),
    lacksBlocks: (axis) => served.lacksBlocks(axis),
    find: (query) => served.find(query),
    newest: async (asked) => (await served.find({ ...asked, offset: 0, count: 1 })).records[0],
    ...(isPartAnswered ? {} : { lacks: (asked, isEarly) => served.lacks(asked, isEarly) }),
  };
  return {
    get names() {
      return within.names;
    },
    head: within.head,
    lacksBlocks: (axis) => served.lacksBlocks(axis),
    steady: (work) => served.steady(() => work(within)),
    find: (query) => served.steady(async () => within.find(query)),
    newest: (asked) => served.steady(async () => within.newest(asked)),
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

/** The pair of chains under a data root. Throws a Fault('configuration') for none or several. */
export async function servedChains(root: string): Promise<Chains> {
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
