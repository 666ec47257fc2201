import fc from 'fast-check';
import type { Coverage, CoverageEntry } from '../../src/coverage/coverage.ts';
import type { Landable, Walk } from '../../src/land/rule/claim.ts';
import type { TableState } from '../../src/land/rule/merge.ts';
import { listNamed } from '../fixtures/lists.ts';
import { Chance } from './chance.ts';

/**
 * Random histories of a small chain and of the writers that export it. The same histories are
 * played against the table in memory and against the tables on disk.
 */

export const ENDPOINT = 'mainchain/address/internal-transaction-list-multi';
const KEYS = ['0xa', '0xb', '0xc', '0xd'] as const;
/** Heights below `head - LAG` are final, unless a deep reorganisation is played. */
const LAG = 3;

export interface ChainRecord extends Landable {
  /** Content: equal for records that are copies of each other. */
  readonly content: string;
}

export interface Store {
  state(): Promise<TableState>;
  /** The coverage that the commit contradicts. */
  commit(walks: readonly Walk<ChainRecord>[]): Promise<readonly CoverageEntry[]>;
  reorganised(height: number): Promise<void>;
  /** Rewrites files without changing a row. */
  compact(): Promise<void>;
  /** Goes on as if the keys had never been requested. */
  forget(keys: readonly string[]): Promise<void>;
  /** Content of every row, with the height and touched keys. */
  rows(): Promise<readonly ChainRecord[]>;
}

export type Action =
  | { readonly do: 'grow'; readonly blocks: number; readonly seed: number }
  | { readonly do: 'reorganise'; readonly depth: number; readonly seed: number }
  | { readonly do: 'detect' }
  | {
      readonly do: 'read';
      readonly writer: number;
      readonly keys: readonly string[];
      readonly from: number;
      readonly blocks: number;
      readonly truncated: boolean;
    }
  | { readonly do: 'commit'; readonly writer: number }
  | { readonly do: 'crash'; readonly writer: number }
  | { readonly do: 'compact' }
  | { readonly do: 'forget'; readonly key: string };

const read = fc.record({
  do: fc.constant('read' as const),
  writer: fc.nat(1),
  keys: fc.subarray([...KEYS], { minLength: 1 }),
  from: fc.nat(24),
  blocks: fc.integer({ min: 1, max: 12 }),
  truncated: fc.boolean(),
});

const seed = fc.nat(1_000_000);

export const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('grow' as const),
        blocks: fc.integer({ min: 1, max: 6 }),
        seed,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('reorganise' as const),
        depth: fc.integer({ min: 1, max: 9 }),
        seed,
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'detect' as const }) },
    { weight: 6, arbitrary: read },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('commit' as const), writer: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), writer: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'compact' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('forget' as const), key: fc.constantFrom(...KEYS) }),
    },
  ),
  { minLength: 8, maxLength: 40, size: 'max' },
);

/** A small generator, so that a block's content depends on its seed alone. */
function numbers(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * The records of one block for one group of keys: up to four, some equal to each other, some
 * touching two keys.
 */
function recordsOf(height: number, blockSeed: number, group: number): ChainRecord[] {
  const next = numbers(blockSeed * 31 + height + group * 7_919);
  const records: ChainRecord[] = [];
  for (let i = Math.floor(next() * 4); i > 0; i -= 1) {
    const [from = '', to = ''] = keysIn(group, [pickedKey(next()), pickedKey(next())]);
    const content = `${height}:${Math.floor(next() * 2)}`;
    const copies = next() < 0.3 ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      records.push({
        height,
        touches: [...new Set([from, to])],
        content: `${content}:${from}>${to}`,
      });
    }
  }
  return records;
}

const pickedKey = (chance: number): string => KEYS[Math.floor(chance * KEYS.length)] ?? KEYS[0];

/** The keys of a group of keys; those of the first one have short names. */
function keysIn(group: number, keys: readonly string[]): string[] {
  return keys.map((key) => (group === 0 ? key : `${key}${group}`));
}

/** What another group does where the first one does something with its keys. */
function keyAction(chance: Chance): Action {
  const writer = chance.between(0, 1);
  const choice = chance.between(1, 13);
  if (choice <= 5) return { do: 'commit', writer };
  if (choice === 6) return { do: 'crash', writer };
  if (choice === 7) return { do: 'forget', key: chance.pick(KEYS) };
  const [from, blocks] = [chance.between(0, 24), chance.between(1, 12)];
  return { do: 'read', writer, keys: chance.some(KEYS), from, blocks, truncated: chance.is(0.5) };
}

/**
 * Plays a history; calls `check` whenever every reorganisation so far has been detected. With
 * several groups of keys, each has a history of its own on the same chain, and what they do in one
 * step lands in one commit: many histories cost little more than one.
 */
export async function play(
  history: readonly Action[],
  store: Store,
  check: (chain: readonly ChainRecord[], state: TableState) => Promise<void>,
  { groups: count, seed: groupSeed } = { groups: 1, seed: 0 },
): Promise<void> {
  const groups = Array.from({ length: count }, (_, i) => {
    const queues: Walk<ChainRecord>[][] = [[], []];
    return { number: i, queues, chance: new Chance(groupSeed * 1_009 + i) };
  });
  const blockOf = (height: number, blockSeed: number): ChainRecord[] =>
    groups.flatMap(({ number }) => recordsOf(height, blockSeed, number));
  let blocks: ChainRecord[][] = [];
  for (let height = 0; height < 20; height += 1) blocks.push(blockOf(height, 7));
  let undetected: number | undefined;
  const chain = (): ChainRecord[] => blocks.flat();
  for (const action of history) {
    const head = blocks.length - 1;
    switch (action.do) {
      case 'grow':
        for (let i = 0; i < action.blocks; i += 1) {
          blocks.push(blockOf(blocks.length, action.seed));
        }
        break;
      case 'reorganise': {
        const fork = Math.max(0, blocks.length - action.depth);
        const length = blocks.length;
        blocks = blocks.slice(0, fork);
        while (blocks.length < length) blocks.push(blockOf(blocks.length, action.seed));
        if (fork < head - LAG) undetected = Math.min(undetected ?? fork, fork);
        break;
      }
      case 'detect':
        if (undetected !== undefined) await store.reorganised(undetected);
        undetected = undefined;
        break;
      case 'compact':
        await store.compact();
        break;
      default: {
        const { reorganisations } = await store.state();
        const commits: Walk<ChainRecord>[] = [];
        const forgotten: string[] = [];
        for (const { number, queues, chance } of groups) {
          const step = number === 0 ? action : keyAction(chance);
          if (step.do === 'forget') forgotten.push(...keysIn(number, [step.key]));
          if (step.do === 'crash') queues[step.writer]?.splice(0);
          if (step.do === 'commit') commits.push(...(queues[step.writer]?.splice(0) ?? []));
          if (step.do !== 'read') continue;
          const read = { ...step, keys: keysIn(number, step.keys) };
          queues[step.writer]?.push(walkOf(read, chain(), head, reorganisations.length));
        }
        const isCommit = action.do === 'commit' || commits.length > 0;
        const [first] = isCommit ? await store.commit(commits) : [];
        if (forgotten.length > 0) await store.forget(forgotten);
        // Lists of two chains may contradict each other; those of one chain never do.
        if (first === undefined || undetected !== undefined) break;
        throw new Error(`${first.key} ${first.from}-${first.to}: ${first.reason}`);
      }
    }
    if (undetected === undefined) await check(chain(), await store.state());
  }
}

/** The walk that reads the records of the keys in some blocks of the chain. */
function walkOf(
  { keys, from: wanted, blocks, truncated }: Action & { readonly do: 'read' },
  chain: readonly ChainRecord[],
  head: number,
  generation: number,
): Walk<ChainRecord> {
  const from = Math.min(wanted, head);
  const interval = { from, to: Math.min(from + blocks - 1, head) };
  const matches = chain.filter(
    (record) =>
      record.height >= interval.from &&
      record.height <= interval.to &&
      record.touches.some((key) => keys.includes(key)),
  );
  const final = interval.to < head - LAG ? 'complete' : 'provisional';
  const status = truncated ? 'truncated' : final;
  const list = listNamed(ENDPOINT);
  const claim = {
    list,
    keys,
    interval,
    status,
    reason: '',
    head,
    readAtMs: 0,
    generation,
  } as const;
  return { claim, records: truncated ? matches.filter((_, i) => i % 2 === 0) : matches };
}

/** Every (key, height) that coverage calls complete, compared with the chain as a multiset. */
export function falseCompletes(
  chain: readonly ChainRecord[],
  rows: readonly ChainRecord[],
  coverage: Coverage,
): string[] {
  const wrong: string[] = [];
  const heights = new Set([...chain, ...rows].map((record) => record.height));
  const contents = (records: readonly ChainRecord[], key: string, height: number): string =>
    records
      .filter((record) => record.height === height && record.touches.includes(key))
      .map((record) => record.content)
      .sort()
      .join(' ');
  for (const height of heights) {
    for (const key of KEYS) {
      if (!coverage.completeIn({ endpoint: ENDPOINT, variant: '' })(key, height)) continue;
      const expected = contents(chain, key, height);
      const actual = contents(rows, key, height);
      if (expected !== actual) wrong.push(`${key}@${height}: ${expected} | ${actual}`);
    }
  }
  return wrong;
}
