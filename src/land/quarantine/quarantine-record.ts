import { createHash } from 'node:crypto';
import type { Cell } from '../../catalogue/column-kind.ts';
import type { Axis, Column } from '../../catalogue/entry.ts';
import type { Status } from '../../coverage/coverage.ts';
import type { ListId } from '../../coverage/list.ts';
import type { Interval } from '../../coverage/ranges.ts';
import type { Claim } from '../rule/claim.ts';

/** A claim as the table stores it: the catalogue may no longer have its list. */
export interface StoredClaim extends ListId, Omit<Claim, 'list'> {}

/** A record that breaks its contract, and the walk that listed it. */
export interface QuarantineRecord {
  /** Hex digest of request and record, so a record that is read again keeps its id. */
  readonly id: string;
  /** When it was read first, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Name of the walk that listed it last; each attempt at a slice is a separate walk. */
  readonly walk: string;
  readonly run: string;
  readonly slice: string;
  readonly dataset: string;
  readonly axis: Axis;
  readonly reason: string;
  /** JSON text of the record. */
  readonly raw: string;
  /** 1 for the first of several records of its walk with equal text. */
  readonly occurrence: number;
  /** The claim of the walk with all its records. */
  readonly claim: StoredClaim;
}

const text = (name: string, comment: string): Column => column(name, 'VARCHAR', comment);
const whole = (name: string, comment: string): Column => column(name, 'BIGINT', comment);
const time = (name: string, comment: string): Column => column(name, 'TIMESTAMPTZ', comment);

function column(name: string, type: Column['type'], comment: string): Column {
  return { name, type, comment, volatile: true };
}

/** The columns of the table, in the order of `cellsOf`. */
export const QUARANTINE_COLUMNS: readonly Column[] = [
  text('id', 'Digest of request and record; commands accept its first characters'),
  time('at', 'When it was read first [UTC]'),
  text('run', 'Run whose walk listed it last'),
  text('slice', 'Name of the slice; never an identity'),
  text('walk', 'Name of the walk that listed it last'),
  text('dataset', 'Dataset of the record'),
  text('axis', 'Axis of the blocks: primary or zone'),
  text('endpoint', 'Endpoint that served it'),
  text('variant', 'Filters of the request; empty for none'),
  column('keys', 'VARCHAR[]', 'Keys of the request; one empty text for lists without keys'),
  whole('from_block', 'First block of the request'),
  whole('to_block', 'Last block of the request'),
  text('reason', 'How the record breaks its contract'),
  text('raw', 'The record as received, as JSON'),
  whole('occurrence', '1 for the first of several records of its walk with equal text'),
  text('walk_status', 'Status of its walk once no record of it is broken'),
  text('walk_reason', 'Why, if the status is not complete'),
  whole('head', 'Head of the chain when it was read'),
  time('read_at', 'When it was read last [UTC]'),
  whole('generation', 'Number of reorganisations in the log when it was read'),
];

/** The id of a record of this claim's walk. */
export function quarantineId(
  claim: Pick<StoredClaim, 'endpoint' | 'variant' | 'keys' | 'interval'>,
  raw: string,
  occurrence: number,
): string {
  const { endpoint, variant, keys, interval } = claim;
  const parts = [endpoint, variant, keys, interval.from, interval.to, raw, occurrence];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function cellsOf(record: QuarantineRecord): Cell[] {
  const { claim } = record;
  return [
    record.id,
    microsOf(record.atMs),
    record.run,
    record.slice,
    record.walk,
    record.dataset,
    record.axis,
    claim.endpoint,
    claim.variant,
    claim.keys,
    BigInt(claim.interval.from),
    BigInt(claim.interval.to),
    record.reason,
    record.raw,
    BigInt(record.occurrence),
    claim.status,
    claim.reason,
    BigInt(claim.head),
    microsOf(claim.readAtMs),
    BigInt(claim.generation),
  ];
}

/** Converts cells of the table back to a record. */
export function quarantineRecordOf(cells: readonly Cell[]): QuarantineRecord {
  const cell = new Map(QUARANTINE_COLUMNS.map(({ name }, i) => [name, cells[i] ?? null]));
  const of = (name: string): string => String(cell.get(name) ?? '');
  const number = (name: string): number => Number(cell.get(name) ?? 0);
  const interval: Interval = { from: number('from_block'), to: number('to_block') };
  const keys = cell.get('keys');
  return {
    id: of('id'),
    atMs: number('at') / 1000,
    walk: of('walk'),
    run: of('run'),
    slice: of('slice'),
    dataset: of('dataset'),
    axis: of('axis') as Axis,
    reason: of('reason'),
    raw: of('raw'),
    occurrence: number('occurrence'),
    claim: {
      endpoint: of('endpoint'),
      variant: of('variant'),
      keys: Array.isArray(keys) ? keys : [''],
      interval,
      status: of('walk_status') as Status,
      reason: of('walk_reason'),
      head: number('head'),
      readAtMs: number('read_at') / 1000,
      generation: number('generation'),
    },
  };
}

function microsOf(ms: number): bigint {
  return BigInt(Math.trunc(ms)) * 1000n;
}
