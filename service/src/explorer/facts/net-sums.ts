import type { QueryRow } from '../../../../src/load/query/query.ts';
import { type Chain, type Condition, ledgerTable } from './activity-filter.ts';
import { numberIn, textIn } from './cells.ts';
import { unitsOf } from './exact-amount.ts';
import type { WarehouseSession } from './warehouse-reader.ts';

/** Sums of the legs of one token: what came in less what went out. */
export interface NetSum {
  /** undefined for the native token of the primary chain. */
  readonly token: string | undefined;
  /** Set for sums by block. */
  readonly block: number | undefined;
  /** Sum of the small amounts, in units of service/src/explorer/facts/exact-amount.ts. */
  readonly smallUnits: bigint;
  /** Legs whose amounts are not small: `restSums` adds them. */
  readonly largeLegs: number;
  /** Legs with small amounts of more than 18 decimals, which it adds, too. */
  readonly fineLegs: number;
  readonly legs: number;
  /** Legs of which it is unknown what they moved; they are in no sum. */
  readonly unknownLegs: number;
  readonly from: number;
  readonly to: number;
}

/** Tokens that have a sum at most; those with most legs come first. */
export const MOST_SUMS = 10_000;

/** DECIMAL(38,18) adds a thousand million amounts below this without an overflow. */
const SMALL = 'abs(signed_double) < 1e11';
const LARGE = 'abs(signed_double) >= 1e11';

/** Sums by token, and by block if `byBlock` is set; those with most legs come first. */
export async function netSums(
  { ask }: WarehouseSession,
  chain: Chain,
  { sql, values }: Condition,
  byBlock = false,
): Promise<NetSum[]> {
  const keys = byBlock ? 'token_address, block_number' : 'token_address';
  const rows = await ask(
    `SELECT ${keys}, count(*) AS legs, count(*) - count(signed_double) AS unknown_legs,
       sum(small) AS small, count(large) AS large,
       count(signed_double) - count(large) - count(small) AS fine,
       min(block_number) AS low, max(block_number) AS high
     FROM (
       SELECT token_address, block_number, signed_double,
         CASE WHEN ${SMALL} THEN signed_amount END AS small,
         CASE WHEN ${SMALL} THEN NULL ELSE signed_double END AS large
       FROM ${ledgerTable(chain)} WHERE ${sql}
     )
     GROUP BY ${keys} ORDER BY legs DESC, ${keys} LIMIT ${MOST_SUMS}`,
    ...values,
  );
  return rows.map((row) => ({
    token: textIn(row, 'token_address'),
    block: byBlock ? numberIn(row, 'block_number') : undefined,
    smallUnits: unitsOf(textIn(row, 'small') ?? '0'),
    largeLegs: numberIn(row, 'large') ?? 0,
    fineLegs: numberIn(row, 'fine') ?? 0,
    legs: numberIn(row, 'legs') ?? 0,
    unknownLegs: numberIn(row, 'unknown_legs') ?? 0,
    from: numberIn(row, 'low') ?? 0,
    to: numberIn(row, 'high') ?? 0,
  }));
}

/** Adds the amounts that are large or fine to these sums of the same condition. */
export async function exactUnits(
  session: WarehouseSession,
  chain: Chain,
  condition: Condition,
  sums: readonly NetSum[],
): Promise<bigint[]> {
  const partial = sums.filter(({ largeLegs, fineLegs }) => largeLegs + fineLegs > 0);
  const byBlock = sums.some(({ block }) => block !== undefined);
  const units = await restSums(session, chain, condition, partial, byBlock);
  return sums.map((sum) => sum.smallUnits + (units.get(keyOf(sum.token, sum.block)) ?? 0n));
}

/**
 * Reading texts costs more than adding numbers, so only the amounts that need it are read; large
 * ones are found by `signed_double` alone, in half the time.
 */
async function restSums(
  { ask }: WarehouseSession,
  chain: Chain,
  condition: Condition,
  of: readonly NetSum[],
  byBlock: boolean,
): Promise<ReadonlyMap<string, bigint>> {
  const tokens = [...new Set(of.map(({ token }) => token))];
  if (tokens.length === 0) return new Map();
  const keys = byBlock ? 'token_address, block_number' : 'token_address';
  const hasFine = of.some(({ fineLegs }) => fineLegs > 0);
  const { sql, values } = hasFine ? andTokens(condition, tokens) : condition;
  const rest = hasFine ? `(${LARGE} OR ${SMALL} AND signed_amount IS NULL)` : LARGE;
  const rows = await ask(
    `SELECT ${keys}, exact_sum(signed_text) AS rest FROM ${ledgerTable(chain)}
     WHERE ${sql} AND ${rest} GROUP BY ${keys}`,
    ...values,
  );
  const keyIn = (row: QueryRow): string =>
    keyOf(textIn(row, 'token_address'), byBlock ? numberIn(row, 'block_number') : undefined);
  return new Map(rows.map((row) => [keyIn(row), unitsOf(textIn(row, 'rest') ?? '0')]));
}

/**
 * A symbol of each of these tokens, from the legs of the first and last blocks of their sums: to
 * read the symbols of all legs takes as long as to add the amounts.
 */
export async function symbolsOf(
  { ask }: WarehouseSession,
  chain: Chain,
  condition: Condition,
  sums: readonly NetSum[],
): Promise<ReadonlyMap<string | undefined, string>> {
  if (sums.length === 0) return new Map();
  const blocks = [...new Set(sums.flatMap(({ from, to }) => [from, to]))];
  const { sql, values } = andTokens(
    condition,
    sums.map(({ token }) => token),
  );
  const rows = await ask(
    `SELECT token_address, min(symbol) AS symbol FROM ${ledgerTable(chain)}
     WHERE ${sql} AND block_number IN (${blocks.join(', ')}) GROUP BY token_address`,
    ...values,
  );
  return new Map(
    rows.flatMap((row) => {
      const symbol = textIn(row, 'symbol');
      return symbol === undefined ? [] : [[textIn(row, 'token_address'), symbol] as const];
    }),
  );
}

function keyOf(token = '', block = -1): string {
  return `${token} ${block}`;
}

/** The condition for legs of one of these tokens; `undefined` is the native token. */
export function andTokens(
  { sql, values }: Condition,
  tokens: readonly (string | undefined)[],
): Condition {
  const named = tokens.filter((token) => token !== undefined);
  const at = named.map((_, i) => `$${values.length + i + 1}::VARCHAR`);
  const either = [
    ...(named.length > 0 ? [`token_address IN (${at.join(', ')})`] : []),
    ...(named.length < tokens.length ? ['token_address IS NULL'] : []),
  ];
  return {
    sql: `${sql} AND (${either.length === 0 ? 'false' : either.join(' OR ')})`,
    values: [...values, ...named],
  };
}
