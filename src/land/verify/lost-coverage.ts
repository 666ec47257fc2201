import { Coverage, type CoverageEntry } from '../../coverage/coverage.ts';
import { isAskedByHash } from '../../coverage/list.ts';
import { type Interval, intersection, subtract } from '../../coverage/ranges.ts';
import type { IndexedCoverage } from '../coverage-index.ts';
import type { CoverageClaim } from '../delta/claims.ts';
import { entriesOf } from '../delta/ledger.ts';
import { foldLedger } from './lost-regions.ts';
import { type TableVerification, walkTable } from './verify-table.ts';

/**
 * Coverage that is lost with the log entries that a repair cuts off. It is marked inconsistent.
 * Unmarked, a lost range would look as if it was never requested, and coverage that a lost entry
 * had withdrawn would count as complete again.
 */

/** The reason in coverage until the range is fetched again. */
export const CUT_REASON = 'its log entry was lost to damage on disk';

/** Coverage of a log before it was cut. */
export interface CoverageBeforeCut {
  /** The fold of the index and the readable entries. */
  readonly coverage: Coverage;
  /** Coverage in readable entries from the cut on. */
  readonly cutOff: Coverage;
  /** False if an unreadable entry is newer than the index. */
  readonly isWhole: boolean;
}

/** Folds the index and the readable entries of a log that is cut before version `cutAt`. */
export async function coverageBeforeCut(
  table: TableVerification,
  cutAt: number,
  index: IndexedCoverage | undefined,
): Promise<CoverageBeforeCut> {
  const indexed = index?.version ?? -1;
  const unreadable = new Set(table.log.damaged.map(({ version }) => version));
  const coverage = new Coverage();
  const cutOff = new Coverage();
  for (const entry of index?.entries ?? []) coverage.add(entry);
  const unknown: CoverageClaim[] = [];
  let isWhole = [...unreadable].every((version) => version <= indexed);
  await walkTable(table, ({ version, ledger, unknown: ofEntry }) => {
    if (ledger === undefined || unreadable.has(version)) return;
    if (version >= cutAt) unknown.push(...ofEntry);
    if (version > indexed && ofEntry.length > 0) isWhole = false;
    if (version >= cutAt) for (const entry of entriesOf(ledger)) cutOff.add(entry);
    if (version <= indexed) return;
    foldLedger(coverage, ledger);
  });
  // Any key may have been read again with the unknown ones.
  for (const { keys: _, endpoint, variant, ...part } of unknown) {
    const list = { endpoint, variant };
    cutOff.addTo(list, [...coverage.keysOf(list).keys()], part);
  }
  return { coverage, cutOff, isWhole };
}

/**
 * Coverage that the rest of the log, `kept`, no longer proves, as `inconsistent`. That is all
 * coverage if the contents of an entry are unknown, because it may have withdrawn any of it.
 */
export function lostByCut(kept: Coverage, before: CoverageBeforeCut): readonly CoverageEntry[] {
  const lost = new Coverage();
  // A row of a look-up before the cut would count as its newest one.
  const lookUps = before.cutOff.entries().filter((entry) => isAskedByHash(entry));
  for (const entry of [...kept.entries(), ...before.coverage.entries(), ...lookUps]) {
    const proven = before.isWhole ? unchanged(entry, kept, before) : [];
    for (const { from, to } of subtract(entry, proven)) {
      lost.add({ ...entry, from, to, status: 'inconsistent', reason: CUT_REASON });
    }
  }
  return lost.entries();
}

/** Intervals in which the rest of the log has the same coverage as the whole log had. */
function unchanged(
  entry: CoverageEntry,
  kept: Coverage,
  { coverage, cutOff }: CoverageBeforeCut,
): Interval[] {
  const now = kept.get(entry, entry.key);
  const same = coverage.get(entry, entry.key).flatMap((old) =>
    now.flatMap((part) => {
      const { status, reason, readAtMs } = part;
      // A later reading may have had other rows.
      const isSame = old.status === status && old.reason === reason && old.readAtMs <= readAtMs;
      return (isSame && intersection(old, part)) || [];
    }),
  );
  const readAgain = cutOff.get(entry, entry.key);
  return same.flatMap((part) => subtract(part, readAgain));
}
