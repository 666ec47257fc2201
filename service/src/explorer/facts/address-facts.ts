import type { QueryRow } from '../../../../src/load/query/query.ts';
import { type ActivityFilter, conditionOf, isWithoutGaps, ledgerTable } from './activity-filter.ts';
import { activityList, type Extent, extentOf, type ListPlace, rowsFrom } from './activity-rows.ts';
import { textIn } from './cells.ts';
import { type AddressCoverage, addressCoverage } from './coverage.ts';
import { amountTextOf } from './exact-amount.ts';
import { namesOf, type ShownNames } from './names.ts';
import { type NetSum, symbolsOf } from './net-sums.ts';
import { balancesAfter, hasKnownToken, netTotals } from './running-balance.ts';
import type { WarehouseSession } from './warehouse-reader.ts';

/** The activity of an address on one chain. */
export interface AddressFacts {
  readonly filter: ActivityFilter;
  readonly coverage: AddressCoverage;
  /** The tokens with most legs. */
  readonly nets: readonly TokenNet[];
  readonly tokens: number;
  /** The rows that meet the filter. */
  readonly extent: Extent;
  readonly place: ListPlace | undefined;
  readonly rows: readonly QueryRow[];
  readonly next: ListPlace | undefined;
  /** For each row, the net of its token after its block; undefined if the filter leaves gaps. */
  readonly balances: readonly (string | undefined)[] | undefined;
  readonly names: ShownNames;
}

export interface TokenNet {
  readonly sum: NetSum;
  readonly netText: string;
  readonly symbol: string | undefined;
  /** Whether the address is known to have had nothing before the first exported block. */
  readonly opensAtZero: boolean;
}

const ACTIVITY_ROWS = 50;
const MOST_NETS = 12;

export async function addressFacts(
  session: WarehouseSession,
  filter: ActivityFilter,
  place: ListPlace | undefined,
): Promise<AddressFacts> {
  const { ask } = session;
  const list = activityList(filter);
  const coverage = await addressCoverage(ask, filter.address, filter.chain);
  const totals = await netTotals(session, filter);
  const extent = wholeExtent(filter, totals) ?? (await extentOf(session, list));
  const { rows, next } = await rowsFrom(session, list, extent, place, ACTIVITY_ROWS);
  const sums = totals.filter(({ token }) => hasKnownToken(filter, token));
  const shown = sums.slice(0, MOST_NETS);
  const balances = isWithoutGaps(filter) ? await balancesAfter(session, filter, rows) : undefined;
  const { address, chain } = filter;
  const symbols = await symbolsOf(session, chain, conditionOf({ address, chain }), shown);
  const complete = await completeTokens(session, filter, coverage, shown);
  const named = rows.flatMap((row) => [textIn(row, 'counterparty'), textIn(row, 'token_address')]);
  const names = await namesOf(ask, [filter.address, ...named, ...shown.map(({ token }) => token)]);
  return {
    filter,
    coverage,
    nets: shown.map((sum) => {
      const opensAtZero = complete.has(sum.token) && sum.units >= 0n;
      const symbol = symbols.get(sum.token);
      return { sum, netText: amountTextOf(sum.units), symbol, opensAtZero };
    }),
    tokens: sums.length,
    extent,
    place,
    rows,
    next,
    balances,
    names,
  };
}

/** The extent of a list without a filter follows from its sums. */
function wholeExtent(filter: ActivityFilter, totals: readonly NetSum[]): Extent | undefined {
  const { leg, direction, token, from, to } = filter;
  if ([leg, direction, token, from, to].some((field) => field !== undefined)) return undefined;
  return {
    rows: totals.reduce((sum, { legs }) => sum + legs, 0),
    from: Math.min(...totals.map((total) => total.from)),
    to: Math.max(-1, ...totals.map((total) => total.to)),
  };
}

/**
 * The tokens whose legs are all complete from block 0 on, as in the view token_balances. Addresses
 * may own native tokens before block 0, and actions of the zone chain may move amounts that no
 * record names.
 */
async function completeTokens(
  { ask }: WarehouseSession,
  { address, chain }: ActivityFilter,
  { complete }: AddressCoverage,
  sums: readonly NetSum[],
): Promise<ReadonlySet<string | undefined>> {
  const fromGenesis = complete.find(({ from }) => from === 0);
  if (chain !== 'primary' || fromGenesis === undefined) return new Set();
  const rows = await ask(
    `SELECT DISTINCT token_address FROM ${ledgerTable(chain)}
     WHERE address = $1::VARCHAR AND coverage_status <> 'complete' LIMIT 10000`,
    address,
  );
  const open = new Set(rows.map((row) => textIn(row, 'token_address')));
  const isComplete = ({ token, to }: NetSum): boolean =>
    token !== undefined && to <= fromGenesis.to && !open.has(token);
  return new Set(sums.filter(isComplete).map(({ token }) => token));
}
