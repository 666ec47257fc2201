import { createHash } from 'node:crypto';
import { datasetNamed } from '../../catalogue/index.ts';
import { listAt } from '../../coverage/list.ts';
import { type QuarantineRecord, quarantineId } from '../quarantine/quarantine-record.ts';
import { digestText, incompleteWalkReason } from '../rule/incomplete-walk.ts';
import type { BrokenRecord } from './decode.ts';
import { rowDigest, rowShape } from './row-shape.ts';
import type { LandedWalk } from './table.ts';

/** A walk without its broken records, and these records for the quarantine. */
export interface SplitWalk {
  readonly walk: LandedWalk;
  readonly records: readonly QuarantineRecord[];
}

/**
 * Splits off the broken records of a walk, which then lands as inconsistent. The quarantine keeps
 * its original claim; a replay of all its records restores it. `attempt` distinguishes walks of one
 * slice in one run.
 */
export function splitBrokenRecords(
  whole: LandedWalk,
  broken: readonly BrokenRecord[],
  of: { readonly run: string; readonly attempt: number },
): SplitWalk {
  const [first] = broken;
  if (first === undefined) return { walk: whole, records: [] };
  const { claim, slice } = whole;
  const shape = rowShape(listAt(claim));
  const walk = walkName([of.run, slice, claim.readAtMs, of.attempt]);
  const reason = incompleteWalkReason(walk, broken.length, first.reason);
  const digest = digestText(whole.records.map(({ cells }) => rowDigest(shape, cells)));
  return {
    walk: {
      ...whole,
      claim: { ...claim, status: 'inconsistent', reason },
      incomplete: { walk, reason, digest, broken: broken.length, replayed: [] },
    },
    records: recordsOf(whole, broken, { walk, run: of.run, dataset: shape.dataset }),
  };
}

function recordsOf(
  { claim, slice }: LandedWalk,
  broken: readonly BrokenRecord[],
  of: { readonly walk: string; readonly run: string; readonly dataset: string },
): QuarantineRecord[] {
  const { axis } = datasetNamed(of.dataset);
  const seen = new Map<string, number>();
  return broken.map(({ reason, raw }) => {
    const occurrence = (seen.get(raw) ?? 0) + 1;
    seen.set(raw, occurrence);
    const id = quarantineId(claim, raw, occurrence);
    return { ...of, id, atMs: claim.readAtMs, slice, axis, reason, raw, occurrence, claim };
  });
}

function walkName(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
