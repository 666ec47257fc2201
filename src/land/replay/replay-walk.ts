import type { Cell } from '../../catalogue/column-kind.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { Status } from '../../coverage/coverage.ts';
import { findList, type List } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import type { Snapshot } from '../delta/fold.ts';
import type { Lake } from '../lake.ts';
import type { QuarantineRecord, StoredClaim } from '../quarantine/quarantine-record.ts';
import { LIST_POSITION } from '../rows/columns.ts';
import { decode, type Row } from '../rows/decode.ts';
import { ofCells, repeatsOf } from '../rows/occurrences.ts';
import { mayHoldRows, removalSql } from '../rows/removal.ts';
import { type RowShape, rowDigest, rowShape, touchesOf } from '../rows/row-shape.ts';
import { unfinishedParts } from '../rows/split-walk.ts';
import type { DeltaTable, LandedWalk } from '../rows/table.ts';
import type { Claim } from '../rule/claim.ts';
import { readRows } from '../storage/read-rows.ts';
import { type Replay, type ReplayRecord, replay, UNLANDED } from './replay.ts';

/** Result of a replay of selected records of one walk. */
export interface ReplayResult {
  /** Ids of records that this replay landed. */
  readonly landed: readonly string[];
  /** Ids of records that had landed before, or that a newer complete walk replaced. */
  readonly needless: readonly string[];
  /** Reasons of records that are still broken, by id. */
  readonly broken: ReadonlyMap<string, string>;
  /** Why decoded records could not land; undefined if the replay was not refused. */
  readonly refused: string | undefined;
  /** Status of the walk after the replay; undefined if nothing landed. */
  readonly status: Status | undefined;
}

/**
 * Decodes the records of one walk again, with the current catalogue, and lands those that are no
 * longer broken. `chosen` selects records by id. The commit stores the landed ids, and the caller
 * clears the quarantine afterwards: after a crash in between, the next replay finds them landed.
 */
export async function replayWalk(
  lake: Lake,
  records: readonly QuarantineRecord[],
  chosen: ReadonlySet<string>,
): Promise<ReplayResult> {
  const nothing = { landed: [], needless: [], broken: new Map<string, string>() };
  const [first] = records;
  if (first === undefined) return { ...nothing, refused: undefined, status: undefined };
  const { claim, dataset } = first;
  const list = findList(claim);
  if (list?.dataset.name !== dataset) {
    const refused = `the catalogue no longer lands ${claim.endpoint} in ${dataset}`;
    return { ...nothing, refused, status: undefined };
  }
  const shape = rowShape(list);
  const kept = records.map((record) => keptOf(list, shape, record, chosen.has(record.id)));
  const found = await land(lake.table(dataset), first, { ...claim, list }, shape, kept);
  const done = found.outcome === 'refused' ? [] : found.ids;
  const isDone = new Set(done);
  const broken = kept.filter(({ id, isChosen, record }) => {
    return isChosen && record === undefined && !isDone.has(id);
  });
  return {
    landed: found.outcome === 'landing' ? done : [],
    needless: found.outcome === 'needless' ? done : [],
    broken: new Map(broken.map(({ id, reason }) => [id, reason])),
    refused: found.outcome === 'refused' ? found.why : undefined,
    status: found.outcome === 'landing' ? found.walk.claim.status : undefined,
  };
}

/** Applies the rule of a replay to the newest version of the table and commits the result. */
async function land(
  table: DeltaTable,
  first: QuarantineRecord,
  claim: Claim,
  shape: RowShape,
  kept: readonly ReplayRecord<Row>[],
): Promise<Replay<Row>> {
  // Without a commit the table has no folder, and a refused replay must not make one.
  if ((await table.snapshot()).version < 0) return { outcome: 'refused', why: UNLANDED };
  let found: Replay<Row> = { outcome: 'needless', ids: [] };
  const compose = async (snapshot: Snapshot): Promise<LandedWalk[] | undefined> => {
    found = replay({
      claim,
      kept,
      incomplete: snapshot.incompleteWalks.get(first.walk),
      coverage: snapshot.coverage,
      landed: await landedRows(table, snapshot, claim, shape),
      digestOf: ({ cells }) => rowDigest(shape, cells),
    });
    if (found.outcome !== 'landing') return undefined;
    const { walk, incomplete } = found;
    const records = numbered(walk.records, shape);
    const whole = { claim: walk.claim, records, incomplete, slice: first.slice, requests: 0 };
    return [whole, ...unfinishedParts(whole, {})];
  };
  await table.commitFrom(compose);
  return found;
}

function keptOf(
  list: List,
  shape: RowShape,
  { id, raw, claim }: QuarantineRecord,
  isChosen: boolean,
): ReplayRecord<Row> {
  const wire = JSON.parse(raw) as WireRecord;
  const { rows, broken } = decode(list, [wire], claim.interval.from);
  const [row] = rows;
  const reason = row === undefined ? (broken[0]?.reason ?? '') : outside(row, claim, shape);
  // The record was decoded alone, so its position in the answer is unknown.
  const record = row !== undefined && reason === '' ? { ...row, listPosition: null } : undefined;
  return { id, record, reason, isChosen };
}

/** Why a decoded record does not belong to its walk; '' if it does. */
function outside(row: Row, { interval, keys }: StoredClaim, shape: RowShape): string {
  if (!contains(interval, row.height)) {
    return `its height ${row.height} lies outside of ${interval.from}-${interval.to}`;
  }
  if (row.touches.some((key) => keys.includes(key))) return '';
  const names = shape.keysAt?.map((at) => shape.columns[at]?.name).join(' and ');
  return `its ${names} has none of the requested keys`;
}

/** All rows of the version in the walk's interval that touch one of its keys. */
async function landedRows(
  table: DeltaTable,
  snapshot: Snapshot,
  claim: Claim,
  shape: RowShape,
): Promise<Row[]> {
  const { list, interval, keys } = claim;
  const all = { list, interval, keys, protectedBy: [] };
  const files = [...snapshot.files].filter(([, file]) => mayHoldRows(file, all));
  const condition = removalSql(all, table.dataset.heightColumn);
  const rows = await readRows(table.paths({ files: new Map(files) }), shape.columns, condition);
  return rows.map((cells) => ({
    height: Number(cells[shape.heightAt]),
    touches: touchesOf(shape, cells),
    cells,
    occurrence: 1,
    listPosition: positionIn(cells, shape),
  }));
}

/** The position of a landed row in its answer; null if none is recorded. */
function positionIn(cells: readonly Cell[], { columns }: RowShape): number | null {
  const cell = cells[columns.findIndex(({ name }) => name === LIST_POSITION)];
  return typeof cell === 'bigint' ? Number(cell) : null;
}

/** Numbers the occurrences of landed and new rows together. */
function numbered(rows: readonly Row[], shape: RowShape): Row[] {
  const repeats = repeatsOf(rows, ofCells(shape));
  return rows.map((row) => ({ ...row, occurrence: repeats.get(row) ?? 1 }));
}
