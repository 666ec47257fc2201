import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { endpointAt } from '../../../src/catalogue/index.ts';
import { isAskedByHash, type List, listOf } from '../../../src/coverage/list.ts';
import { curate } from '../../../src/curate/curate.ts';
import type { Effects } from '../../../src/effects.ts';
import { type Lake, openLake } from '../../../src/land/lake.ts';
import { decode } from '../../../src/land/rows/decode.ts';
import { forgottenIn } from '../../../src/land/rows/forgotten-in.ts';
import { type Disk, localDisk } from '../../../src/land/storage/disk.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { listed } from '../../fixtures/listed.ts';
import { mergeAll } from '../../fixtures/merge-all.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { Chance } from '../chance.ts';
import { World } from './universe.ts';
import { type RandomWalk, randomWalk } from './walks.ts';
import { wireOf } from './wire.ts';

/** Histories that are played in one lake: each has heights, addresses and hashes of its own. */
export interface HistoryCase {
  readonly seed: number;
  readonly worlds: number;
}

/** Durability is not the subject here, and syncing takes a third of the time. */
export const FAST_DISK: Disk = {
  ...localDisk,
  sync: () => Promise.resolve(),
  syncFolder: () => Promise.resolve(),
};

const START_MS = 1_700_000_000_000;

export function openTestLake(root: string, disk: Disk, more: Partial<Effects> = {}): Promise<Lake> {
  const effects = quietEffects(more);
  return openLake({ root, chains: CHAINS, run: 'test', effects, disk, checkpointCommits: 1 });
}

/** A lake, and random walks that land in it round by round. */
export class CuratedHistory {
  readonly lake: Lake;
  readonly #disk: Disk;
  readonly chance: Chance;
  readonly #worlds: readonly { readonly world: World; readonly chance: Chance }[];
  /** The round in which each list is asked for first. */
  readonly #begins = new Map<string, number>();
  #round = 0;
  #readAtMs = START_MS;

  private constructor(lake: Lake, options: HistoryCase, disk: Disk) {
    this.lake = lake;
    this.#disk = disk;
    this.chance = new Chance(options.seed);
    this.#worlds = Array.from({ length: options.worlds }, (_, i) => {
      const chance = new Chance(options.seed * 100_003 + i);
      return { world: new World(i, chance.apart()), chance };
    });
  }

  static async open(root: string, options: HistoryCase, disk = FAST_DISK): Promise<CuratedHistory> {
    return new CuratedHistory(await openTestLake(root, disk), options, disk);
  }

  close(): void {
    this.lake.close();
  }

  /** Lands some walks of every world. */
  async play(): Promise<void> {
    const byDataset = new Map<string, RandomWalk[]>();
    for (const { world, chance } of this.#worlds) {
      const count = chance.is(0.25) ? 0 : chance.between(2, 10);
      for (let i = 0; i < count; i += 1) {
        const walk = randomWalk(world, chance);
        if (this.#beginOf(walk) > this.#round) continue;
        byDataset.set(walk.dataset, [...(byDataset.get(walk.dataset) ?? []), walk]);
      }
      if (chance.is(0.6)) world.change();
    }
    for (const [dataset, walks] of byDataset) {
      const half = this.chance.is(0.3) ? Math.floor(walks.length / 2) : 0;
      if (half > 0) await this.#land(dataset, walks.slice(0, half));
      await this.#land(dataset, walks.slice(half));
      if (this.chance.is(0.1)) await mergeAll(this.lake.table(dataset).stored);
      if (this.chance.is(0.06)) {
        const { world } = this.chance.pick(this.#worlds);
        await this.lake.table(dataset).reorganised(world.height);
      }
      if (this.chance.is(0.5)) await this.#forget(dataset);
    }
    this.#round += 1;
  }

  #beginOf({ path, params }: RandomWalk): number {
    const list = `${path} ${JSON.stringify(params)}`;
    const begin = this.#begins.get(list) ?? this.chance.pick([0, 0, 0, 1, 2]);
    this.#begins.set(list, begin);
    return begin;
  }

  /** Forgets addresses, or hashes, of some or all worlds in one table: whole lists may go. */
  async #forget(dataset: string): Promise<void> {
    const table = this.lake.table(dataset);
    const share = this.chance.pick([0.1, 0.1, 0.4, 1]);
    const worlds = this.#worlds.filter(() => this.chance.is(share));
    const some = (names: readonly string[]): readonly string[] =>
      share === 1 ? names : this.chance.some(names).slice(0, 2);
    const addresses = worlds.flatMap(({ world }) => some(world.addresses));
    const hashes = this.chance.is(0.3) ? worlds.flatMap(({ world }) => some(world.hashes)) : [];
    const keysOf = (list: List) => (isAskedByHash(list) ? hashes : addresses);
    await table.forget((snapshot) => forgottenIn(snapshot, table, keysOf));
  }

  async #land(dataset: string, walks: readonly RandomWalk[]): Promise<void> {
    const table = this.lake.table(dataset);
    const { reorganisations } = await table.snapshot();
    await table.commit(
      walks.map((walk) => {
        const list = listOf(endpointAt(walk.path), walk.params);
        const records = walk.records.map((record) => wireOf(walk.path, record));
        const { rows, broken } = decode(list, listed(list.entry, records), walk.from);
        if (broken.length > 0) throw new Error(broken[0]?.reason);
        // No two walks have one time, so that the newest reading is always known.
        this.#readAtMs += 1;
        const claim = {
          list,
          keys: walk.keys,
          interval: { from: walk.from, to: walk.to },
          status: walk.status,
          reason: '',
          head: 1_000_000,
          readAtMs: this.#readAtMs,
          generation: reorganisations.length,
        };
        return { claim, records: rows, slice: 'test', requests: 1 };
      }),
    );
  }

  async curate(isFull = false): Promise<void> {
    // With -1, heights that did not change are left alone, however few rows they have.
    const gapRows = this.chance.pick([-1, 8]);
    const limits = isFull ? undefined : { chunkRows: 1_000_000, gapRows };
    const job = { lake: this.lake, effects: quietEffects(), disk: this.#disk, isFull };
    await curate(limits === undefined ? job : { ...job, limits });
  }

  /** Computes all tables again, from nothing or over what is there. */
  async rebuild(): Promise<void> {
    if (this.chance.is(0.5)) return this.curate(true);
    for (const axis of ['primary', 'zone'] as const) {
      const { folder } = this.lake.curatedStorage(axis, 'transactions');
      await rm(dirname(folder), { recursive: true, force: true });
    }
    return this.curate();
  }
}
