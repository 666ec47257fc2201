import type { QueryRow } from '../../../../src/load/query/query.ts';
import {
  type ActivityFilter,
  type Condition,
  conditionOf,
  ledgerTable,
} from './activity-filter.ts';
import { numberIn } from './cells.ts';
import type { WarehouseSession } from './warehouse-reader.ts';

/** A place in a list whose newest block comes first. */
export interface ListPlace {
  readonly block: number;
  /** Rows of this block that were listed before. */
  readonly skip: number;
}

export interface ListedRows {
  readonly rows: readonly QueryRow[];
  /** The place behind the last row; undefined at the end of the list. */
  readonly next: ListPlace | undefined;
}

/** Number and heights of the rows that meet a condition. */
export interface Extent {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

/** A list of rows of one table, newest block first. */
export interface RowList {
  /** A table or view with a column `block_number`. */
  readonly table: string;
  readonly columns: string;
  readonly condition: Condition;
  /** Columns that order the rows of one block. */
  readonly within: string;
}

const FACTOR = 4;

export async function extentOf(session: WarehouseSession, list: RowList): Promise<Extent> {
  const { table, condition } = list;
  const key = JSON.stringify([table, condition.sql, condition.values.map(String)]);
  return session.kept(`extent ${key}`, async () => {
    const [row = {}] = await session.ask(
      `SELECT count(*) AS rows, min(block_number) AS low, max(block_number) AS high
       FROM ${table} WHERE ${condition.sql}`,
      ...condition.values,
    );
    return {
      rows: numberIn(row, 'rows') ?? 0,
      from: numberIn(row, 'low') ?? 0,
      to: numberIn(row, 'high') ?? -1,
    };
  });
}

/**
 * The rows from a place on; `extent` is that of the whole list. They are read in intervals of
 * blocks that grow until one has enough rows, because sorting a list of millions of rows takes
 * seconds.
 */
export async function rowsFrom(
  session: WarehouseSession,
  list: RowList,
  extent: Extent,
  place: ListPlace | undefined,
  count: number,
): Promise<ListedRows> {
  const at = place ?? { block: extent.to, skip: 0 };
  const high = Math.min(at.block, extent.to);
  const skip = high === at.block ? at.skip : 0;
  if (extent.rows === 0 || high < extent.from) return { rows: [], next: undefined };
  const perRow = (extent.to - extent.from + 1) / extent.rows;
  let blocks = Math.max(1, Math.ceil(perRow * (count + skip + 1) * 2));
  // The interval reaches the lowest block after at most as many steps as a height has bits.
  for (;;) {
    const low = Math.max(extent.from, high - blocks);
    const rows = await rowsIn(session, list, { low, high, skip, count: count + 1 });
    if (rows.length > count || low === extent.from)
      return listed(rows, count, { block: high, skip });
    blocks *= FACTOR;
  }
}

function listed(batch: readonly QueryRow[], count: number, from: ListPlace): ListedRows {
  const rows = batch.slice(0, count);
  const last = rows.at(-1);
  if (batch.length <= count || last === undefined) return { rows, next: undefined };
  const block = numberIn(last, 'block_number') ?? 0;
  const blockRows = rows.filter((row) => numberIn(row, 'block_number') === block).length;
  return { rows, next: { block, skip: blockRows + (block === from.block ? from.skip : 0) } };
}

function rowsIn(
  { ask }: WarehouseSession,
  { table, columns, condition, within }: RowList,
  part: {
    readonly low: number;
    readonly high: number;
    readonly skip: number;
    readonly count: number;
  },
): Promise<readonly QueryRow[]> {
  const { sql, values } = condition;
  const n = values.length;
  return ask(
    `SELECT ${columns} FROM ${table}
     WHERE ${sql} AND block_number BETWEEN $${n + 1}::BIGINT AND $${n + 2}::BIGINT
     ORDER BY block_number DESC, ${within}
     LIMIT ${part.count} OFFSET ${part.skip}`,
    ...values,
    BigInt(part.low),
    BigInt(part.high),
  );
}

/** The legs that a filter lists. */
export function activityList(filter: ActivityFilter): RowList {
  return {
    table: ledgerTable(filter.chain),
    columns: `block_number, block_time, tx_hash, leg, direction, counterparty, symbol,
      token_address, token_id, token_standard, amount_text, signed_text, tx_status,
      coverage_status`,
    condition: conditionOf(filter),
    within: `tx_hash, leg, direction, token_address NULLS FIRST, token_id, counterparty,
      amount_text, tx_status`,
  };
}
