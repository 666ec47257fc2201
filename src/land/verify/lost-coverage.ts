import { Coverage, type CoverageEntry } from '../../coverage/coverage.ts';
import { type Interval, intersection, subtract } from '../../coverage/ranges.ts';
import type { IndexedCoverage } from '../coverage-index.ts';
import { entriesOf } from '../delta/actions.ts';
import { isForgotten } from '../rule/merge.ts';
import { type TableVerification, walkTable } from './verify-table.ts';

/**
 * Coverage that is lost with the log entries a repair cuts off. Without these marks a lost range
 * would look as if it was never asked for, and coverage that a lost entry had taken back would
 * count as complete again.
 */

/** The reason in coverage until the range is fetched again. */
export const CUT_REASON = 'its log entry was lost to damage on disk';

/** What a log said before it was cut. */
export interface CoverageBeforeCut {
  /** The fold of the index and of the readable entries. */
  readonly coverage: Coverage;
  /** Everything that the readable entries at the cut and after it said. */
  readonly cutOff: Coverage;
  /** False where an entry is unreadable and the index does not reach it. */
  readonly isWhole: boolean;
}

/** What the log said, as far as its readable entries and the index tell. `cutAt` is a version. */
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
  await walkTable(table, ({ version, ledger }) => {
    if (ledger === undefined || unreadable.has(version)) return;
    const said = entriesOf(ledger);
    if (version >= cutAt) for (const entry of said) cutOff.add(entry);
    if (version <= indexed) return;
    for (const { height } of ledger.reorganisations) coverage.forget(isForgotten, height);
    for (const entry of said) coverage.add(entry);
  });
  return { coverage, cutOff, isWhole: [...unreadable].every((version) => version <= indexed) };
}

/**
 * What the rest of the log, `kept`, does not prove any more, as `inconsistent`. Where nothing tells
 * what an entry said, that is everything: the entry may have taken back any of it.
 */
export function lostByCut(kept: Coverage, before: CoverageBeforeCut): CoverageEntry[] {
  const lost = new Coverage();
  for (const entry of [...kept.entries(), ...before.coverage.entries()]) {
    const proven = before.isWhole ? unchanged(entry, kept, before) : [];
    for (const { from, to } of subtract(entry, proven)) {
      lost.add({ ...entry, from, to, status: 'inconsistent', reason: CUT_REASON });
    }
  }
  return lost.entries();
}

/** Where the rest of the log says the same of this list and key as the whole log did. */
function unchanged(
  entry: CoverageEntry,
  kept: Coverage,
  { coverage, cutOff }: CoverageBeforeCut,
): Interval[] {
  const now = kept.of(entry, entry.key);
  const same = coverage.of(entry, entry.key).flatMap((old) =>
    now.flatMap((each) => {
      const { status, reason, readAtMs } = each;
      // Ranges that were read again later may have had other rows.
      const isSame = old.status === status && old.reason === reason && old.readAtMs <= readAtMs;
      return (isSame && intersection(old, each)) || [];
    }),
  );
  const readAgain = cutOff.of(entry, entry.key);
  return same.flatMap((part) => subtract(part, readAgain));
}
