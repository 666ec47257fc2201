import { type SimulatedChain, simulatedChain } from '../../service/src/simulated/chain.ts';
import type { Axis } from '../../src/catalogue/entry.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import type { Interval } from '../../src/coverage/ranges.ts';
import { Chance } from './chance.ts';
import { type FilterValues, LIST_NAMES, type ListName, listNamed } from './specified-lists.ts';

/** An export from a seed: a chain, what is asked of it, and of which blocks. */

export interface Specification {
  readonly seed: number;
  /** Its records are computed once. */
  readonly chain: SimulatedChain;
  readonly lists: readonly ListName[];
  /** Lower-case, sorted and unique. */
  readonly addresses: readonly string[];
  readonly tokens: readonly string[];
  readonly blocks: Interval;
  readonly zoneBlocks: Interval;
  /** The pipeline file. */
  readonly text: string;
}

const MOST_BLOCKS = 3_000;
const LEAST_BLOCKS = 50;
/** Of all addresses together, so that an export stays small. */
const MOST_KEY_BLOCKS = 30_000;
/** Where windows of 3,333 and of 10,000 blocks begin; most ranges cross one or touch it. */
const STARTS = [3_333, 6_666, 9_999, 10_000, 10_000, 19_998, 20_000, 30_000] as const;
/** Of chains of which every height below is computed. */
const LOW_STARTS = [0, 0, 3_333] as const;
const ZONE_STARTS = [0, 3_333, 6_666, 10_000] as const;
const ADDRESS_COUNTS = [1, 2, 3, 5, 7, 8, 12, 19, 20, 21, 23, 25] as const;
/** A zone block comes every 100 ms, and a primary one every 12 s. */
const ZONE_PER_PRIMARY = 120;
const LAG = 12;
const ZONE_LAG = 150;

/** Lists that are asked window by window. */
const WINDOWED: Readonly<Record<Axis, readonly ListName[]>> = {
  primary: ['transactions', 'internal'],
  zone: ['zoneTransactions'],
};

/** The specification of a seed. Seeds in a row ask every list in turn. */
export function specification(seed: number): Specification {
  const chance = new Chance(seed);
  const lists = listsOf(seed, chance);
  const addressCount = chance.pick(ADDRESS_COUNTS);
  const isDeep = lists.some((name) => listNamed(name).isDeep === true);
  const blocks = rangeOf(chance, chance.pick(isDeep ? LOW_STARTS : STARTS), addressCount);
  const zoneBlocks = rangeOf(chance, chance.pick(ZONE_STARTS), addressCount);
  const head = blocks.to + LAG + chance.between(1, 60);
  const zoneBirth = Math.ceil((zoneBlocks.to + ZONE_LAG) / ZONE_PER_PRIMARY) + chance.between(1, 9);
  const chain = remembered(
    simulatedChain({
      seed: `specification ${seed}`,
      head: Math.max(head, zoneBirth),
      zoneStart: Math.max(head, zoneBirth) - zoneBirth,
    }),
  );
  const named = namedIn(chain, zoneBlocks);
  const isZone = lists.some((name) => listNamed(name).axis === 'zone');
  const known = [...(isZone ? named.parties : []), ...chain.addresses(60)];
  const addresses = [...new Set(picked(chance, known, addressCount))].sort();
  const tokens = picked(chance, chain.tokens.map(({ address }) => address).slice(0, 5), 2).sort();
  const of = { seed, chain, lists, addresses, tokens, blocks, zoneBlocks };
  const values = { ...named, tokens: chain.tokens.map(({ address }) => address) };
  return { ...of, text: pipelineText(of, chance, values) };
}

/** The seed's own list, some others of its axis, and what finds their hashes. */
function listsOf(seed: number, chance: Chance): ListName[] {
  const own = LIST_NAMES[seed % LIST_NAMES.length];
  if (own === undefined) throw new Error('there are no lists');
  const { axis } = listNamed(own);
  const others = LIST_NAMES.filter((name) => chance.is(0.1) || listNamed(name).axis === axis);
  const lists = new Set<ListName>([own, ...picked(chance, others, chance.between(0, 2))]);
  if (chance.is(0.6)) lists.add(chance.pick(WINDOWED[axis]));
  for (const name of [...lists]) {
    const { finds = [] } = listNamed(name);
    if (finds.length > 0 && !finds.some((each) => lists.has(each))) lists.add(chance.pick(finds));
  }
  return LIST_NAMES.filter((name) => lists.has(name));
}

function rangeOf(chance: Chance, start: number, addresses: number): Interval {
  const most = Math.min(MOST_BLOCKS, Math.floor(MOST_KEY_BLOCKS / addresses));
  const count = Math.round(LEAST_BLOCKS * (most / LEAST_BLOCKS) ** Math.sqrt(chance.next()));
  // A range is aligned with a window, or lies anywhere.
  const before = chance.is(0.25) ? chance.pick([0, count]) : chance.between(-300, count);
  const from = Math.max(0, start - before);
  return { from, to: from + count - 1 };
}

/** So many of them at most, in no order. */
function picked<T>(chance: Chance, from: readonly T[], count: number): T[] {
  const left = [...from];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(chance.between(0, left.length - 1), 1));
  }
  return taken;
}

/** The chain, which computes the records of a height once. */
function remembered(chain: SimulatedChain): SimulatedChain {
  const { zone } = chain;
  return {
    ...chain,
    recordsAt: once(chain.recordsAt),
    zone: { ...zone, recordsAt: once(zone.recordsAt) },
  };
}

function once<T>(recordsAt: (height: number) => T): (height: number) => T {
  const known = new Map<number, T>();
  return (height) => {
    const records = known.get(height) ?? recordsAt(height);
    known.set(height, records);
    return records;
  };
}

const USER_COLUMNS = ['from_address'];
const PARTY_COLUMNS = ['from_address', 'to_address', 'source_address', 'target_address'];

/** Some of what the range of the zone chain names. */
function namedIn({ zone }: SimulatedChain, { from, to }: Interval) {
  const parties = new Set<string>();
  const signers = new Set<string>();
  const destinations = new Set<string>();
  const tokens = new Set<string>();
  const add = (set: Set<string>, record: CanonicalRecord, columns: readonly string[]): void => {
    for (const column of columns) {
      const named = String(record[column] ?? '');
      if (/^0x[0-9a-f]{40}$/.test(named)) set.add(named);
    }
  };
  for (let height = from; height <= to; height += 1) {
    const { zone_transactions: actions, cross_chain_transfers: crossings } = zone.recordsAt(height);
    if (parties.size < 20) for (const record of actions) add(parties, record, USER_COLUMNS);
    for (const record of crossings) {
      add(parties, record, PARTY_COLUMNS);
      add(signers, record, ['from_address']);
      add(destinations, record, ['to_address']);
      add(tokens, record, ['token_address']);
    }
  }
  return {
    parties: [...parties].slice(0, 40),
    signers: [...signers],
    destinations: [...destinations],
    tokensOfZone: [...tokens],
  };
}

/** JSON is YAML, and what follows from a seed is easier to write so. */
function pipelineText(
  of: Omit<Specification, 'text'>,
  chance: Chance,
  values: FilterValues,
): string {
  const { lists, addresses, tokens, blocks, zoneBlocks } = of;
  const keys: Record<string, unknown> = {
    addresses: { list: addresses },
    tokens: { list: tokens },
  };
  const datasets: Record<string, unknown[]> = {};
  const whole: Readonly<Record<Axis, Interval>> = { primary: blocks, zone: zoneBlocks };
  for (const name of lists) {
    const list = listNamed(name);
    const found = list.finds === undefined ? undefined : foundBy(list.finds, lists, chance);
    if (found !== undefined) keys[foundSet(name)] = found;
    const keySet = found === undefined ? list.keys : foundSet(name);
    const { each, where = {} } = list.filters?.(chance, values) ?? {};
    const requests = datasets[list.dataset] ?? [];
    datasets[list.dataset] = requests;
    requests.push({
      endpoint: list.endpoint,
      ...(keySet === undefined ? {} : { keys: keySet }),
      ...(each === undefined ? {} : { each }),
      ...(Object.keys(where).length === 0 ? {} : { where }),
      ...(list.mostBlocks === undefined
        ? {}
        : { blocks: partOf(chance, whole[list.axis], list.mostBlocks) }),
    });
  }
  return JSON.stringify({
    version: 1,
    name: `specification-${of.seed}`,
    source: {
      url: 'http://127.0.0.1:1',
      chain: 'MAINCHAIN',
      credentials: 'none',
      finalityLagBlocks: LAG,
      finalityLagZoneBlocks: ZONE_LAG,
      rate: { startPerSecond: 5_000, maxPerSecond: 5_000 },
    },
    keys,
    blocks,
    zoneBlocks,
    commit: { rows: 50_000, slices: 500, seconds: 60 },
    datasets,
  });
}

function foundSet(name: ListName): string {
  return `of-${name.toLowerCase()}`;
}

function foundBy(finds: readonly ListName[], lists: readonly ListName[], chance: Chance) {
  const finders = finds.filter((name) => lists.includes(name)).map(listNamed);
  const from = [...new Set(finders.map(({ dataset }) => dataset))];
  const isUnsettled = from.includes('transactions') && chance.is(0.4);
  return {
    from,
    ...(chance.is(0.5) ? { by: [...new Set(finders.map(({ endpoint }) => endpoint))] } : {}),
    ...(isUnsettled ? { without: 'tx_status' } : {}),
  };
}

function partOf(chance: Chance, { from, to }: Interval, mostBlocks: number): Interval {
  const first = chance.between(from, Math.max(from, to - mostBlocks));
  return { from: first, to: Math.min(to, first + chance.between(1, mostBlocks) - 1) };
}
