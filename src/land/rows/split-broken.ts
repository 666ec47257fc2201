import { createHash } from 'node:crypto';
import { datasetNamed } from '../../catalogue/index.ts';
import { listAt } from '../../coverage/list.ts';
import { type QuarantineRecord, quarantineId } from '../quarantine/quarantine-record.ts';
import { digestText, incompleteWalkReason } from '../rule/incomplete-walk.ts';
import type { BrokenRecord } from './decode.ts';
import { rowDigest, rowShape } from './row-shape.ts';
import type { LandedWalk } from './table.ts';

/** A walk as it lands without its broken records, and these for the quarantine. */
export interface SplitWalk {
  readonly walk: LandedWalk;
  readonly records: readonly QuarantineRecord[];
}

/**
 * Parts a walk from its broken records. It lands as inconsistent and so proves nothing; what it
 * would prove goes with the records, which make it whole when they are replayed. `attempt` tells
 * walks of one slice apart in one run.
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

function walkName(said: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 16);
}
