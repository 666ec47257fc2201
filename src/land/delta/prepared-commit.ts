import { randomUUID } from 'node:crypto';
import type { Column } from '../../catalogue/entry.ts';
import type { ListId } from '../../coverage/list.ts';
import type { ParquetWriter, ProvisionalFrom, RowsToWrite } from '../storage/parquet.ts';
import {
  addLine,
  commitInfoLine,
  type DataFile,
  metaDataLine,
  protocolLine,
  removeLine,
  txnLine,
} from './actions.ts';
import type { Snapshot } from './fold.ts';
import { type Ledger, ledger, storedLedger } from './ledger.ts';
import { sealed } from './log-entry.ts';

/** The content of the next commit. */
export interface PreparedCommit {
  readonly ledger: Ledger;
  readonly removed: readonly DataFile[];
  readonly counts: { readonly rowsAdded: number; readonly rowsReplaced: number };
  /** Rows for new files; absent where the commit only removes files. */
  readonly rows?: RowsToWrite;
  /**
   * Finished files in place of `rows` and `copies`: in the staging folder, or in the folder of the
   * table, if another machine has put them there.
   */
  readonly staged?: readonly { readonly path: string; readonly rows: number }[];
  /** Older files whose rows are copied into new ones, beside those of `rows`. */
  readonly copies?: readonly FileCopy[];
  /** Provisional rows get separate files, because every run replaces them. */
  readonly provisionalFrom?: ProvisionalFrom;
  /** The commit replaces all rows, and the columns may be others than before. */
  readonly isNewSchema?: boolean;
  /** Versions of the tables that this one is derived from, by name. */
  readonly versions?: ReadonlyMap<string, number>;
}

/** Files whose rows get one file. */
export interface FileCopy {
  readonly files: readonly DataFile[];
  /** The list of all their rows; undefined in tables whose files mix lists. */
  readonly source: ListId | undefined;
}

/** Version and counts of a commit. */
export interface CommitResult {
  readonly version: number;
  readonly rowsAdded: number;
  readonly rowsReplaced: number;
  /** The files that it wrote. */
  readonly files: readonly DataFile[];
}

/** The condition for the rows that a file loses, as SQL; undefined for a file that keeps all. */
export type LosingRows = (file: DataFile) => string | undefined;

/** A commit of these rows, without the rows of the files, by path, that meet their condition. */
export async function withoutRows(
  { run, writer }: { readonly run: string; readonly writer: ParquetWriter },
  files: ReadonlyMap<string, DataFile>,
  losing: LosingRows,
  added: RowsToWrite['added'] = [],
): Promise<PreparedCommit & { readonly rows: RowsToWrite }> {
  const removed: DataFile[] = [];
  const kept: RowsToWrite['kept'][number][] = [];
  let rowsReplaced = 0;
  for (const [path, file] of files) {
    const except = losing(file);
    const gone = except === undefined ? 0 : await writer.countIn(path, except);
    if (except === undefined || gone === 0) continue;
    removed.push(file);
    kept.push({ path, except });
    rowsReplaced += gone;
  }
  const counts = { rowsAdded: added.length, rowsReplaced };
  return { ledger: ledger(run, {}), removed, counts, rows: { added, kept } };
}

/** Prepares the next version, given the newest one. */
export type Prepare = (snapshot: Snapshot) => Promise<PreparedCommit>;
/** Like `Prepare`; undefined if there is nothing to publish. */
export type PrepareIfAny = (snapshot: Snapshot) => Promise<PreparedCommit | undefined>;

/** Name, columns and order of a table. */
export interface TableShape {
  readonly name: string;
  readonly summary: string;
  readonly columns: readonly Column[];
  /** Integer column whose range the log records for every file; '' if rows have no height. */
  readonly heightColumn: string;
  /** Sort columns of the rows in a file, after the height. */
  readonly sortedBy: readonly string[];
  /** Every file holds rows of one endpoint and variant, which the log records. */
  readonly isBySource: boolean;
}

/** A commit whose files are written, behind a version. */
interface WrittenCommit {
  readonly operation: string;
  readonly snapshot: Snapshot;
  readonly prepared: PreparedCommit;
  readonly added: readonly DataFile[];
}

/** The sealed log entry of a commit. */
export function entryText(
  { name, summary, columns, heightColumn }: TableShape,
  { operation, snapshot, prepared, added }: WrittenCommit,
  nowMs: number,
  place: string,
): string {
  const id = snapshot.tableId ?? randomUUID();
  const movesRows = prepared.rows === undefined && (prepared.copies ?? []).length > 0;
  const dataChange = !movesRows;
  const rest = [
    ...(snapshot.version < 0 ? [protocolLine()] : []),
    ...(prepared.isNewSchema === true
      ? [metaDataLine(id, name, summary, columns, nowMs, place)]
      : []),
    ...prepared.removed.map((file) => removeLine(file, nowMs, dataChange)),
    ...added.map((file) => addLine(file, heightColumn, nowMs, dataChange)),
    ...[...(prepared.versions ?? [])].map(([appId, version]) => txnLine(appId, version, nowMs)),
  ];
  const stored = storedLedger(prepared.ledger, snapshot.names);
  const whole = { ...stored, lines: rest.length + 1, sealed: true as const };
  // No two entries are equal: a writer knows its own again where the answer was lost.
  const lines = [commitInfoLine(operation, whole, nowMs, randomUUID()), ...rest];
  return sealed(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`, snapshot.digest);
}
