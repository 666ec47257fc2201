import type { KeyKind } from '../../catalogue/entry.ts';
import { paramOf } from '../../catalogue/index.ts';
import { findList, isAskedByHash } from '../../coverage/list.ts';
import { type Interval, normalise } from '../../coverage/ranges.ts';
import type { Line } from './actions.ts';
import { type CoverageClaim, type KeyNames, readClaims } from './claims.ts';
import type { NumberedLine } from './log-entry.ts';

/** Height beyond every chain. */
const NO_END = Number.MAX_SAFE_INTEGER;
export const EVERY_HEIGHT: readonly Interval[] = [{ from: 0, to: NO_END }];

/** Keys of one kind, and the heights among which their records, and no others, changed. */
export interface KeyedChange extends Interval {
  readonly kind: KeyKind;
  readonly keys: readonly string[];
  /** Whether files were removed with the change, so rows may have gone. */
  readonly hasRemovals: boolean;
}

/** The heights and keys that entries of a log changed. */
export interface Changes {
  /** Heights at which the rows or coverage of any key changed, sorted and disjoint. */
  readonly heights: readonly Interval[];
  /** Keys whose rows or coverage changed at other heights. */
  readonly keyed: readonly KeyedChange[];
}

export const EVERYTHING: Changes = { heights: EVERY_HEIGHT, keyed: [] };

/** All heights of the changes, apart from those of look-ups by hash. */
export function listedHeights({ heights, keyed }: Changes): Interval[] {
  return normalise([...heights, ...keyed.filter(({ kind }) => kind !== 'transaction')]);
}

/** Operations that change rows at the heights of their coverage alone, or not at all. */
const OWN_OPERATIONS = [
  'WINDROW COMMIT',
  'WINDROW REORGANISATION',
  'WINDROW FORGET',
  'WINDROW UPGRADE',
  'OPTIMIZE',
];

/**
 * The heights and keys that the entries changed. A commit of windrow changes rows only at the
 * heights and of the keys whose coverage it carries or removes. The interval of a look-up by hash
 * is that of the list in which the hash was found. `names` are the keys of the whole log.
 * Other programs may rearrange files, which changes nothing; if they add or remove data, every
 * height may have changed.
 */
export function changesIn(entries: readonly (readonly NumberedLine[])[], names: KeyNames): Changes {
  const heights: Interval[] = [];
  const keyed: KeyedChange[] = [];
  for (const lines of entries) {
    const parsed = lines.map((line) => line.parsed);
    const info = parsed.find(({ commitInfo }) => commitInfo !== undefined)?.commitInfo;
    const ledger = info?.windrow;
    if (ledger === undefined || !OWN_OPERATIONS.includes(info?.operation ?? '')) {
      if (parsed.some(changesData) || ledger !== undefined) return EVERYTHING;
      continue;
    }
    const { claims: stored, forgotten } = ledger;
    const claims = stored === undefined ? [] : readClaims(stored, names).claims;
    const hasRemovals = parsed.some(({ remove }) => remove !== undefined);
    for (const claim of [...claims, ...forgotten]) {
      const { from, to, keys } = claim;
      const kind = keyKindOf(claim);
      if (kind === undefined) heights.push({ from, to });
      else keyed.push({ kind, keys, from, to, hasRemovals });
    }
    for (const { height } of ledger.reorganisations) heights.push({ from: height, to: NO_END });
  }
  return { heights: normalise(heights), keyed };
}

/**
 * The kind of the keys of a claim; undefined for lists without keys, and for endpoints that the
 * catalogue no longer has: all rows in their intervals may have changed.
 */
function keyKindOf(claim: Pick<CoverageClaim, 'endpoint' | 'variant'>): KeyKind | undefined {
  const list = findList(claim);
  if (list === undefined) return undefined;
  if (isAskedByHash(list)) return 'transaction';
  return list.keyColumns === undefined ? undefined : paramOf(list.entry, 'keys')?.keyKind;
}

function changesData({ add, remove }: Line): boolean {
  return [add, remove].some((action) => action !== undefined && action.dataChange !== false);
}
