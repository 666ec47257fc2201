import type { QueryRow } from '../../../../src/load/query/query.ts';
import { type ActivityFilter, type Condition, conditionOf } from './activity-filter.ts';
import { numberIn, textIn } from './cells.ts';
import { amountTextOf } from './exact-amount.ts';
import { andTokens, MOST_SUMS, type NetSum, netSums } from './net-sums.ts';
import type { WarehouseSession } from './warehouse-reader.ts';

type Ledger = Pick<ActivityFilter, 'address' | 'chain'>;
type Token = string | undefined;

/** The sums of all legs of an address, by token. They are kept for its other pages. */
export function netTotals(session: WarehouseSession, ledger: Ledger): Promise<readonly NetSum[]> {
  const { address, chain } = ledger;
  const condition = conditionOf({ address, chain });
  return session.kept(`totals ${chain} ${address}`, () => netSums(session, chain, condition));
}

/**
 * For each row, the net sum of its token after its block; legs of one block count together. The
 * rows must be all legs of their tokens between their first and their last block. Undefined for
 * legs whose token is unknown.
 */
export async function balancesAfter(
  session: WarehouseSession,
  filter: ActivityFilter,
  rows: readonly QueryRow[],
): Promise<(string | undefined)[]> {
  if (rows.length === 0) return [];
  const { address, chain } = filter;
  const blocks = rows.map((row) => numberIn(row, 'block_number') ?? 0);
  const [high, low] = [Math.max(...blocks), Math.min(...blocks)];
  const tokens = [...new Set(rows.map((row) => textIn(row, 'token_address')))];
  const atEnd = await netUpTo(session, filter, high, tokens);
  const condition = andTokens(
    conditionOf({ address, chain, from: { block: low }, to: { block: high } }),
    tokens,
  );
  const sums = await netSums(session, chain, condition, true);
  return rows.map((row, i) => {
    const token = textIn(row, 'token_address');
    const end = atEnd.get(token);
    if (end === undefined || !hasKnownToken(filter, token)) return undefined;
    const later = sums.filter((sum) => sum.token === token && (sum.block ?? 0) > (blocks[i] ?? 0));
    return amountTextOf(later.reduce((left, { units }) => left - units, end));
  });
}

/**
 * The net of these tokens after a block, from the legs on the shorter side of it. Tokens without
 * totals are left out.
 */
async function netUpTo(
  session: WarehouseSession,
  { address, chain }: Ledger,
  block: number,
  tokens: readonly Token[],
): Promise<ReadonlyMap<Token, bigint>> {
  const all = await netTotals(session, { address, chain });
  const unitsIn = async (legs: Condition): Promise<ReadonlyMap<Token, bigint>> => {
    // To compare the token of each leg takes longer than to add the amounts of all.
    const condition = all.length < MOST_SUMS ? legs : andTokens(legs, tokens);
    const sums = await netSums(session, chain, condition);
    return new Map(sums.map(({ token, units }) => [token, units]));
  };
  const from = Math.min(...all.map((sum) => sum.from));
  const to = Math.max(...all.map((sum) => sum.to));
  const totals = all.filter(({ token }) => tokens.includes(token));
  if (block - from < to - block) {
    const older = await unitsIn(conditionOf({ address, chain, to: { block } }));
    return new Map(totals.map(({ token }) => [token, older.get(token) ?? 0n]));
  }
  const newer =
    block >= to
      ? new Map<Token, bigint>()
      : await unitsIn(conditionOf({ address, chain, from: { block: block + 1 } }));
  return new Map(totals.map(({ token, units }) => [token, units - (newer.get(token) ?? 0n)]));
}

/** Legs of the zone chain without a token may have moved any token. */
export function hasKnownToken({ chain }: Ledger, token: Token): boolean {
  return chain === 'primary' || token !== undefined;
}
