import type { Anchor } from '../../coverage/checkpoints.ts';
import type { Coverage, CoverageEntry, Status } from '../../coverage/coverage.ts';
import { isAskedByHash, isSameList, type ListId } from '../../coverage/list.ts';
import { contains, type Interval } from '../../coverage/ranges.ts';

/**
 * The rule of a commit, without disk or clock: which rows of a table a walk removes, which of its
 * records it adds, and what is then known. Everything that lands goes through here.
 *
 * - *First landing*: nothing was landed for these keys, and all that was landed for other keys on
 *   the interval is complete. Records that touch another key covered complete at their height are
 *   there already, with every copy; the rest are added and nothing is removed.
 * - *Replacing*: every row that touches one of the keys in the interval goes, and the whole walk
 *   comes, in the same commit.
 * - *Not complete* (provisional, truncated, ...): a partial walk must never cost a row that a
 *   complete one proved, so rows and records that touch a key complete at their height are left
 *   alone, and so is the keys' own complete coverage.
 * - *Refuting*: answers of the run were found to be false, so what it said of the slice is taken
 *   back, complete or not.
 */

/** A record as far as merging looks at it. */
export interface Landable {
  readonly height: number;
  /** The keys by which its endpoint would list it; `['']` for endpoints without keys. */
  readonly touches: readonly string[];
}

/** What a walk asked, and what it proved. */
export interface Claim extends ListId {
  readonly keys: readonly string[];
  readonly interval: Interval;
  readonly status: Status;
  readonly reason: string;
  readonly head: number;
  readonly readAtMs: number;
  /** How many reorganisations the table had recorded when the walk began. */
  readonly generation: number;
  /**
   * It takes back what an earlier walk of the same run proved falsely, complete coverage included.
   * Without records the rows stay as they are.
   */
  readonly refutes?: true;
}

export interface Walk<R extends Landable> {
  readonly claim: Claim;
  readonly records: readonly R[];
}

/** Rows of the list in the interval that touch one of the keys go, unless protected. */
export interface Removal extends ListId {
  readonly interval: Interval;
  readonly keys: readonly string[];
  /** Keys with the heights at which a row that touches them stays. */
  readonly protectedBy: readonly { readonly key: string; readonly interval: Interval }[];
}

export interface Merge<R extends Landable> {
  /** To be applied to the rows of the table, in any order. */
  readonly removals: readonly Removal[];
  readonly inserts: readonly { readonly claim: Claim; readonly record: R }[];
  readonly coverage: readonly CoverageEntry[];
}

/** Coverage above `height` was demoted because the chain below the safe height had changed. */
export interface Reorganisation {
  readonly height: number;
}

export interface Known {
  readonly coverage: Coverage;
  /** In the order of their commits; a table's generation is how many there are. */
  readonly reorganisations: readonly Reorganisation[];
}

/** Merges walks, in order, into what is known; the inputs stay as they are. */
export function merge<R extends Landable>(known: Known, walks: readonly Walk<R>[]): Merge<R> {
  const coverage = known.coverage.clone();
  const removals: Removal[] = [];
  const added: CoverageEntry[] = [];
  let inserts: { claim: Claim; record: R }[] = [];
  for (const walk of walks) {
    const step = mergeOne(coverage, { ...walk, claim: honest(walk.claim, known) });
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

/** Whether the removal takes a row of the list. */
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

/** What is known after a reorganisation at the height; the input stays as it is. */
export function afterReorganisation(coverage: Coverage, height: number): Coverage {
  const after = coverage.clone();
  after.forget(isForgotten, height);
  for (const entry of demoted(coverage, height)) after.add(entry);
  return after;
}

/** Coverage after a reorganisation: what was landed at the height or above it proves nothing. */
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
 * Whether a reorganisation takes what this list landed, rows and all: lists that are asked by the
 * hash of a transaction. Nobody will ask for a hash again that the chain has no more, so its rows
 * would never be replaced.
 */
export function isForgotten(endpoint: string): boolean {
  return isAskedByHash({ endpoint });
}

/** Anchors as far as they were read after every reorganisation that reaches them was found. */
export function honestAnchors(
  anchors: readonly Anchor[],
  generation: number,
  known: Known,
): Anchor[] {
  const since = known.reorganisations.slice(generation);
  return anchors.filter((anchor) => since.every(({ height }) => height > anchor.height));
}

/** A walk read before a reorganisation was found proves nothing at the heights it reaches. */
function honest(claim: Claim, known: Known): Claim {
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
