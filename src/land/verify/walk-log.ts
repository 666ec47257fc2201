import { join } from 'node:path';
import {
  columnNames,
  type DataFile,
  dataFileOf,
  type MetaData,
  PLACE_KEY,
  placeOf,
} from '../delta/actions.ts';
import { BrokenEntry } from '../delta/broken-entry.ts';
import { type CoverageClaim, KeyNames, readClaims } from '../delta/claims.ts';
import type { Fold } from '../delta/fold.ts';
import { type Ledger, ledger, type StoredLedger } from '../delta/ledger.ts';
import {
  EMPTY_LOG,
  linesOf,
  logDigest,
  type NumberedLine,
  orBrokenEntry,
  sealOf,
} from '../delta/log-entry.ts';
import { entryName, entryVersions, LOG, readEntry, strayEntries } from '../delta/log-files.ts';
import { original } from '../storage/damage.ts';
import { isCode, localDisk } from '../storage/disk.ts';
import {
  type CheckpointVerification,
  checkpointStates,
  verifyCheckpoints,
} from './checkpoint-damage.ts';

/** The actions of one readable log entry, or all of the checkpoint that the log begins with. */
export interface EntryActions {
  readonly version: number;
  readonly added: readonly DataFile[];
  /** Paths relative to the table's folder. */
  readonly removed: readonly string[];
  readonly transactions: readonly { readonly appId: string; readonly version: number }[];
  /** Undefined in entries of other programs. */
  readonly ledger: Ledger | undefined;
  /** Claims of the ledger that have other keys, too, which only unreadable entries name. */
  readonly unknown: readonly CoverageClaim[];
}

/** A log entry that is missing, unreadable or changed. */
export interface EntryDamage {
  readonly version: number;
  readonly path: string;
  /** The damage, as the rest of a sentence that begins with "the entry". */
  readonly what: string;
}

export interface LogWalk extends CheckpointVerification {
  /** Version of the newest entry; -1 without entries. */
  readonly newest: number;
  readonly entries: number;
  /** In order of their versions. */
  readonly damaged: readonly EntryDamage[];
  /** Versions of entries that no seal proves: unsealed, and not followed by a sealed entry. */
  readonly unproven: readonly number[];
  /** Names like those of entries, with versions that no log reaches. Nothing reads them. */
  readonly strays: readonly string[];
}

/** Missing entries of one gap that are named. */
const MOST_OF_GAP = 100;

/** Versions from `due` to the newest; of a long gap, only the first ones. */
function* walked(versions: readonly number[], due: number): Generator<number> {
  for (const version of versions) {
    for (const end = Math.min(version, due + MOST_OF_GAP); due < end; due += 1) yield due;
    yield version;
    due = version + 1;
  }
}

/**
 * Reads all entries of a table's log in order and compares them with their seals. A log whose first
 * entries have expired begins with its oldest whole checkpoint. Continues after damage: visits
 * every readable entry, and takes the digest of earlier entries from the next seal.
 */
export async function walkLog(
  table: string,
  heightColumn: string,
  visit: (entry: EntryActions) => void,
): Promise<LogWalk> {
  const folder = join(table, LOG);
  const names = (await localDisk.list(folder)).sort();
  const versions = entryVersions(names);
  const newest = versions.at(-1) ?? -1;
  const states = await checkpointStates(table, names);
  const base = (versions[0] ?? 0) === 0 ? undefined : states.whole[0];
  if (base !== undefined) visit(actionsOfState(base));
  const damaged: EntryDamage[] = [];
  const keys = base?.names ?? new KeyNames();
  let digest = base?.digest ?? EMPTY_LOG;
  let unproven: Pick<EntryDamage, 'version' | 'path'>[] = [];
  /** First version that no seal proves yet. */
  let since = (base?.version ?? -1) + 1;
  const later = versions.filter((version) => version >= since);
  if (base !== undefined) {
    const { path, bytes } = await entryOf(table, base.version);
    const isUsable = states.usable.includes(base.version);
    const changed = typeof bytes === 'string' ? bytes : 'was changed after it was written';
    const what = isUsable ? strangeIn(base.metaData, placeOf(table)) : changed;
    if (what !== undefined) damaged.push({ version: base.version, path, what });
  }
  for (const version of walked(later, since)) {
    const { path, bytes: entry } = await entryOf(table, version);
    const report = (what: string, at = { version, path }): void => {
      damaged.push({ ...at, what });
    };
    if (typeof entry === 'string') {
      report(entry);
      continue;
    }
    const seal = sealOf(entry);
    const broken = tryVisit(
      version,
      entry,
      { heightColumn, keys, isTrue: seal?.holds !== false, place: placeOf(table) },
      visit,
    );
    if (broken !== undefined) report(broken);
    else if (seal !== undefined && !seal.holds) report('was changed after it was written');
    if (seal === undefined) unproven.push({ version, path });
    else if (seal.holds) {
      const isExplained = damaged.some((damage) => damage.version >= since);
      if (seal.before !== digest && !isExplained) {
        const [first, ...more] = unproven;
        const last = more.at(-1)?.version;
        const or = last === undefined ? '' : ` (or another entry up to version ${last} was)`;
        if (first === undefined) report('does not follow the entries before it');
        else report(`was changed after version ${version} was written${or}`, first);
      }
      digest = seal.before;
      unproven = [];
      since = version + 1;
    }
    digest = logDigest(digest, entry);
  }
  damaged.sort((a, b) => a.version - b.version);
  return {
    newest,
    entries: later.length,
    damaged,
    unproven: unproven.map(({ version }) => version),
    strays: strayEntries(names),
    ...(await verifyCheckpoints(folder, names, newest, states)),
  };
}

/** The path and the bytes of an entry, or its damage. */
async function entryOf(
  table: string,
  version: number,
): Promise<{ readonly path: string; readonly bytes: Buffer | string }> {
  const path = join(table, LOG, entryName(version));
  try {
    return { path, bytes: await readEntry(original, table, version) };
  } catch (error) {
    if (error instanceof BrokenEntry) return { path, bytes: error.message };
    if (isCode(error, 'ENOENT')) return { path, bytes: 'is missing' };
    if (!isCode(error, 'EIO')) throw error;
    const unread = (error as NodeJS.ErrnoException).path ?? path;
    return { path: unread, bytes: 'cannot be read from the disk' };
  }
}

/** An entry and the log before it, as far as its lines depend on them. */
interface LogSoFar {
  readonly heightColumn: string;
  /** Lacks the keys that damaged entries name. */
  readonly keys: KeyNames;
  /** False for an entry that was changed after it was written. */
  readonly isTrue: boolean;
  /** The table of its folder. */
  readonly place: string;
}

/** The damage of the entry; undefined if it was visited. */
function tryVisit(
  version: number,
  entry: Buffer,
  log: LogSoFar,
  visit: (entry: EntryActions) => void,
): string | undefined {
  try {
    visit(actionsOf(version, linesOf(entry), log));
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokenEntry)) throw error;
    return error.line === 0 ? error.message : `${error.message} (line ${error.line})`;
  }
}

/** The state of a checkpoint, as if one entry had made it. */
function actionsOfState(state: Fold): EntryActions {
  const { version, files, removedAt, transactions, coverage } = state;
  return {
    version,
    added: [...files.values()],
    removed: [...removedAt.keys()],
    transactions: [...transactions].map(([appId, at]) => ({ appId, version: at })),
    get ledger() {
      return ledger('', { coverage: coverage.entries() });
    },
    unknown: [],
  };
}

/** The damage of an entry whose table was copied from another place. */
function strangeIn(metaData: MetaData | undefined, place: string): string | undefined {
  const written = metaData?.configuration[PLACE_KEY] ?? place;
  return written === place ? undefined : `is one of the table ${written}`;
}

function actionsOf(version: number, lines: readonly NumberedLine[], log: LogSoFar): EntryActions {
  const added: DataFile[] = [];
  const removed: string[] = [];
  const transactions: { appId: string; version: number }[] = [];
  let ledger: Ledger | undefined;
  let unknown: readonly CoverageClaim[] = [];
  for (const { number, parsed } of lines) {
    const { metaData, add, remove, txn, commitInfo } = parsed;
    orBrokenEntry(number, () => {
      if (metaData !== undefined) {
        columnNames(metaData.schemaString);
        const what = strangeIn(metaData, log.place);
        if (what !== undefined) throw new BrokenEntry(0, what);
      }
      if (add !== undefined) added.push(dataFileOf(add, log.heightColumn));
      if (remove !== undefined) removed.push(decodeURIComponent(remove.path));
    });
    if (txn !== undefined) transactions.push(txn);
    if (commitInfo?.windrow === undefined) continue;
    ({ ledger, unknown } = ledgerOf(commitInfo.windrow, log));
  }
  return { version, added, removed, transactions, ledger, unknown };
}

function ledgerOf(
  { claims: stored, ...ledger }: StoredLedger,
  { keys, isTrue }: LogSoFar,
): Pick<EntryActions, 'unknown'> & { readonly ledger: Ledger } {
  if (stored === undefined) return { ledger: { ...ledger, coverage: [] }, unknown: [] };
  if (stored.names !== undefined && isTrue) keys.add(stored.names.first, stored.names.keys);
  const { claims, unknown } = readClaims(stored, keys);
  return { ledger: { ...ledger, coverage: claims }, unknown };
}
