import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { datasetOf, endpointAt } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import type { Effects } from '../effects.ts';
import type { Status } from '../plan/coverage.ts';
import { type Slice, sliceId } from '../plan/slice.ts';
import { type Broken, decode } from './decode.ts';
import type { Disk } from './disk.ts';
import type { Lake } from './lake.ts';
import type { Claim } from './merge.ts';
import type { LandedWalk } from './table.ts';

/** What the fetch stage hands over: a slice that was walked, and what that proved. */
export interface Landing {
  readonly slice: Slice;
  readonly status: Status;
  readonly reason: string;
  readonly records: readonly WireRecord[];
  /** Requests that the walk took. */
  readonly requests: number;
  readonly head: number;
  /** Reorganisations the table knew of when the walk began. */
  readonly generation: number;
}

/** A commit is made when one of these is reached. */
export interface CommitLimits {
  readonly rows: number;
  readonly slices: number;
  readonly seconds: number;
}

export interface LandedCounts {
  readonly commits: number;
  readonly slices: number;
  readonly rows: number;
  readonly rowsReplaced: number;
  readonly quarantined: number;
  /** Fields the catalogue does not know, as `endpoint field`, with how many records had them. */
  readonly drift: ReadonlyMap<string, number>;
  readonly statuses: ReadonlyMap<Status, number>;
}

interface Batch {
  readonly walks: LandedWalk[];
  rows: number;
  readonly startedMs: number;
}

/**
 * Gathers walked slices into commits, one table after the other: small slices are committed
 * together. `add` waits while a commit is under way, so that memory stays bounded.
 */
export class Committer {
  readonly #lake: Lake;
  readonly #limits: CommitLimits;
  readonly #effects: Effects;
  readonly #disk: Disk;
  readonly #quarantine: string;
  readonly #batches = new Map<string, Batch>();
  readonly #drift = new Map<string, number>();
  readonly #statuses = new Map<Status, number>();
  #turn: Promise<void> = Promise.resolve();
  #commits = 0;
  #slices = 0;
  #rows = 0;
  #rowsReplaced = 0;
  #quarantined = 0;

  constructor(options: {
    readonly lake: Lake;
    readonly limits: CommitLimits;
    readonly effects: Effects;
    readonly disk: Disk;
    readonly run: string;
  }) {
    this.#lake = options.lake;
    this.#limits = options.limits;
    this.#effects = options.effects;
    this.#disk = options.disk;
    this.#quarantine = options.lake.layout.quarantineOf(options.run);
  }

  counts(): LandedCounts {
    return {
      commits: this.#commits,
      slices: this.#slices,
      rows: this.#rows,
      rowsReplaced: this.#rowsReplaced,
      quarantined: this.#quarantined,
      drift: this.#drift,
      statuses: this.#statuses,
    };
  }

  /** Takes a slice over; it is durable once a later `add` or `flush` has committed it. */
  async add(landing: Landing): Promise<void> {
    const { slice } = landing;
    const dataset = datasetOf(endpointAt(slice.endpoint), slice.variant.params);
    const walk = await this.#walkOf(landing);
    const batch = this.#batches.get(dataset) ?? {
      walks: [],
      rows: 0,
      startedMs: this.#effects.now(),
    };
    this.#batches.set(dataset, batch);
    batch.walks.push(walk);
    batch.rows += walk.records.length;
    this.#slices += 1;
    const { status } = walk.claim;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    for (const [name, waiting] of [...this.#batches]) {
      if (this.#isDue(waiting)) await this.#commit(name);
    }
  }

  /** Commits what is left. */
  async flush(): Promise<void> {
    for (const dataset of [...this.#batches.keys()]) await this.#commit(dataset);
  }

  #isDue(batch: Batch): boolean {
    return (
      batch.rows >= this.#limits.rows ||
      batch.walks.length >= this.#limits.slices ||
      this.#effects.now() - batch.startedMs >= this.#limits.seconds * 1000
    );
  }

  /** Commits take turns: there is one bench, and one newest version to merge into. */
  async #commit(dataset: string): Promise<void> {
    const batch = this.#batches.get(dataset);
    this.#batches.delete(dataset);
    if (batch === undefined) return;
    const turn = this.#turn.then(async () => {
      const done = await this.#lake.table(dataset).commit(batch.walks);
      this.#commits += 1;
      this.#rows += done.rowsAdded;
      this.#rowsReplaced += done.rowsReplaced;
    });
    this.#turn = turn.catch(() => undefined);
    await turn;
  }

  async #walkOf(landing: Landing): Promise<LandedWalk> {
    const { slice, records, head, generation } = landing;
    const endpoint = endpointAt(slice.endpoint);
    const { rows, broken, drift } = decode(endpoint, slice.variant, records, slice.interval.from);
    for (const [field, count] of drift) {
      const name = `${endpoint.path} ${field}`;
      this.#drift.set(name, (this.#drift.get(name) ?? 0) + count);
    }
    await this.#keep(slice, broken);
    const [first] = broken;
    const claim: Claim = {
      endpoint: slice.endpoint,
      variant: slice.variant.id,
      keys: slice.keys,
      interval: slice.interval,
      status: first === undefined ? landing.status : 'inconsistent',
      reason:
        first === undefined
          ? landing.reason
          : `${broken.length} records are in quarantine; the first because ${first.reason}`,
      head,
      readAtMs: this.#effects.now(),
      generation,
    };
    return { claim, records: rows, slice: sliceId(slice), requests: landing.requests };
  }

  /** Broken records are kept before the slice they came from is committed. */
  async #keep(slice: Slice, broken: readonly Broken[]): Promise<void> {
    if (broken.length === 0) return;
    this.#quarantined += broken.length;
    const { endpoint, keys, interval } = slice;
    const at = new Date(this.#effects.now()).toISOString();
    const lines = broken.map(({ reason, raw }) =>
      JSON.stringify({ at, endpoint, variant: slice.variant.id, keys, interval, reason, raw }),
    );
    await mkdir(dirname(this.#quarantine), { recursive: true });
    await appendFile(this.#quarantine, `${lines.join('\n')}\n`);
    await this.#disk.sync(this.#quarantine);
  }
}
