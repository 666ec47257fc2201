import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { Effects } from '../../src/effects.ts';
import { Committer, type Landing } from '../../src/land/committer.ts';
import { type Disk, localDisk } from '../../src/land/disk.ts';
import { type Lake, openLake } from '../../src/land/lake.ts';
import { variant } from '../../src/plan/slice.ts';
import { CHAINS } from '../chains.ts';
import { quietEffects } from '../quiet-effects.ts';

export const A = `0x${'a'.repeat(40)}`;
export const B = `0x${'b'.repeat(40)}`;
/** What no reader of amounts understands, until it is spelled as a number. */
export const ODD = 'one';

/** A transaction of the height from A to A, unless told otherwise. */
export function transaction(height: number, more: WireRecord = {}): WireRecord {
  return { txId: `0x${height}`, height: String(height), from: A, to: A, amount: '1', ...more };
}

/** A walk of A's transactions of blocks 0 to 9. */
export function landing(records: readonly WireRecord[], more: Partial<Landing> = {}): Landing {
  return {
    slice: {
      endpoint: 'mainchain/address/normal-transaction-list-multi',
      variant: variant({}),
      keys: [A],
      interval: { from: 0, to: 9 },
      provisional: false,
    },
    status: 'complete',
    reason: '',
    records,
    requests: 1,
    head: 999,
    generation: 0,
    ...more,
  };
}

/** A lake in a folder of its own, which a run after the other lands in. */
export class QuarantineLake {
  readonly root: string;
  readonly #effects: Effects;
  readonly #disk: Disk;
  readonly #open = new Map<string, Promise<Lake>>();

  private constructor(root: string, disk: Disk, effects: Effects) {
    this.root = root;
    this.#disk = disk;
    this.#effects = effects;
  }

  static async open(disk = localDisk, effects = quietEffects(), at?: string) {
    const root = at ?? (await mkdtemp(join(tmpdir(), 'windrow-quarantine-')));
    return new QuarantineLake(root, disk, effects);
  }

  /** Every run opens the lake once. */
  async use<T>(run: string, work: (lake: Lake) => Promise<T>): Promise<T> {
    const [effects, disk] = [this.#effects, this.#disk];
    const known = this.#open.get(run);
    const opening = known ?? openLake({ root: this.root, chains: CHAINS, run, effects, disk });
    this.#open.set(run, opening);
    return work(await opening);
  }

  run(name: string, ...landings: readonly Landing[]): Promise<void> {
    return this.use(name, async (lake) => {
      const limits = { rows: 1000, slices: 1000, seconds: 10_000 };
      const committer = new Committer({ lake, limits, effects: this.#effects, run: name });
      for (const each of landings) await committer.add(each);
      await committer.flush();
    });
  }

  async close(): Promise<void> {
    for (const lake of this.#open.values()) (await lake).close();
    this.#open.clear();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.root, { recursive: true, force: true });
  }
}
