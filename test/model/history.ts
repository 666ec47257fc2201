import fc from 'fast-check';
import type { Coverage, CoverageEntry } from '../../src/coverage/coverage.ts';
import type { Claim, Landable, Walk } from '../../src/land/rule/claim.ts';
import type { TableState } from '../../src/land/rule/merge.ts';
import { listNamed } from '../fixtures/lists.ts';

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
  known(): Promise<TableState>;
  /** The coverage that the commit contradicts. */
  commit(walks: readonly Walk<ChainRecord>[]): Promise<readonly CoverageEntry[]>;
  reorganised(height: number): Promise<void>;
  /** Rewrites files without changing a row. */
  compact(): Promise<void>;
  /** Goes on as if the key had never been requested. */
  forget(key: string): Promise<void>;
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

/** The records of one block: up to four, some equal to each other, some touching two keys. */
function blockOf(height: number, blockSeed: number): ChainRecord[] {
  const next = numbers(blockSeed * 31 + height);
  const records: ChainRecord[] = [];
  for (let i = Math.floor(next() * 4); i > 0; i -= 1) {
    const from = KEYS[Math.floor(next() * KEYS.length)] ?? KEYS[0];
    const to = KEYS[Math.floor(next() * KEYS.length)] ?? KEYS[0];
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

/** Plays a history; calls `check` whenever every reorganisation so far has been detected. */
export async function play(
  history: readonly Action[],
  store: Store,
  check: (chain: readonly ChainRecord[], known: TableState) => Promise<void>,
): Promise<void> {
  let blocks: ChainRecord[][] = [];
  for (let height = 0; height < 20; height += 1) blocks.push(blockOf(height, 7));
  let undetected: number | undefined;
  const queues: Walk<ChainRecord>[][] = [[], []];
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
      case 'read': {
        const from = Math.min(action.from, head);
        const interval = { from, to: Math.min(from + action.blocks - 1, head) };
        const found = chain().filter(
          (record) =>
            record.height >= interval.from &&
            record.height <= interval.to &&
            record.touches.some((key) => action.keys.includes(key)),
        );
        const claim: Claim = {
          list: listNamed(ENDPOINT),
          keys: action.keys,
          interval,
          status: action.truncated
            ? 'truncated'
            : interval.to < head - LAG
              ? 'complete'
              : 'provisional',
          reason: '',
          head,
          readAtMs: 0,
          generation: (await store.known()).reorganisations.length,
        };
        const records = action.truncated ? found.filter((_, i) => i % 2 === 0) : found;
        queues[action.writer]?.push({ claim, records });
        break;
      }
      case 'commit': {
        const [first] = await store.commit(queues[action.writer]?.splice(0) ?? []);
        // Lists of two chains may contradict each other; those of one chain never do.
        if (first === undefined || undetected !== undefined) break;
        throw new Error(`${first.key} ${first.from}-${first.to}: ${first.reason}`);
      }
      case 'crash':
        queues[action.writer]?.splice(0);
        break;
      case 'forget':
        await store.forget(action.key);
        break;
      case 'compact':
        await store.compact();
        break;
    }
    if (undetected === undefined) await check(chain(), await store.known());
  }
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
