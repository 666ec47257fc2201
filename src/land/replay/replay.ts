import type { Coverage, Status } from '../../coverage/coverage.ts';
import { contains, intersection, subtract } from '../../coverage/ranges.ts';
import type { Snapshot } from '../delta/fold.ts';
import type { QuarantineRecord, StoredClaim } from '../quarantine/quarantine-record.ts';
import type { Claim, Landable, Walk } from '../rule/claim.ts';
import { digestText, type IncompleteWalk, incompleteWalkReason } from '../rule/incomplete-walk.ts';

/**
 * The rule of a replay, without disk or clock. An incomplete walk is completed from its landed rows
 * and its repaired records, without requests; its coverage then gets the status that the walk
 * proved. This is valid only while the table holds exactly the rows of the walk: its coverage must
 * still name the walk, and its rows must match the digest in the log. Otherwise the replay is
 * refused.
 */

/** A record of a walk in quarantine. */
export interface ReplayRecord<R extends Landable> {
  readonly id: string;
  /** Undefined if it is still broken. */
  readonly record: R | undefined;
  /** How it breaks its contract, now or when it was read. */
  readonly reason: string;
  /** Whether the user selected it; other records stay in quarantine. */
  readonly isChosen: boolean;
}

export interface WalkToReplay<R extends Landable> {
  /** The claim of the walk with all its records. */
  readonly claim: Claim;
  /** All its records that are in quarantine. */
  readonly kept: readonly ReplayRecord<R>[];
  /** The walk in the log; undefined if it never landed. */
  readonly incomplete: IncompleteWalk | undefined;
  readonly coverage: Coverage;
  /** Rows of the table that touch one of its keys in its interval. */
  readonly landed: readonly R[];
  readonly digestOf: (record: R) => bigint;
}

export type Replay<R extends Landable> =
  /** These records have landed, or a newer complete walk has replaced them. */
  | { readonly outcome: 'needless'; readonly ids: readonly string[] }
  | { readonly outcome: 'refused'; readonly why: string }
  /** A walk to be committed; it replaces its earlier rows. */
  | {
      readonly outcome: 'landing';
      readonly walk: Walk<R>;
      readonly incomplete: IncompleteWalk;
      readonly ids: readonly string[];
    };

/** Decides the outcome of a replay. */
export function replay<R extends Landable>(of: WalkToReplay<R>): Replay<R> {
  const { claim, kept, incomplete, coverage, landed, digestOf } = of;
  const chosen = kept.filter(({ isChosen }) => isChosen);
  const hasLanded = new Set(incomplete?.replayed);
  const isDone = chosen.every(({ id }) => hasLanded.has(id));
  if (isDone) return { outcome: 'needless', ids: chosen.map(({ id }) => id) };
  const state = claimStateOf({ ...claim.list, ...claim }, incomplete, coverage);
  if (state === 'complete') return { outcome: 'needless', ids: chosen.map(({ id }) => id) };
  if (state !== 'own' || incomplete === undefined) {
    return { outcome: 'refused', why: REFUSALS[state] };
  }
  const isComplete = coverage.completeIn(claim.list);
  const found: { readonly id: string; readonly record: R; readonly isThere: boolean }[] = [];
  for (const { id, record, isChosen } of kept) {
    if (record === undefined || hasLanded.has(id)) continue;
    // A newer walk that covers it is complete: the table has it, with every copy.
    const { height, touches } = record;
    const isThere =
      contains(claim.interval, height) && touches.some((key) => isComplete(key, height));
    if (isChosen || isThere) found.push({ id, record, isThere });
  }
  const there = found.filter(({ isThere }) => isThere);
  const rows = digestText(landed.map(digestOf));
  if (
    rows !==
    digestText(
      there.map(({ record }) => digestOf(record)),
      incomplete.digest,
    )
  ) {
    return { outcome: 'refused', why: REFUSALS.other };
  }
  const added = found.filter(({ isThere }) => !isThere).map(({ record }) => record);
  const ids = [...chosen.map(({ id }) => id).filter((id) => hasLanded.has(id)), ...idsOf(found)];
  if (found.length === 0) return { outcome: 'needless', ids };
  const replayed = [...incomplete.replayed, ...idsOf(found)];
  const left = incomplete.broken - replayed.length;
  const isThere = new Set(replayed);
  const first = kept.find(({ id }) => !isThere.has(id))?.reason ?? 'it was dropped';
  const reason = incompleteWalkReason(incomplete.walk, left, first);
  const short = { status: 'inconsistent' as Status, reason };
  return {
    outcome: 'landing',
    walk: { claim: left === 0 ? claim : { ...claim, ...short }, records: [...landed, ...added] },
    incomplete: { ...incomplete, reason, digest: digestText(added.map(digestOf), rows), replayed },
    ids,
  };
}

function idsOf(kept: readonly { readonly id: string }[]): string[] {
  return kept.map(({ id }) => id);
}

/** Owner of the claim's coverage: the walk itself, newer complete walks, or other walks. */
type ClaimState = 'own' | 'complete' | 'other' | 'unlanded';

export const UNLANDED = 'its slice was never landed';

const REFUSALS: Record<Exclude<ClaimState, 'complete'>, string> = {
  own: UNLANDED,
  unlanded: UNLANDED,
  other: 'the rows of its slice are no longer those of the walk that listed it',
};

/**
 * Whether the lake still has the coverage of the record's walk, so that a replay can land it. If
 * not, its slice was fetched again or never landed, and runs fetch the missing ranges.
 */
export function isWaiting(
  { id, walk, claim }: QuarantineRecord,
  { incompleteWalks, coverage }: Pick<Snapshot, 'incompleteWalks' | 'coverage'>,
): boolean {
  const own = incompleteWalks.get(walk);
  if (own === undefined || own.replayed.includes(id)) return false;
  return claimStateOf(claim, own, coverage) === 'own';
}

/** The current owner of the coverage of a claim. */
export function claimStateOf(
  claim: StoredClaim,
  incomplete: IncompleteWalk | undefined,
  coverage: Coverage,
): ClaimState {
  let isOwn = false;
  let isOther = false;
  let isMissing = false;
  for (const key of claim.keys) {
    const known = coverage
      .of(claim, key)
      .filter((entry) => intersection(entry, claim.interval) !== undefined);
    if (subtract(claim.interval, known).length > 0) isMissing = true;
    for (const { status, reason } of known) {
      if (status === 'complete') continue;
      if (status === 'inconsistent' && reason === incomplete?.reason) isOwn = true;
      else isOther = true;
    }
  }
  if (isMissing) return incomplete === undefined ? 'unlanded' : 'other';
  if (isOther) return 'other';
  return isOwn ? 'own' : 'complete';
}
