import { findEndpoint } from '../../catalogue/index.ts';
import { isAskedByHash } from '../../coverage/list.ts';
import { type Interval, normalise } from '../../coverage/ranges.ts';
import type { Line } from './actions.ts';
import { type CoverageClaim, type KeyNames, readClaims } from './claims.ts';
import type { NumberedLine } from './log-entry.ts';

/** Height beyond every chain. */
const NO_END = Number.MAX_SAFE_INTEGER;
export const EVERY_HEIGHT: readonly Interval[] = [{ from: 0, to: NO_END }];

/** Hashes that were looked up among the transactions of some heights. */
export interface LookedUp extends Interval {
  readonly hashes: readonly string[];
}

/** The heights and transactions that entries of a log changed. */
export interface Changes {
  /** Heights at which rows or coverage changed, sorted and disjoint. */
  readonly heights: readonly Interval[];
  /** Transactions that changed at other heights, by their hashes. */
  readonly lookedUp: readonly LookedUp[];
}

export const EVERYTHING: Changes = { heights: EVERY_HEIGHT, lookedUp: [] };

/** Operations that change rows at the heights of their coverage alone, or not at all. */
const OWN_OPERATIONS = [
  'WINDROW COMMIT',
  'WINDROW REORGANISATION',
  'WINDROW FORGET',
  'WINDROW UPGRADE',
  'OPTIMIZE',
];

/**
 * The heights and transactions that the entries changed. A commit of windrow changes rows only at
 * the heights of the coverage that it carries or removes. The interval of a look-up by hash is that
 * of the list in which the hash was found, and only the transactions with these hashes change.
 * `names` are the keys of the whole log.
 * Other programs may rearrange files, which changes nothing; if they add or remove data, every
 * height may have changed.
 */
export function changesIn(entries: readonly (readonly NumberedLine[])[], names: KeyNames): Changes {
  const heights: Interval[] = [];
  const lookedUp: LookedUp[] = [];
  for (const lines of entries) {
    const parsed = lines.map((line) => line.parsed);
    const info = parsed.find(({ commitInfo }) => commitInfo !== undefined)?.commitInfo;
    const ledger = info?.windrow;
    if (ledger === undefined || !OWN_OPERATIONS.includes(info?.operation ?? '')) {
      if (parsed.some(changesData) || ledger !== undefined) return EVERYTHING;
      continue;
    }
    const { coverage, claims: stored, forgotten } = ledger;
    const claims = stored === undefined ? coverage : readClaims(stored, names).claims;
    for (const claim of [...claims, ...forgotten]) {
      const { from, to, keys } = claim;
      if (isLookUp(claim)) lookedUp.push({ from, to, hashes: keys });
      else heights.push({ from, to });
    }
    for (const { height } of ledger.reorganisations) heights.push({ from: height, to: NO_END });
  }
  return { heights: normalise(heights), lookedUp };
}

/** False for endpoints that the catalogue no longer has: their intervals are taken as they are. */
function isLookUp({ endpoint }: Pick<CoverageClaim, 'endpoint'>): boolean {
  return findEndpoint(endpoint) !== undefined && isAskedByHash({ endpoint });
}

function changesData({ add, remove }: Line): boolean {
  return [add, remove].some((action) => action !== undefined && action.dataChange !== false);
}
