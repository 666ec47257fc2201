import { createHash } from 'node:crypto';
import type { Cell } from '../../catalogue/column-kind.ts';
import { type Axis, type Column, lineage } from '../../catalogue/entry.ts';
import type { Coverage } from '../../coverage/coverage.ts';
import type { ListId } from '../../coverage/list.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import type { Claim } from '../rule/claim.ts';

/** A claim as the table stores it: the catalogue may no longer have its list. */
export interface StoredClaim extends ListId, Pick<Claim, 'keys' | 'interval' | 'readAtMs'> {}

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
  /** The walk's request, and when it was read last. */
  readonly claim: StoredClaim;
}

/** The columns of the table, in the order of `cellsOf`. */
export const QUARANTINE_COLUMNS: readonly Column[] = [
  lineage('id', 'VARCHAR', 'Digest of request and record; commands accept its first characters'),
  lineage('at', 'TIMESTAMPTZ', 'When it was read first [UTC]'),
  lineage('run', 'VARCHAR', 'Run whose walk listed it last'),
  lineage('slice', 'VARCHAR', 'Name of the slice'),
  lineage('walk', 'VARCHAR', 'Name of the walk that listed it last'),
  lineage('dataset', 'VARCHAR', 'Dataset of the record'),
  lineage('axis', 'VARCHAR', 'primary or zone'),
  lineage('endpoint', 'VARCHAR', 'Endpoint that served it'),
  lineage('variant', 'VARCHAR', 'Filters of the request'),
  lineage('keys', 'VARCHAR[]', 'Keys of the request'),
  lineage('from_block', 'BIGINT', 'First block of the request'),
  lineage('to_block', 'BIGINT', 'Last block of the request'),
  lineage('reason', 'VARCHAR', 'How the record breaks its contract'),
  lineage('raw', 'VARCHAR', 'The record as received, as JSON'),
  lineage('occurrence', 'BIGINT', 'Number among equal records of its walk'),
  lineage('read_at', 'TIMESTAMPTZ', 'When it was read last [UTC]'),
];

/** The reason in the coverage of a walk without its broken records. */
export function quarantineReason(walk: string, records: number, first: string): string {
  const count = records === 1 ? '1 record is' : `${records} records are`;
  return `${count} in quarantine (walk ${walk}); the first because ${first}`;
}

/**
 * Whether coverage still names the record's walk, so that the next run fetches its slice again. If
 * not, the slice was fetched again since, or never landed.
 */
export function isWaiting({ walk, claim }: QuarantineRecord, coverage: Coverage): boolean {
  return claim.keys.some((key) =>
    coverage.get(claim, key).some((entry) => {
      return overlaps(entry, claim.interval) && entry.reason.includes(`(walk ${walk})`);
    }),
  );
}

/** The id of a record of this claim's walk. */
export function quarantineId(
  claim: Omit<StoredClaim, 'readAtMs'>,
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
    microsOf(claim.readAtMs),
  ];
}

/** Converts cells of the table back to a record. */
export function quarantineRecordOf(cells: readonly Cell[]): QuarantineRecord {
  const cell = new Map(QUARANTINE_COLUMNS.map(({ name }, i) => [name, cells[i] ?? null]));
  const text = (name: string): string => String(cell.get(name) ?? '');
  const number = (name: string): number => Number(cell.get(name) ?? 0);
  const interval: Interval = { from: number('from_block'), to: number('to_block') };
  const keys = cell.get('keys');
  return {
    id: text('id'),
    atMs: number('at') / 1000,
    walk: text('walk'),
    run: text('run'),
    slice: text('slice'),
    dataset: text('dataset'),
    axis: text('axis') as Axis,
    reason: text('reason'),
    raw: text('raw'),
    occurrence: number('occurrence'),
    claim: {
      endpoint: text('endpoint'),
      variant: text('variant'),
      keys: Array.isArray(keys) ? keys : [''],
      interval,
      readAtMs: number('read_at') / 1000,
    },
  };
}

export function microsOf(ms: number): bigint {
  return BigInt(Math.trunc(ms)) * 1000n;
}
