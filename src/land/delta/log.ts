import { join } from 'node:path';
import type { BlockCheckpoint } from '../../coverage/checkpoints.ts';
import { Coverage } from '../../coverage/coverage.ts';
import type { WalkTotals } from '../../coverage/density.ts';
import { listKey } from '../../coverage/list.ts';
import { Fault } from '../../fault.ts';
import type { IncompleteWalk } from '../rule/incomplete-walk.ts';
import { isForgotten, type Reorganisation, type TableState } from '../rule/merge.ts';
import { REPAIR_ADVICE } from '../storage/damage.ts';
import type { Disk } from '../storage/disk.ts';
import {
  columnNames,
  type DataFile,
  dataFileOf,
  entriesOf,
  LAYOUT,
  type Line,
  READER_VERSION,
  WRITER_VERSION,
} from './actions.ts';
import { type Changes, changesIn, EVERYTHING } from './changed-heights.ts';
import {
  BrokenEntry,
  checkSeal,
  EMPTY_LOG,
  linesOf,
  logDigest,
  type NumberedLine,
  orBrokenEntry,
} from './log-entry.ts';

/** One version of a table: the fold of its log up to that version. */
export interface Snapshot extends TableState {
  /** -1 before the first commit. */
  readonly version: number;
  /** Digest of the log up to this version. */
  readonly digest: string;
  readonly files: ReadonlyMap<string, DataFile>;
  /** When files left the table [ms since the Unix epoch]; 0 if another program did not say it. */
  readonly removedAt: ReadonlyMap<string, number>;
  readonly columns: readonly string[];
  readonly tableId: string | undefined;
  /** Highest version per application: makes appends idempotent. */
  readonly transactions: ReadonlyMap<string, number>;
  /** Cost of all walks so far, by `listKey`. */
  readonly walked: ReadonlyMap<string, WalkTotals>;
  /** Walks that landed without some of their records, by the name of the walk. */
  readonly incompleteWalks: ReadonlyMap<string, IncompleteWalk>;
  /** Block hashes of the chain that the table was read from, in order of height. */
  readonly blockCheckpoints: readonly BlockCheckpoint[];
}

/**
 * The transaction log of one table. Reading folds new entries, in order, into the state so far. An
 * entry gets a version number only if that number is free.
 */
export class DeltaLog {
  readonly folder: string;
  readonly #disk: Disk;
  readonly #heightColumn: string;
  readonly #coverage = new Coverage();
  readonly #reorganisations: Reorganisation[] = [];
  #checkpoints: readonly BlockCheckpoint[] = [];
  readonly #files = new Map<string, DataFile>();
  readonly #removedAt = new Map<string, number>();
  readonly #transactions = new Map<string, number>();
  readonly #walked = new Map<string, WalkTotals>();
  readonly #incompleteWalks = new Map<string, IncompleteWalk>();
  #lastFold: Promise<unknown> = Promise.resolve();
  #columns: readonly string[] = [];
  #tableId: string | undefined;
  #version = -1;
  #digest = EMPTY_LOG;

  constructor(disk: Disk, tableFolder: string, heightColumn: string) {
    this.folder = join(tableFolder, '_delta_log');
    this.#disk = disk;
    this.#heightColumn = heightColumn;
  }

  /** Folds the entries committed since the last call. Throws Fault('lake') for a corrupt log. */
  refresh(): Promise<Snapshot> {
    // One call at a time: concurrent calls would fold the same entry twice.
    const fold = this.#lastFold.then(() => this.#foldNew());
    this.#lastFold = fold.catch(() => undefined);
    return fold;
  }

  async #foldNew(): Promise<Snapshot> {
    const versions = (await this.#disk.list(this.folder))
      .filter((name) => /^\d{20}\.json$/.test(name))
      .map((name) => Number.parseInt(name, 10))
      .filter((version) => version > this.#version)
      .sort((a, b) => a - b);
    for (const version of versions) {
      const due = this.#version + 1;
      if (version !== due) throw brokenLog(this.pathOf(due), new BrokenEntry(0, 'is missing'));
      await this.#fold(version);
      this.#version = version;
    }
    return {
      version: this.#version,
      digest: this.#digest,
      files: this.#files,
      removedAt: this.#removedAt,
      columns: this.#columns,
      tableId: this.#tableId,
      transactions: this.#transactions,
      walked: this.#walked,
      incompleteWalks: this.#incompleteWalks,
      coverage: this.#coverage,
      reorganisations: this.#reorganisations,
      blockCheckpoints: this.#checkpoints,
    };
  }

  /** The heights and transactions that the versions after `version` changed. */
  async changedSince(version: number): Promise<Changes> {
    if (version > this.#version) return EVERYTHING;
    const entries: NumberedLine[][] = [];
    for (let next = version + 1; next <= this.#version; next += 1) {
      entries.push(linesOf(Buffer.from(await this.#disk.read(this.pathOf(next)))));
    }
    return changesIn(entries);
  }

  /** Path of the entry with this version. */
  pathOf(version: number): string {
    return join(this.folder, `${String(version).padStart(20, '0')}.json`);
  }

  async #fold(version: number): Promise<void> {
    const path = this.pathOf(version);
    const entry = Buffer.from(await this.#disk.read(path));
    try {
      // Checked before it is applied: a broken entry must leave the state unchanged.
      const lines = linesOf(entry);
      checkSeal(entry, this.#digest);
      for (const { number, parsed } of lines) {
        orBrokenEntry(number, () => this.#apply(parsed, `${path}:${number}`));
      }
    } catch (error) {
      if (!(error instanceof BrokenEntry)) throw error;
      throw brokenLog(path, error);
    }
    this.#digest = logDigest(this.#digest, entry);
  }

  #apply(line: Line, at: string): void {
    const { protocol, metaData, add, remove, txn, commitInfo } = line;
    if (protocol !== undefined) checkProtocol(protocol, at);
    if (metaData !== undefined) {
      checkLayout(metaData.configuration['windrow.layout'], at);
      this.#columns = columnNames(metaData.schemaString);
      this.#tableId = metaData.id;
    }
    if (remove !== undefined) {
      const path = decodeURIComponent(remove.path);
      this.#files.delete(path);
      this.#removedAt.set(path, remove.deletionTimestamp ?? 0);
    }
    if (add !== undefined) {
      const file = dataFileOf(add, this.#heightColumn);
      this.#files.set(file.path, file);
    }
    if (txn !== undefined) this.#transactions.set(txn.appId, txn.version);
    const ledger = commitInfo?.windrow;
    if (ledger === undefined) return;
    for (const { height } of ledger.reorganisations) this.#forget(height);
    for (const entry of entriesOf(ledger)) this.#coverage.add(entry);
    this.#reorganisations.push(...ledger.reorganisations);
    this.#remember(ledger.anchors);
    for (const each of ledger.withheld) this.#incompleteWalks.set(each.walk, each);
    for (const { endpoint, variant, ...took } of ledger.walked) {
      const list = listKey({ endpoint, variant });
      this.#walked.set(list, together(this.#walked.get(list), took));
    }
  }

  /** Drops checkpoints, and coverage of lists by hash, at or above the height. */
  #forget(height: number): void {
    this.#checkpoints = this.#checkpoints.filter((checkpoint) => checkpoint.height < height);
    this.#coverage.forget((endpoint) => isForgotten(endpoint), height);
  }

  /** The newest hash of a height counts. */
  #remember(checkpoints: readonly BlockCheckpoint[]): void {
    if (checkpoints.length === 0) return;
    const byHeight = new Map(
      [...this.#checkpoints, ...checkpoints].map((each) => [each.height, each]),
    );
    this.#checkpoints = [...byHeight.values()].sort((a, b) => a.height - b.height);
  }
}

/** The fault of a log with a broken entry. */
function brokenLog(path: string, { line, message, cause }: BrokenEntry): Fault {
  return new Fault('lake', `The table's log is corrupt: the entry ${message}.`, {
    where: line === 0 ? path : `${path}:${line}`,
    advice: REPAIR_ADVICE,
    cause,
  });
}

function together(before: WalkTotals | undefined, more: WalkTotals): WalkTotals {
  return {
    slices: (before?.slices ?? 0) + more.slices,
    requests: (before?.requests ?? 0) + more.requests,
    keyBlocks: (before?.keyBlocks ?? 0) + more.keyBlocks,
  };
}

function checkProtocol(protocol: NonNullable<Line['protocol']>, where: string): void {
  const { minReaderVersion, minWriterVersion } = protocol;
  if (minReaderVersion <= READER_VERSION && minWriterVersion <= WRITER_VERSION) return;
  throw new Fault(
    'lake',
    `This table asks for Delta reader version ${minReaderVersion} and writer version ` +
      `${minWriterVersion}; this windrow knows ${READER_VERSION} and ${WRITER_VERSION}.`,
    {
      where,
      advice:
        'Another program has upgraded the table. Restore a copy from before the upgrade, or move ' +
        'the table folder away and run the pipeline again to fetch the table.',
    },
  );
}

function checkLayout(layout: string | undefined, where: string): void {
  if (layout === LAYOUT) return;
  throw new Fault(
    'lake',
    `This table has layout ${layout ?? 'unknown'}, and this windrow reads layout ${LAYOUT}.`,
    {
      where,
      advice: 'Use the windrow version that wrote it, or another data root (--data DIR).',
    },
  );
}
