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
  /** Exact, in units of service/src/explorer/facts/exact-amount.ts. */
  readonly units: bigint;
  readonly legs: number;
  /** Legs of which it is unknown what they moved; they are in no sum. */
  readonly unknownLegs: number;
  readonly from: number;
  readonly to: number;
}

/** Tokens that have a sum at most; those with most legs come first. */
export const MOST_SUMS = 10_000;

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
       exact_total(if(is_out, NULL, signed_amount), if(is_out, NULL, signed_text)) AS received,
       exact_total(if(is_out, -signed_amount, NULL), if(is_out, ltrim(signed_text, '-'), NULL))
         AS sent,
       min(block_number) AS low, max(block_number) AS high
     FROM (SELECT *, direction = 'out' AS is_out FROM ${ledgerTable(chain)} WHERE ${sql})
     GROUP BY ${keys} ORDER BY legs DESC, ${keys} LIMIT ${MOST_SUMS}`,
    ...values,
  );
  return rows.map((row) => ({
    token: textIn(row, 'token_address'),
    block: byBlock ? numberIn(row, 'block_number') : undefined,
    units: unitsOf(textIn(row, 'received') ?? '0') - unitsOf(textIn(row, 'sent') ?? '0'),
    legs: numberIn(row, 'legs') ?? 0,
    unknownLegs: numberIn(row, 'unknown_legs') ?? 0,
    from: numberIn(row, 'low') ?? 0,
    to: numberIn(row, 'high') ?? 0,
  }));
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
