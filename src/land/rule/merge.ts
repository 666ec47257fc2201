import type { BlockCheckpoint } from '../../coverage/checkpoints.ts';
import type { Coverage, CoverageEntry } from '../../coverage/coverage.ts';
import { isAskedByHash } from '../../coverage/list.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import { type Claim, type Landable, type Removal, removes, type Walk } from './claim.ts';
import { Inserts } from './inserts.ts';
import { compareShared, type SharedRows } from './shared-records.ts';

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

export interface Merge<R extends Landable> {
  /** Applied to the rows of the table, in any order. */
  readonly removals: readonly Removal[];
  /** The added records, in one or more parts for each walk, in the order of the walks. */
  readonly inserts: readonly Walk<R>[];
  readonly coverage: readonly CoverageEntry[];
  /** The entries of `coverage` that are inconsistent because two lists differ. */
  readonly contradicted: readonly CoverageEntry[];
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

/**
 * Merges walks, in order, into the state of a table. `tableRows` are rows of the table, with which
 * complete walks are compared first (`shared-records.ts`). Does not change its inputs.
 */
export function merge<R extends Landable>(
  state: TableState,
  walks: readonly Walk<R>[],
  tableRows: SharedRows,
): Merge<R> {
  const coverage = state.coverage.overlay();
  const removals: Removal[] = [];
  const added: CoverageEntry[] = [];
  const contradicted: CoverageEntry[] = [];
  const inserts = new Inserts<R>(
    coverage,
    walks.map(({ claim }) => claim),
  );
  const cover = (entry: CoverageEntry): void => {
    coverage.add(entry);
    added.push(entry);
  };
  for (const original of walks) {
    const walk = { ...original, claim: validClaim(original.claim, state) };
    const landed = tableRows(walk.claim).filter(
      (row) => !removals.some((removal) => removes(removal, walk.claim.list, row)),
    );
    const rows = [...landed, ...inserts.touching(walk.claim)];
    const shared = inserts.shared(walk);
    const { withdrawn, parts } = compareShared(coverage, walk, shared, rows);
    for (const entry of withdrawn) cover(entry);
    contradicted.push(...withdrawn);
    for (const part of parts) {
      const step = mergeOne(coverage, part, shared);
      if (step.removal !== undefined) {
        removals.push(step.removal);
        inserts.remove(step.removal);
      }
      inserts.add(original.claim, step.inserts, shared);
      for (const entry of step.coverage) cover(entry);
      if (part.claim.status !== walk.claim.status) contradicted.push(...step.coverage);
    }
  }
  return { removals, inserts: inserts.all(), coverage: added, contradicted };
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
  state: TableState,
): BlockCheckpoint[] {
  const since = state.reorganisations.slice(generation);
  return checkpoints.filter((checkpoint) =>
    since.every(({ height }) => height > checkpoint.height),
  );
}

/** The claim, or an inconsistent one if a reorganisation since its walk affects its heights. */
function validClaim(claim: Claim, state: TableState): Claim {
  const since = state.reorganisations.slice(claim.generation);
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

/** `shared`: the records of the walk that may touch a followed key of another walk. */
function mergeOne<R extends Landable>(
  coverage: Coverage,
  walk: Walk<R>,
  shared: ReadonlySet<R>,
): Step<R> {
  const { claim, records } = walk;
  const keys = new Set(claim.keys);
  const { interval } = claim;
  const isComplete = coverage.completeIn(claim.list);
  const isByOthers = (record: R): boolean =>
    shared.has(record) &&
    record.touches.some((key) => !keys.has(key) && isComplete(key, record.height));
  const isByAny = (record: R): boolean =>
    record.touches.some((key) => isComplete(key, record.height));

  if (claim.refutes === true && claim.status !== 'complete') {
    const landed = landedBy(coverage, claim);
    const others = landed.filter((entry) => isCompleteEntry(entry) && !keys.has(entry.key));
    return {
      removal: records.length === 0 ? undefined : removalOf(claim, others),
      inserts: records.filter((record) => !isByOthers(record)),
      coverage: claim.keys.map((key) => entryOf(claim, key, interval)),
    };
  }
  if (claim.status !== 'complete') {
    const landed = landedBy(coverage, claim);
    return {
      removal: removalOf(claim, landed.filter(isCompleteEntry)),
      inserts: records.filter((record) => !isByAny(record)),
      coverage: claim.keys.flatMap((key) =>
        coverage.missing(claim.list, key, claim.interval).map((gap) => entryOf(claim, key, gap)),
      ),
    };
  }
  const isFirst =
    (isAskedByHash(claim.list) || !coverage.isOpen(claim.list, interval)) &&
    !claim.keys.some((key) => coverage.isKnown(claim.list, key, interval));
  return {
    removal: isFirst ? undefined : removalOf(claim, []),
    inserts: isFirst ? records.filter((record) => !isByOthers(record)) : records,
    coverage: claim.keys.map((key) => entryOf(claim, key, interval)),
  };
}

/** Coverage in the claim's interval of all keys that rows of its keys may have. */
function landedBy(coverage: Coverage, claim: Claim): CoverageEntry[] {
  const { list, interval, keys } = claim;
  // Rows of look-ups have one key each, and such lists have very many keys.
  if (!isAskedByHash(list)) return coverage.overlapping(list, interval);
  return keys.flatMap((key) => coverage.get(list, key).filter((part) => overlaps(part, interval)));
}

function isCompleteEntry(entry: CoverageEntry): boolean {
  return entry.status === 'complete';
}

function removalOf(claim: Claim, complete: readonly CoverageEntry[]): Removal {
  const { list, interval, keys } = claim;
  const protectedBy = complete.map((entry) => ({
    key: entry.key,
    interval: { from: entry.from, to: entry.to },
  }));
  return { list, interval, keys, protectedBy };
}

function entryOf(claim: Claim, key: string, interval: Interval): CoverageEntry {
  const { list, status, reason, head, readAtMs } = claim;
  const { endpoint, variant } = list;
  return { endpoint, variant, key, ...interval, status, reason, head, readAtMs };
}
