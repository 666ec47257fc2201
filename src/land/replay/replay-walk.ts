import type { Cell } from '../../catalogue/kind.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { Status } from '../../coverage/coverage.ts';
import { findList, type List } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import type { Snapshot } from '../delta/log.ts';
import type { Lake } from '../lake.ts';
import type { QuarantineRecord } from '../quarantine/quarantine-record.ts';
import { LIST_POSITION } from '../rows/columns.ts';
import { decode, type Row } from '../rows/decode.ts';
import { mayHoldRows, removalSql } from '../rows/removal.ts';
import { type RowShape, rowContent, rowDigest, rowShape, touchesOf } from '../rows/row-shape.ts';
import type { DeltaTable, LandedWalk } from '../rows/table.ts';
import type { Claim } from '../rule/merge.ts';
import { readRows } from '../storage/read-rows.ts';
import { type KeptRecord, type Replay, replay, UNLANDED } from './replay.ts';

/** What a replay of the chosen records of one walk did. */
export interface ReplayResult {
  /** Ids that landed now. */
  readonly landed: readonly string[];
  /** Ids that had landed before, or that a newer and complete walk made needless. */
  readonly needless: readonly string[];
  /** Ids of records that still break their contract, with how they do. */
  readonly broken: ReadonlyMap<string, string>;
  /** Why nothing landed of a walk whose records could be decoded; undefined: nothing stood by. */
  readonly refused: string | undefined;
  /** What the walk proves by now, where something landed. */
  readonly status: Status | undefined;
}

/**
 * Decodes the records of one walk again, with the catalogue of today, and lands what decodes now;
 * `chosen` are ids among them. The commit comes first and takes the ids down, the quarantine is
 * cleared after it: a crash between them leaves records that a next replay finds to be landed.
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
  const found = await land(lake.table(dataset), first, shape, kept);
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

/** Decides by the newest version of the table, and commits what is to land. */
async function land(
  table: DeltaTable,
  first: QuarantineRecord,
  shape: RowShape,
  kept: readonly KeptRecord<Row>[],
): Promise<Replay<Row>> {
  // A table without a commit is not to get a folder from this.
  if ((await table.snapshot()).version < 0) return { outcome: 'refused', why: UNLANDED };
  let found: Replay<Row> = { outcome: 'needless', ids: [] };
  const compose = async (snapshot: Snapshot): Promise<LandedWalk[] | undefined> => {
    found = replay({
      claim: first.claim,
      kept,
      incomplete: snapshot.incompleteWalks.get(first.walk),
      coverage: snapshot.coverage,
      landed: await landedRows(table, snapshot, first, shape),
      digestOf: ({ cells }) => rowDigest(shape, cells),
    });
    if (found.outcome !== 'landing') return undefined;
    const { walk, incomplete } = found;
    const records = numbered(walk.records, shape);
    return [{ claim: walk.claim, records, incomplete, slice: first.slice, requests: 0 }];
  };
  await table.commitFrom(compose);
  return found;
}

function keptOf(
  list: List,
  shape: RowShape,
  { id, raw, claim }: QuarantineRecord,
  isChosen: boolean,
): KeptRecord<Row> {
  const came = JSON.parse(raw) as WireRecord;
  const { rows, broken } = decode(list, [came], claim.interval.from);
  const [row] = rows;
  const reason = row === undefined ? (broken[0]?.reason ?? '') : outside(row, claim, shape);
  // The record was decoded alone, so its place among the others of the answer is not known.
  const record = row !== undefined && reason === '' ? { ...row, listPosition: null } : undefined;
  return { id, record, reason, isChosen };
}

/** Why a record that can be decoded is none of those its walk asked for; '' where it is one. */
function outside(row: Row, { interval, keys }: Claim, shape: RowShape): string {
  if (!contains(interval, row.height)) {
    return `its height ${row.height} lies outside of ${interval.from}-${interval.to}`;
  }
  if (row.touches.some((key) => keys.includes(key))) return '';
  const names = shape.keysAt?.map((at) => shape.columns[at]?.name).join(' and ');
  return `none of the keys asked stands in its ${names}`;
}

/** Rows of the version that touch one of the walk's keys in its interval, whoever landed them. */
async function landedRows(
  table: DeltaTable,
  snapshot: Snapshot,
  { claim }: QuarantineRecord,
  shape: RowShape,
): Promise<Row[]> {
  const { endpoint, variant, interval, keys } = claim;
  const all = { endpoint, variant, interval, keys, protectedBy: [] };
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

/** The place that a landed row had in its answer; null where none is recorded. */
function positionIn(cells: readonly Cell[], { columns }: RowShape): number | null {
  const cell = cells[columns.findIndex(({ name }) => name === LIST_POSITION)];
  return typeof cell === 'bigint' ? Number(cell) : null;
}

/** Rows with their occurrences counted anew, over what was landed and what comes now. */
function numbered(rows: readonly Row[], shape: RowShape): Row[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const content = rowContent(shape, row.cells);
    const occurrence = (seen.get(content) ?? 0) + 1;
    seen.set(content, occurrence);
    return { ...row, occurrence };
  });
}
