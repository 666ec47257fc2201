import type { CheckpointsByAxis } from '../coverage/checkpoints.ts';
import type { CoverageEntry, Status } from '../coverage/coverage.ts';
import { isAskedByHash, listAt } from '../coverage/list.ts';
import { sliceId } from '../coverage/slice.ts';
import type { FetchedPart } from '../coverage/slice-part.ts';
import { type Effects, type SpanAttributes, traced } from '../effects.ts';
import type { Lake } from './lake.ts';
import type { QuarantineRecord } from './quarantine/quarantine-record.ts';
import { decode } from './rows/decode.ts';
import { decodePending, type PendingReading, pendingRows } from './rows/pending-rows.ts';
import {
  type SafeHeights,
  type SplitWalk,
  splitBrokenRecords,
  unfinishedParts,
} from './rows/split-walk.ts';
import type { LandedWalk } from './rows/table.ts';
import { type Claim, recordCount } from './rule/claim.ts';

/** A fetched part, and when it was read. */
export interface Landing extends FetchedPart {
  readonly head: number;
  /** Safe heights of the axes whose heights records name (`LateColumn.axis`). */
  readonly heads?: SafeHeights;
  /** Number of reorganisations in the table's log when the walk began. */
  readonly generation: number;
  /** See `Claim.refutes`. */
  readonly refutes?: true;
}

/** A batch is committed when it reaches one of these limits. */
export interface CommitLimits {
  readonly rows: number;
  readonly slices: number;
  readonly seconds: number;
}

export interface LandedCounts {
  readonly commits: number;
  readonly slices: number;
  /** Rows of all walked slices, whether or not they are committed. */
  readonly rowsFetched: number;
  /** Rows added by commits. */
  readonly rows: number;
  readonly rowsReplaced: number;
  readonly quarantined: number;
  /** Distinct pending records; one that several lists show counts once. */
  readonly pending: number;
  /** Number of records by field that the catalogue does not know; the key is `endpoint field`. */
  readonly drift: ReadonlyMap<string, number>;
  /** Number of rows by stable field that they lack; the key is `endpoint field`. */
  readonly absent: ReadonlyMap<string, number>;
  readonly statuses: ReadonlyMap<Status, number>;
  /** Intervals of lists that differ from another list (see `contradictions`). */
  readonly contradicted: number;
}

/**
 * A slice of look-ups by hash counts as this share of one, because it has few rows. Merging
 * compares every slice that replaces rows with all rows of its commit, so a limit remains.
 */
const LOOK_UP_SHARE = 1 / 8;

interface Batch {
  readonly walks: LandedWalk[];
  readonly broken: QuarantineRecord[];
  readonly pending: PendingReading[];
  rows: number;
  slices: number;
  readonly startedMs: number;
}

/** Commits that have begun or wait: while there are so many, no slice is added to a batch. */
const MOST_COMMITS = 2;

/**
 * Groups walked slices into commits, one commit at a time. `add` waits for the commits that become
 * due, and while several are, which bounds memory.
 */
export class Committer {
  readonly #lake: Lake;
  readonly #limits: CommitLimits;
  readonly #effects: Effects;
  readonly #run: string;
  readonly #checkpoints: CheckpointsByAxis;
  readonly #batches = new Map<string, Batch>();
  readonly #drift = new Map<string, number>();
  readonly #absent = new Map<string, number>();
  readonly #statuses = new Map<Status, number>();
  readonly #pending = new Set<string>();
  #contradicted: CoverageEntry[] = [];
  readonly #waiting: Promise<unknown>[] = [];
  #commits = 0;
  #slices = 0;
  #rowsFetched = 0;
  #rows = 0;
  #rowsReplaced = 0;
  #quarantined = 0;

  /** `checkpoints` are block hashes of the chains that all walks are read from. */
  constructor(options: {
    readonly lake: Lake;
    readonly checkpoints?: CheckpointsByAxis;
    readonly limits: CommitLimits;
    readonly effects: Effects;
    readonly run: string;
  }) {
    this.#lake = options.lake;
    this.#limits = options.limits;
    this.#effects = options.effects;
    this.#run = options.run;
    this.#checkpoints = options.checkpoints ?? {};
  }

  counts(): LandedCounts {
    return {
      commits: this.#commits,
      slices: this.#slices,
      rowsFetched: this.#rowsFetched,
      rows: this.#rows,
      rowsReplaced: this.#rowsReplaced,
      quarantined: this.#quarantined,
      pending: this.#pending.size,
      drift: this.#drift,
      absent: this.#absent,
      statuses: this.#statuses,
      contradicted: this.#contradicted.length,
    };
  }

  /** Adds a slice to its batch; a later `add` or `flush` commits it. */
  async add(landing: Landing): Promise<void> {
    while (this.#waiting.length >= MOST_COMMITS) await this.#waiting[0];
    const { slice } = landing;
    const dataset = slice.list.dataset.name;
    const { walks, records, pending } = this.#walkOf(landing);
    const batch = this.#batches.get(dataset) ?? {
      walks: [],
      broken: [],
      pending: [],
      rows: 0,
      slices: 0,
      startedMs: this.#effects.now(),
    };
    this.#batches.set(dataset, batch);
    const unfinished = walks.flatMap((walk) => unfinishedParts(walk, landing.heads ?? {}));
    batch.walks.push(...walks, ...unfinished);
    for (const record of records) batch.broken.push(record);
    if (pending !== undefined) batch.pending.push(pending);
    for (const { identity } of pending?.rows ?? []) this.#pending.add(identity);
    const rows = recordCount(walks);
    batch.rows += rows + records.length + (pending?.rows.length ?? 0);
    batch.slices += isAskedByHash(slice.list) ? LOOK_UP_SHARE : 1;
    this.#slices += 1;
    this.#rowsFetched += rows;
    this.#quarantined += records.length;
    for (const { claim } of [walks[0], ...unfinished]) {
      this.#statuses.set(claim.status, (this.#statuses.get(claim.status) ?? 0) + 1);
    }
    for (const [name, waiting] of [...this.#batches]) {
      if (this.#isDue(waiting)) await this.#commit(name);
    }
  }

  /** Commits all batches. */
  async flush(): Promise<void> {
    for (const dataset of [...this.#batches.keys()]) await this.#commit(dataset);
  }

  /** Coverage that is inconsistent because two lists differ, and that no later commit mended. */
  async contradictions(): Promise<readonly CoverageEntry[]> {
    const open: CoverageEntry[] = [];
    for (const entry of this.#contradicted) {
      const { coverage } = await this.#lake.table(listAt(entry).dataset.name).snapshot();
      const isMissing = coverage.missing(entry, entry.key, entry).length > 0;
      // A complete look-up has no entry.
      const isCovered = isAskedByHash(entry) && !coverage.isKnown(entry, entry.key, entry);
      if (isMissing && !isCovered) open.push(entry);
    }
    this.#contradicted = open;
    return open;
  }

  #isDue(batch: Batch): boolean {
    return (
      batch.rows >= this.#limits.rows ||
      batch.slices >= this.#limits.slices ||
      this.#effects.now() - batch.startedMs >= this.#limits.seconds * 1000
    );
  }

  /** Commits run one after the other: all tables share one Parquet writer. */
  async #commit(dataset: string): Promise<void> {
    const batch = this.#batches.get(dataset);
    this.#batches.delete(dataset);
    if (batch === undefined) return;
    const span = { 'windrow.dataset': dataset, 'windrow.slices': batch.walks.length };
    const work = async (add: (more: SpanAttributes) => void): Promise<void> => {
      // Quarantine first: the coverage of a slice names records that must survive a crash.
      await this.#lake.quarantineOf(dataset).add(batch.broken);
      // Pending records too: a complete slice is not read again after a crash.
      await this.#lake.pending.get(dataset)?.add(batch.pending);
      const table = this.#lake.table(dataset);
      const done = await table.commit(batch.walks, this.#checkpoints[table.dataset.axis]);
      add({ 'windrow.rows': done.rowsAdded });
      this.#commits += 1;
      this.#rows += done.rowsAdded;
      this.#rowsReplaced += done.rowsReplaced;
      for (const entry of done.contradicted) this.#contradicted.push(entry);
    };
    const before = this.#waiting.at(-1) ?? Promise.resolve();
    const commit = before.then(() => traced(this.#effects, 'commit', span, work));
    const ended = commit.then(
      () => void this.#waiting.shift(),
      () => void this.#waiting.shift(),
    );
    this.#waiting.push(ended);
    await commit;
  }

  #walkOf(landing: Landing): SplitWalk & { readonly pending: PendingReading | undefined } {
    const { slice, status, reason, head, generation, requests } = landing;
    const { list, keys, interval } = slice;
    const { endpoint, entry } = list;
    const { rows, broken, drift, absent } = decode(list, landing.records, interval.from, keys);
    const waiting = decodePending(list, landing.pending, head);
    countUnder(endpoint, drift, this.#drift);
    countUnder(endpoint, waiting.drift, this.#drift);
    countUnder(endpoint, absent, this.#absent);
    const readAtMs = this.#effects.now();
    const request = { list, keys, interval };
    const refutes = landing.refutes === true ? { refutes: true as const } : {};
    const claim: Claim = { ...request, status, reason, head, readAtMs, generation, ...refutes };
    const walk = { claim, records: rows, slice: sliceId(slice), requests };
    const origin = { run: this.#run, attempt: this.#slices };
    const landed = splitBrokenRecords(walk, [...broken, ...waiting.broken], origin);
    if (entry.pending === undefined) return { ...landed, pending: undefined };
    const dataset = list.dataset.name;
    const lineage = { slice: walk.slice, run: this.#run };
    const pending = pendingRows(dataset, waiting, claim, lineage);
    return { ...landed, pending: { claim: landed.walks[0].claim, rows: pending } };
  }
}

/** Adds counts by field to the counts by `endpoint field`. */
function countUnder(
  endpoint: string,
  counts: ReadonlyMap<string, number>,
  all: Map<string, number>,
): void {
  for (const [field, count] of counts) {
    const name = `${endpoint} ${field}`;
    all.set(name, (all.get(name) ?? 0) + count);
  }
}
