import { createHash } from 'node:crypto';
import type { Axis } from '../../catalogue/entry.ts';
import { datasetNamed, datasetsOf, endpoints } from '../../catalogue/index.ts';
import { isAskedByHash } from '../../coverage/list.ts';
import { contains, type Interval, normalise, subtract } from '../../coverage/ranges.ts';
import { LAST_READING_BLOCKS, UNFINISHED_REASON } from '../../coverage/unfinished.ts';
import {
  type QuarantineRecord,
  quarantineId,
  quarantineReason,
} from '../quarantine/quarantine-record.ts';
import type { Claim } from '../rule/claim.ts';
import { readRows } from '../storage/read-rows.ts';
import { identifier } from '../storage/sql-text.ts';
import { tableColumns } from './columns.ts';
import type { BrokenRecord, Row } from './decode.ts';
import { rowShape } from './row-shape.ts';
import type { DeltaTable, LandedWalk } from './table.ts';

/** A walk in parts, without its broken records, and these records for the quarantine. */
export interface SplitWalk {
  /** The inconsistent parts come first. */
  readonly walks: readonly [LandedWalk, ...LandedWalk[]];
  readonly records: readonly QuarantineRecord[];
}

/** A walk with more runs of blocks than this that have broken records is one part. */
const MOST_PARTS = 100;

/**
 * Splits off the broken records of a walk. Their blocks land as inconsistent, and so does the whole
 * walk where a broken record has no height; the other blocks keep its status. The
 * next run fetches the inconsistent ones again. `attempt` distinguishes walks of one slice in one
 * run.
 */
export function splitBrokenRecords(
  whole: LandedWalk,
  broken: readonly BrokenRecord[],
  origin: { readonly run: string; readonly attempt: number },
): SplitWalk {
  if (broken.length === 0) return { walks: [whole], records: [] };
  const { claim, slice } = whole;
  const parts = brokenParts(claim.interval, broken);
  const dataset = claim.list.dataset.name;
  const records: QuarantineRecord[] = [];
  const walkOf = (interval: Interval, i: number): LandedWalk => {
    const isInside = ({ height = Number.NaN }: Pick<BrokenRecord, 'height'>): boolean =>
      contains(interval, height) || !contains(claim.interval, height);
    const part = {
      ...whole,
      claim: { ...claim, interval },
      records: whole.records.filter(isInside),
      requests: i === 0 ? whole.requests : 0,
    };
    const defects = i < parts.length ? broken.filter(isInside) : [];
    const [first] = defects;
    if (first === undefined) return part;
    const walk = walkName([origin.run, slice, claim.readAtMs, origin.attempt, interval.from]);
    const reason = quarantineReason(walk, defects.length, first.reason);
    for (const record of recordsOf(part, defects, { walk, run: origin.run, dataset }))
      records.push(record);
    return { ...part, claim: { ...part.claim, status: 'inconsistent', reason } };
  };
  const [first = whole, ...others] = [...parts, ...subtract(claim.interval, parts)].map(walkOf);
  return { walks: [first, ...others], records };
}

/** The blocks with broken records; the whole interval where one of them cannot be placed. */
function brokenParts(interval: Interval, broken: readonly BrokenRecord[]): readonly Interval[] {
  const heights = broken.map(({ height }) => height ?? Number.NaN);
  const parts = normalise(heights.map((height) => ({ from: height, to: height })));
  const isPlaced = heights.every((height) => contains(interval, height));
  return isPlaced && parts.length <= MOST_PARTS ? parts : [interval];
}

/** The lowest height of each axis that is not final. An axis without one is not compared. */
export type SafeHeights = Readonly<Partial<Record<Axis, { readonly safe: number }>>>;

/**
 * The parts of a complete walk with unfinished records, which land after it: the blocks of these
 * records or, of a look-up, their keys. They are `provisional` and withdraw the coverage of the
 * walk there.
 */
export function unfinishedParts(whole: LandedWalk, heads: SafeHeights): LandedWalk[] {
  const { claim, records } = whole;
  const { list } = claim;
  const { finishedBy } = list.entry;
  if (claim.status !== 'complete' || finishedBy === undefined) return [];
  const { columns } = rowShape(list);
  const at = (column: string): number => columns.findIndex(({ name }) => name === column);
  const late = finishedBy.map(({ column, where, axis }) => ({
    at: at(column.column),
    where: where && { at: at(where.column.column), is: where.is },
    safe: (axis && heads[axis]?.safe) ?? Infinity,
  }));
  const isOpen = ({ height, cells }: Row): boolean =>
    claim.head - height < LAST_READING_BLOCKS &&
    late.some(({ at: place, where, safe }) => {
      if (where !== undefined && cells[where.at] !== where.is) return false;
      const cell = cells[place] ?? null;
      return cell === null || (typeof cell === 'bigint' && cell >= safe);
    });
  const open = records.filter(isOpen);
  const part = (more: Partial<Claim>, isIn: (row: Row) => boolean): LandedWalk => {
    const status = { status: 'provisional', reason: UNFINISHED_REASON, refutes: true } as const;
    const split = { claim: { ...claim, ...status, ...more }, records: records.filter(isIn) };
    return { ...split, slice: whole.slice, requests: 0 };
  };
  if (isAskedByHash(list)) {
    const named = new Set(open.flatMap(({ touches }) => touches));
    const keys = claim.keys.filter((key) => named.has(key));
    const isOfKeys = ({ touches }: Row): boolean => touches.some((key) => keys.includes(key));
    return keys.length === 0 ? [] : [part({ keys }, isOfKeys)];
  }
  return normalise(open.map(({ height }) => ({ from: height, to: height }))).map((interval) =>
    part({ interval }, ({ height }) => contains(interval, height)),
  );
}

/**
 * The lowest height of the table's records whose half on the other axis is at `height` of it or
 * above; undefined where there is none. A half is a height that a service fills in later.
 */
export async function lowestWithHalf(
  table: DeltaTable,
  axis: Axis,
  height: number,
): Promise<number | undefined> {
  const { name, heightColumn } = table.dataset;
  const late = endpoints
    .filter((entry) => datasetsOf(entry).includes(name))
    .flatMap(({ finishedBy = [] }) => finishedBy.filter((column) => column.axis === axis));
  const halves = new Set(late.map(({ column }) => column.column));
  if (halves.size === 0) return undefined;
  const columns = tableColumns(name)
    .filter((column) => column.name === heightColumn || halves.has(column.name))
    .sort((column) => (column.name === heightColumn ? -1 : 1));
  const condition = [...halves].map((half) => `${identifier(half)} >= ${height}`).join(' OR ');
  const rows = await readRows(table.paths(await table.snapshot()), columns, condition);
  const heights = rows.map(([cell]) => Number(cell));
  return heights.length === 0 ? undefined : heights.reduce((low, next) => Math.min(low, next));
}

function recordsOf(
  { claim, slice }: LandedWalk,
  broken: readonly BrokenRecord[],
  origin: { readonly walk: string; readonly run: string; readonly dataset: string },
): QuarantineRecord[] {
  const { axis } = datasetNamed(origin.dataset);
  const { list, keys, interval, readAtMs } = claim;
  const read = { endpoint: list.endpoint, variant: list.variant, keys, interval, readAtMs };
  const seen = new Map<string, number>();
  return broken.map(({ reason, raw }) => {
    const occurrence = (seen.get(raw) ?? 0) + 1;
    seen.set(raw, occurrence);
    const id = quarantineId(read, raw, occurrence);
    return { ...origin, id, atMs: readAtMs, slice, axis, reason, raw, occurrence, claim: read };
  });
}

function walkName(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
