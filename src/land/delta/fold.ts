import type { BlockCheckpoint } from '../../coverage/checkpoints.ts';
import { Coverage } from '../../coverage/coverage.ts';
import type { WalkTotals } from '../../coverage/density.ts';
import { listKey } from '../../coverage/list.ts';
import { Fault } from '../../fault.ts';
import { isForgotten, type Reorganisation, type TableState } from '../rule/merge.ts';
import {
  columnNames,
  type DataFile,
  dataFileOf,
  LAYOUT,
  LAYOUT_KEY,
  type Line,
  type MetaData,
  READER_VERSION,
  type TableFile,
  WRITER_VERSION,
} from './actions.ts';
import { BrokenEntry } from './broken-entry.ts';
import { type CoverageClaim, KeyNames, readClaims } from './claims.ts';
import type { StoredLedger } from './ledger.ts';
import { EMPTY_LOG } from './log-entry.ts';

/** One version of a table: the fold of its log up to that version. */
export interface Snapshot extends TableState {
  /** -1 before the first commit. */
  readonly version: number;
  /** Digest of the log up to this version. */
  readonly digest: string;
  /** The keys that its claims refer to. */
  readonly names: KeyNames;
  readonly files: ReadonlyMap<string, TableFile>;
  /** When files left the table [ms since the Unix epoch]; 0 if another program did not say it. */
  readonly removedAt: ReadonlyMap<string, number>;
  readonly columns: readonly string[];
  readonly tableId: string | undefined;
  /** The newest metaData line; undefined before the first commit. */
  readonly metaData: MetaData | undefined;
  /** Highest version per application: makes appends idempotent. */
  readonly transactions: ReadonlyMap<string, number>;
  /** Cost of all walks so far, by `listKey`. */
  readonly walked: ReadonlyMap<string, WalkTotals>;
  /** Block hashes of the chain that the table was read from, in order of height. */
  readonly blockCheckpoints: readonly BlockCheckpoint[];
}

/**
 * The state of a table after the entries of its log up to `version`. Everything in it comes from
 * `apply`, or from a checkpoint (`checkpoint-state.ts`), which must restore every field.
 */
export class Fold implements Snapshot {
  version = -1;
  /** Digest of the log before the newest entry. */
  before = EMPTY_LOG;
  digest = EMPTY_LOG;
  /** When the latest of its entries was committed, by the clocks of their writers. */
  latestMs = 0;
  columns: readonly string[] = [];
  tableId: string | undefined;
  metaData: MetaData | undefined;
  blockCheckpoints: readonly BlockCheckpoint[] = [];
  readonly names = new KeyNames();
  readonly coverage = new Coverage();
  readonly reorganisations: Reorganisation[] = [];
  readonly files = new Map<string, TableFile>();
  readonly removedAt = new Map<string, number>();
  readonly transactions = new Map<string, number>();
  readonly walked = new Map<string, WalkTotals>();

  /** Applies one line of the next entry; `at` is its place in an error. */
  apply(line: Line, heightColumn: string, at: string): void {
    const { protocol, metaData, add, remove, txn, commitInfo } = line;
    if (protocol !== undefined) checkProtocol(protocol, at);
    if (metaData !== undefined) {
      checkLayout(metaData.configuration[LAYOUT_KEY], at);
      this.columns = columnNames(metaData.schemaString);
      this.tableId = metaData.id;
      this.metaData = metaData;
    }
    if (remove !== undefined) {
      const path = decodeURIComponent(remove.path);
      this.files.delete(path);
      this.removedAt.set(path, remove.deletionTimestamp ?? 0);
    }
    if (add !== undefined) {
      const file = dataFileOf(add, heightColumn);
      this.files.set(file.path, file);
      this.removedAt.delete(file.path);
    }
    if (txn !== undefined) this.transactions.set(txn.appId, txn.version);
    if (commitInfo?.windrow !== undefined) this.#applyLedger(commitInfo.windrow);
  }

  #applyLedger(ledger: StoredLedger): void {
    for (const { height } of ledger.reorganisations) this.#forget(height);
    for (const { keys, ...list } of ledger.forgotten) this.coverage.drop(list, keys);
    for (const { endpoint, variant, keys, ...part } of this.#claimsIn(ledger)) {
      this.coverage.addClaim({ endpoint, variant }, keys, part);
    }
    this.reorganisations.push(...ledger.reorganisations);
    this.#remember(ledger.anchors);
    for (const { endpoint, variant, ...took } of ledger.walked) {
      const list = listKey({ endpoint, variant });
      this.walked.set(list, together(this.walked.get(list), took));
    }
  }

  #claimsIn({ claims: stored }: StoredLedger): readonly CoverageClaim[] {
    if (stored === undefined) return [];
    const { first, keys } = stored.names ?? { first: this.names.size, keys: [] };
    if (first !== this.names.size) throw new BrokenEntry(0, 'numbers its keys from elsewhere');
    this.names.add(first, keys);
    const { claims, unknown } = readClaims(stored, this.names);
    if (unknown.length > 0) throw new BrokenEntry(0, 'has coverage of keys that no entry names');
    return claims;
  }

  /** Drops checkpoints, and coverage of lists by hash, at or above the height. */
  #forget(height: number): void {
    this.blockCheckpoints = this.blockCheckpoints.filter((entry) => entry.height < height);
    this.coverage.forget((endpoint) => isForgotten(endpoint), height);
  }

  /** The newest hash of a height counts. */
  #remember(checkpoints: readonly BlockCheckpoint[]): void {
    if (checkpoints.length === 0) return;
    const byHeight = new Map(
      [...this.blockCheckpoints, ...checkpoints].map((entry) => [entry.height, entry]),
    );
    this.blockCheckpoints = [...byHeight.values()].sort((a, b) => a.height - b.height);
  }
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

/** Totals of files; `rows` are those of files that tell them. */
export function totalOf(files: Iterable<DataFile>) {
  const total = { files: 0, rows: 0, bytes: 0 };
  for (const { rows = 0, sizeBytes } of files) {
    total.files += 1;
    total.rows += rows;
    total.bytes += sizeBytes;
  }
  return total;
}
