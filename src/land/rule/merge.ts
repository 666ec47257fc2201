import type { BlockCheckpoint } from '../../coverage/checkpoints.ts';
import type { Coverage, CoverageEntry, Status } from '../../coverage/coverage.ts';
import { isAskedByHash, isSameList, type ListId } from '../../coverage/list.ts';
import { contains, type Interval } from '../../coverage/ranges.ts';

/**
 * The rule of a commit, without disk or clock: the rows of a table that a walk removes, the records
 * that it adds, and the resulting coverage. Every commit of records follows it.
 *
 * - *First landing*: nothing was landed for these keys, and all coverage of other keys on the
 *   interval is complete. Records that touch another key covered complete at their height are in
 *   the table already, with every copy. The others are added, and nothing is removed.
 * - *Replacing*: one commit removes every row in the interval that touches one of the keys and adds
 *   all records of the walk.
 * - *Not complete* (provisional, truncated, ...): a partial walk must never remove a row that a
 *   complete one proved. Rows and records that touch a key complete at their height are skipped,
 *   and complete coverage of the keys stays.
 * - *Refuting*: earlier answers of the run were false, so their coverage of the slice is withdrawn,
 *   complete or not.
 */

/** The properties of a record that merging needs. */
export interface Landable {
  readonly height: number;
  /** The keys under which its endpoint lists it; `['']` for endpoints without keys. */
  readonly touches: readonly string[];
}

/** The range and keys that a walk requested, and the status that it proved. */
export interface Claim extends ListId {
  readonly keys: readonly string[];
  readonly interval: Interval;
  readonly status: Status;
  readonly reason: string;
  readonly head: number;
  readonly readAtMs: number;
  /** Number of reorganisations in the table's log when the walk began. */
  readonly generation: number;
  /**
   * Withdraws the coverage of an earlier walk of the same run whose answers were false, complete
   * coverage included. A claim without records leaves the rows unchanged.
   */
  readonly refutes?: true;
}

export interface Walk<R extends Landable> {
  readonly claim: Claim;
  readonly records: readonly R[];
}

/** Removes rows of the list in the interval that touch one of the keys, unless protected. */
export interface Removal extends ListId {
  readonly interval: Interval;
  readonly keys: readonly string[];
  /** Rows that touch one of these keys within its interval stay. */
  readonly protectedBy: readonly { readonly key: string; readonly interval: Interval }[];
}

export interface Merge<R extends Landable> {
  /** Applied to the rows of the table, in any order. */
  readonly removals: readonly Removal[];
  readonly inserts: readonly { readonly claim: Claim; readonly record: R }[];
  readonly coverage: readonly CoverageEntry[];
}

/** A change of the chain from `height` on, below the safe height. It demotes coverage. */
export interface Reorganisation {
  readonly height: number;
}

export interface TableState {
  readonly coverage: Coverage;
  /** In the order of their commits; their number is the table's generation. */
  readonly reorganisations: readonly Reorganisation[];
}

/** Merges walks, in order, into the state of a table. Does not change its inputs. */
export function merge<R extends Landable>(known: TableState, walks: readonly Walk<R>[]): Merge<R> {
  const coverage = known.coverage.clone();
  const removals: Removal[] = [];
  const added: CoverageEntry[] = [];
  let inserts: { claim: Claim; record: R }[] = [];
  for (const walk of walks) {
    const step = mergeOne(coverage, { ...walk, claim: validClaim(walk.claim, known) });
    if (step.removal !== undefined) {
      const gone = step.removal;
      removals.push(gone);
      inserts = inserts.filter(({ claim, record }) => !removes(gone, claim, record));
    }
    for (const record of step.inserts) inserts.push({ claim: walk.claim, record });
    for (const entry of step.coverage) coverage.add(entry);
    added.push(...step.coverage);
  }
  return { removals, inserts, coverage: added };
}

/** Whether the removal removes this row of the list. */
export function removes(removal: Removal, of: ListId, row: Landable): boolean {
  return (
    isSameList(removal, of) &&
    contains(removal.interval, row.height) &&
    row.touches.some((key) => removal.keys.includes(key)) &&
    !removal.protectedBy.some(
      ({ key, interval }) => contains(interval, row.height) && row.touches.includes(key),
    )
  );
}

/** Coverage after a reorganisation at the height. Does not change its input. */
export function afterReorganisation(coverage: Coverage, height: number): Coverage {
  const after = coverage.clone();
  after.forget(isForgotten, height);
  for (const entry of demoted(coverage, height)) after.add(entry);
  return after;
}

/** Entries that mark all coverage at or above the height as inconsistent. */
export function demoted(coverage: Coverage, height: number): CoverageEntry[] {
  return coverage
    .entries()
    .filter((entry) => entry.to >= height && entry.status !== 'failed')
    .filter(({ endpoint }) => !isForgotten(endpoint))
    .map((entry) => ({
      ...entry,
      from: Math.max(entry.from, height),
      status: 'inconsistent' as const,
      reason: `the chain was reorganised at height ${height} after this was read`,
    }));
}

/**
 * Whether a reorganisation removes rows and coverage of this list: true for lists by transaction
 * hash. A hash that the chain no longer has is never requested again, so its rows would never be
 * replaced.
 */
export function isForgotten(endpoint: string): boolean {
  return isAskedByHash({ endpoint });
}

/** The checkpoints that no reorganisation recorded since `generation` affects. */
export function validCheckpoints(
  checkpoints: readonly BlockCheckpoint[],
  generation: number,
  known: TableState,
): BlockCheckpoint[] {
  const since = known.reorganisations.slice(generation);
  return checkpoints.filter((checkpoint) =>
    since.every(({ height }) => height > checkpoint.height),
  );
}

/** The claim, or an inconsistent one if a reorganisation since its walk affects its heights. */
function validClaim(claim: Claim, known: TableState): Claim {
  const since = known.reorganisations.slice(claim.generation);
  const hit = since.find(({ height }) => claim.interval.to >= height);
  if (hit === undefined) return claim;
  const reason = `read before a reorganisation at height ${hit.height} was found`;
  return { ...claim, status: 'inconsistent', reason };
}

interface Step<R> {
  readonly removal: Removal | undefined;
  readonly inserts: readonly R[];
  readonly coverage: readonly CoverageEntry[];
}

function mergeOne<R extends Landable>(coverage: Coverage, walk: Walk<R>): Step<R> {
  const { claim, records } = walk;
  const keys = new Set(claim.keys);
  const { interval } = claim;
  const isProtected = (record: R, byOwnKeys: boolean): boolean =>
    record.touches.some(
      (key) => (byOwnKeys || !keys.has(key)) && coverage.isComplete(claim, key, record.height),
    );

  if (claim.refutes === true && claim.status !== 'complete') {
    const landed = coverage.overlapping(claim, interval);
    const others = landed.filter((entry) => isCompleteEntry(entry) && !keys.has(entry.key));
    return {
      removal: records.length === 0 ? undefined : removalOf(claim, others),
      inserts: records.filter((record) => !isProtected(record, false)),
      coverage: claim.keys.map((key) => entryOf(claim, key, interval)),
    };
  }
  if (claim.status !== 'complete') {
    const landed = coverage.overlapping(claim, interval);
    return {
      removal: removalOf(claim, landed.filter(isCompleteEntry)),
      inserts: records.filter((record) => !isProtected(record, true)),
      coverage: claim.keys.flatMap((key) =>
        coverage.missing(claim, key, claim.interval).map((gap) => entryOf(claim, key, gap)),
      ),
    };
  }
  const isFirst =
    !coverage.isOpen(claim, interval) &&
    !claim.keys.some((key) => coverage.isKnown(claim, key, interval));
  return {
    removal: isFirst ? undefined : removalOf(claim, []),
    inserts: isFirst ? records.filter((record) => !isProtected(record, false)) : records,
    coverage: claim.keys.map((key) => entryOf(claim, key, claim.interval)),
  };
}

function isCompleteEntry(entry: CoverageEntry): boolean {
  return entry.status === 'complete';
}

function removalOf(claim: Claim, complete: readonly CoverageEntry[]): Removal {
  const { endpoint, variant, interval, keys } = claim;
  const protectedBy = complete.map((entry) => ({
    key: entry.key,
    interval: { from: entry.from, to: entry.to },
  }));
  return { endpoint, variant, interval, keys, protectedBy };
}

function entryOf(claim: Claim, key: string, interval: Interval): CoverageEntry {
  const { endpoint, variant, status, reason, head, readAtMs } = claim;
  return { endpoint, variant, key, ...interval, status, reason, head, readAtMs };
}
