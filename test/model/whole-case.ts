import type { ServiceSettings } from '../../service/src/settings/settings.ts';
import type { Axis, Endpoint } from '../../src/catalogue/entry.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { PipelineRequest } from '../../src/pipeline/requests.ts';
import type { BlockBounds } from '../../src/pipeline/syntax/block-range.ts';
import type { Chance } from './chance.ts';
import { faultsOf, withReplicasAndEmpties } from './faults-case.ts';
import { type Faults, NO_FAULTS } from './faulty-wire.ts';
import { BY_HEIGHT, type Dish, FOLLOWS, MENU, PIPELINE } from './menu.ts';
import type { KeysGiven } from './model-run.ts';
import { ADDRESSES, type ChainShape, TOKENS } from './small-chain.ts';

/** A case: a chain, a service of it, and a history of runs, all from one seed. */

export interface RunCase {
  readonly pipeline: Pipeline;
  readonly keys: KeysGiven;
  readonly workers: number;
  readonly batch: number;
  readonly diesAfter?: number;
  readonly faults: Faults;
  /** How often a request finds the chain grown by a block. */
  readonly growth: number;
  /** Requests after which lists are in another order. */
  readonly flipsAfter?: number;
  /** Most turns that a request takes, either way. */
  readonly turns: number;
  /** Before the run: blocks that come, and minutes that pass. */
  readonly blocksBefore: number;
  readonly minutesBefore: number;
}

export interface WholeCase {
  readonly theme: string;
  readonly shape: ChainShape;
  /** Blocks above the base when the first run begins. */
  readonly blocks: Readonly<Record<Axis, number>>;
  readonly settings: ServiceSettings;
  /** The pipeline believes in a larger record cap than the service has. */
  readonly isHidden: boolean;
  /** Closed lists begin with the oldest record. */
  readonly isReversed: boolean;
  readonly runs: readonly RunCase[];
}

const THEMES: readonly (readonly [theme: string, weight: number, dishes: readonly Dish[]])[] = [
  ['transactions', 5, ['transactions', 'transactions', 'transactionsBySide']],
  ['internal', 5, ['internal']],
  ['transfers', 4, ['transfers', 'transfersBySide']],
  ['year', 2, ['yearOfTransactions', 'transactionsEitherWay']],
  ['addresses', 2, ['transactions', 'internal', 'transfers']],
  ['token', 4, ['transfersOfToken']],
  ['blocks', 1, ['blockList', 'blocksEitherWay', 'blockFills']],
  ['in blocks', 2, ['transactionsOfBlocks', 'internalOfBlocks', 'transfersOfBlocks']],
  ['ranking', 2, ['holders']],
  ['zone', 4, ['zoneTransactions', 'zoneTransactions', 'zoneTransactionsOfAddress']],
  ['zone blocks', 1, ['zoneBlocks', 'zoneTransactionsOfBlocks']],
  ['crossings', 3, ['crossings', 'crossingsOfAddress']],
];

const CAPS = [12, 20, 20, 25, 40] as const;
/** A moving list is asked for in pages of 20 at least. */
const CAPS_OF_TOKENS = [25, 40] as const;
const PAGE_SIZES = [2, 3, 5, 7, 7, 10, 10, 20, 50] as const;
const BASES = [0, 9_970, 19_985, 123_400] as const;

/** `later`: for traits that came later, so that cases keep those that they had before. */
export function wholeCase(chance: Chance, later: Chance): WholeCase {
  const [theme, wanted] = dishesOf(chance);
  // Lists whose depth is their definition have no other cap.
  const isDeep = theme === 'blocks' || theme === 'ranking';
  const caps = theme === 'token' ? CAPS_OF_TOKENS : CAPS;
  const recordCap = chance.is(0.25) || isDeep ? 10_000 : chance.pick(caps);
  const isPerMatch = chance.is(0.4);
  // How long such a list is says its total, and not the number of its pages.
  const isHidden = recordCap < 10_000 && theme !== 'token' && chance.is(0.3);
  const dishes = wanted.filter((dish) => !isHidden || !UNCOUNTED.has(dish));
  const isPrimary = dishes.some((dish) => axisOf(dish) === 'primary');
  const isZone = dishes.some((dish) => axisOf(dish) === 'zone');
  const lag = chance.between(0, 5);
  const base = chance.pick(BASES);
  // A moving list is asked for in pages of 20 at least, and should have several.
  const span = theme === 'token' ? chance.between(20, 60) : chance.between(5, 24);
  const isYear = theme === 'year';
  const shape: ChainShape = {
    datasets: datasetsOf(dishes),
    base,
    zoneBase: chance.pick(BASES),
    burst: burstOf(recordCap, theme, isHidden ? (isPerMatch ? 2 : 1) : undefined),
    // A year may be shorter than what is asked, but is longer than anything a run grows by.
    blockMs: isYear && chance.is(0.7) ? YEAR_MS / chance.pick([8, 12, 20, 30, 40]) : 12_000,
    latest: { primary: lag + 1, zone: lag + 1 },
    latePercent: chance.pick([0, 0, 30, 60]),
  };
  const settings: ServiceSettings = {
    recordCap,
    capStyle: chance.pick(['empty', 'clamp', 'error']),
    endReading: chance.pick(['inclusive', 'exclusive']),
    perMatchListing: isPerMatch,
  };
  const isSticky = chance.is(0.12);
  const answers = { recordCap, isHidden, isPerMatch, isSticky };
  const kit = { chance, later, dishes, shape, span, lag, ...answers };
  const isReversed = chance.is(0.3);
  const runs = Array.from({ length: chance.pick([1, 1, 1, 2, 2, 3]) }, () => runCase(kit));
  const blocks = { primary: isPrimary ? span : 0, zone: isZone ? span : 0 };
  return {
    theme,
    shape,
    blocks,
    settings,
    isHidden,
    isReversed,
    runs: [...runs, lastRun(kit)],
  };
}

/** Records of the fullest blocks; `copies` of each are listed where nobody knows the cap. */
function burstOf(recordCap: number, theme: string, copies: number | undefined): number {
  // What the newest block of a token's list hides, no amount can split.
  if (recordCap === 10_000 || theme === 'token') return 8;
  // Of one height nothing can be counted in halves, so it must not hide more than is shown.
  return copies === undefined ? recordCap : recordCap / copies - 7;
}

export function isFaulty({ faults: { slips, lies } }: RunCase): boolean {
  return slips.length + Object.keys(lies).length > 0;
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

function dishesOf(chance: Chance): [string, Dish[]] {
  const total = THEMES.reduce((sum, [, weight]) => sum + weight, 0);
  let draw = chance.next() * total;
  const [theme, , dishes] =
    THEMES.find(([, weight]) => {
      draw -= weight;
      return draw < 0;
    }) ??
    THEMES[0] ??
    [];
  if (theme === undefined || dishes === undefined) throw new Error('there is no theme');
  const picked = new Set(theme === 'addresses' ? chance.some(dishes, 2) : [chance.pick(dishes)]);
  for (const dish of [...picked]) {
    for (const following of FOLLOWS[dish] ?? []) if (chance.is(0.25)) picked.add(following);
  }
  return [theme, [...picked]];
}

function axisOf(dish: Dish): Axis {
  return MENU[dish].entry.axis;
}

function datasetsOf(dishes: readonly Dish[]): ReadonlySet<string> {
  const datasets = new Set(dishes.map((dish) => MENU[dish].dataset));
  // Hashes of internal records are looked up as transactions.
  if (datasets.has('internal_transactions')) datasets.add('transactions');
  return datasets;
}

interface CaseKit {
  readonly chance: Chance;
  readonly later: Chance;
  readonly dishes: readonly Dish[];
  readonly shape: ChainShape;
  readonly span: number;
  readonly lag: number;
  /** The service's own; hidden where the pipeline believes in a larger one. */
  readonly recordCap: number;
  readonly isHidden: boolean;
  readonly isPerMatch: boolean;
  readonly isSticky: boolean;
}

function runCase(kit: CaseKit): RunCase {
  const { chance, later, dishes, shape, span } = kit;
  const isFaulty = chance.is(0.6);
  const from = chance.between(0, span);
  const to = chance.pick<BlockBounds['to']>(['safe', 'head', from + chance.between(0, span)]);
  const boundsFrom = (base: number): BlockBounds => ({
    from: base + from,
    to: typeof to === 'number' ? base + to : to,
  });
  const bounds = { blocks: boundsFrom(shape.base), zoneBlocks: boundsFrom(shape.zoneBase) };
  const picks = chance.is(0.7) ? dishes : chance.some(dishes);
  const pipeline = pipelineOf(kit, picks, bounds);
  const faults = (): Faults => faultsOf({ ...kit, pageSizes: sizesOf(pipeline) });
  return {
    pipeline,
    keys: { addresses: chance.some(ADDRESSES), tokens: chance.some(TOKENS) },
    workers: chance.is(0.6) ? 1 : chance.between(2, 4),
    batch: chance.between(1, 6),
    ...(chance.is(0.1) ? { diesAfter: chance.between(0, 6) } : {}),
    faults: withReplicasAndEmpties(isFaulty ? faults() : NO_FAULTS, later),
    // No run lasts as long as blocks that are days apart.
    growth: chance.is(0.5) && shape.blockMs < DAY_MS ? chance.pick([0.03, 0.1, 0.3]) : 0,
    ...(chance.is(0.3) ? { flipsAfter: chance.between(2, 30) } : {}),
    turns: chance.is(0.5) ? 0 : chance.between(1, 9),
    blocksBefore: chance.is(0.6) ? chance.between(0, 6) : 0,
    minutesBefore: chance.is(0.5) ? 0 : 2_000,
  };
}

function sizesOf({ requests }: Pipeline): number[] {
  return requests
    .flatMap((request) => [request, ...request.alternatives])
    .flatMap(({ pageSize }) => pageSize ?? []);
}

/** Everything is asked, and nothing goes wrong or moves. */
function lastRun(kit: CaseKit): RunCase {
  const { shape, chance, dishes } = kit;
  const bounds = {
    blocks: { from: shape.base, to: 'safe' as const },
    zoneBlocks: { from: shape.zoneBase, to: 'safe' as const },
  };
  return {
    pipeline: pipelineOf(kit, dishes, bounds),
    keys: { addresses: ADDRESSES, tokens: TOKENS },
    workers: chance.between(1, 2),
    batch: chance.between(1, 6),
    faults: NO_FAULTS,
    growth: 0,
    // Answers may overtake each other all the same.
    turns: chance.is(0.5) ? 0 : chance.between(1, 9),
    blocksBefore: chance.between(0, 4),
    minutesBefore: 2_000,
  };
}

function pipelineOf(
  { chance, later, shape, span, lag, recordCap, isHidden }: CaseKit,
  dishes: readonly Dish[],
  bounds: Pick<Pipeline, 'blocks' | 'zoneBlocks'>,
): Pipeline {
  // Heights asked one by one are few, and the same in all runs.
  const first = shape.base + (span >> 1);
  const firstOfZone = shape.zoneBase + (span >> 1);
  const requests = dishes.map((dish): PipelineRequest => {
    const request = MENU[dish];
    const low = axisOf(dish) === 'primary' ? first : firstOfZone;
    const blocks = { from: low, to: low + 7 };
    return {
      ...paged(request, chance.pick(PAGE_SIZES)),
      alternatives: request.alternatives.map((route) => paged(route, chance.pick(PAGE_SIZES))),
      ...(BY_HEIGHT.has(dish) ? { blocks } : {}),
    };
  });
  return {
    ...PIPELINE,
    ...bounds,
    source: {
      ...PIPELINE.source,
      recordCap: isHidden ? 10_000 : recordCap,
      finalityLagBlocks: lag,
      finalityLagZoneBlocks: lag,
    },
    requests,
    proof: later.is(0.3) ? 'strict' : 'standard',
    windowBlocks: chance.pick([7, 10_000, 10_000]),
    groupSize: chance.pick([1, 2, 3, 20]),
    order: chance.pick(['oldest-first', 'newest-first']),
  };
}

function paged<R extends { readonly entry: Endpoint; readonly pageSize?: number | undefined }>(
  route: R,
  size: number,
): R {
  const most = route.entry.limits.pageSize?.max;
  return most === undefined ? route : { ...route, pageSize: Math.min(size, most) };
}

/** Lists whose records nothing counts where the pipeline does not know the cap. */
const UNCOUNTED: ReadonlySet<Dish> = new Set<Dish>(['transfersByHash']);
