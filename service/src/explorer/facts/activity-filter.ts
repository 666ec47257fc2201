import type { DuckDBValue } from '@duckdb/node-api';

export const CHAINS = ['primary', 'zone'] as const;
export type Chain = (typeof CHAINS)[number];

export const LEGS: Readonly<Record<Chain, readonly string[]>> = {
  primary: ['value', 'fee', 'internal', 'token'],
  zone: ['cross_chain', 'zone'],
};

export const DIRECTIONS = ['in', 'out'] as const;

/** One end of a range: a height, or a time in milliseconds. */
export type RangeEnd =
  | { readonly block: number; readonly atMs?: never }
  | { readonly atMs: number; readonly block?: never };

/** The legs of an address that a page lists. */
export interface ActivityFilter {
  readonly address: string;
  readonly chain: Chain;
  readonly leg?: string | undefined;
  readonly direction?: (typeof DIRECTIONS)[number] | undefined;
  /** A contract, or `native` for legs without one. */
  readonly token?: string | undefined;
  readonly from?: RangeEnd | undefined;
  /** Included: the block, or the millisecond. */
  readonly to?: RangeEnd | undefined;
}

/** A condition of SQL, with the values of its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly DuckDBValue[];
}

export const NATIVE = 'native';

/** The curated table with the ledger of a chain. */
export function ledgerTable(chain: Chain): string {
  return chain === 'primary' ? 'curated.address_activity' : 'curated.zone_address_activity';
}

export function conditionOf(filter: ActivityFilter): Condition {
  const parts: string[] = [];
  const values: DuckDBValue[] = [];
  const also = (sql: (parameter: string) => string, value: DuckDBValue): void => {
    values.push(value);
    parts.push(sql(`$${values.length}`));
  };
  also((at) => `address = ${at}::VARCHAR`, filter.address);
  if (filter.leg !== undefined) also((at) => `leg = ${at}::VARCHAR`, filter.leg);
  if (filter.direction !== undefined) also((at) => `direction = ${at}::VARCHAR`, filter.direction);
  if (filter.token === NATIVE) parts.push('token_address IS NULL');
  else if (filter.token !== undefined) also((at) => `token_address = ${at}::VARCHAR`, filter.token);
  for (const [end, sign] of [
    [filter.from, '>='],
    [filter.to, '<='],
  ] as const) {
    if (end?.block !== undefined) {
      also((at) => `block_number ${sign} ${at}::BIGINT`, BigInt(end.block));
    } else if (end !== undefined) {
      also((at) => `block_time ${sign} make_timestamptz(${at}::BIGINT)`, BigInt(end.atMs) * 1000n);
    }
  }
  return { sql: parts.join(' AND '), values };
}

/** Whether the page lists all legs of its tokens between its first and its last block. */
export function isWithoutGaps({ leg, direction }: ActivityFilter): boolean {
  return leg === undefined && direction === undefined;
}
