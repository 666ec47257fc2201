import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Replay, replay } from '../../src/land/replay/replay.ts';
import type { Claim } from '../../src/land/rule/claim.ts';
import {
  digestText,
  type IncompleteWalk,
  incompleteWalkReason,
} from '../../src/land/rule/incomplete-walk.ts';
import { listNamed } from '../fixtures/lists.ts';
import { type ChainRecord, ENDPOINT } from './history.ts';
import { MemoryStore } from './memory-store.ts';

/**
 * Random histories of a small chain some of whose records break their contract, of writers that
 * land it, and of replays. A record is of a class; readers of version v understand classes up to
 * v, and so does everybody once the service spells them right.
 */

const KEYS: readonly string[] = ['0xa', '0xb', '0xc', '0xd'];
const LAG = 3;
const CLASSES = 8;

export interface SpelledRecord extends ChainRecord {
  /** The version of readers that understands it as the chain holds it. */
  readonly class: number;
}

const keys = fc.subarray([...KEYS], { minLength: 1, maxLength: 2 });
const step = <T extends string>(what: T) => fc.record({ do: fc.constant(what) });

export const quarantineActions = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('grow'), blocks: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('reorganise'),
        depth: fc.integer({ min: 1, max: 9 }),
      }),
    },
    { weight: 1, arbitrary: step('detect') },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constant('read'),
        writer: fc.nat(1),
        keys,
        from: fc.nat(24),
        blocks: fc.integer({ min: 1, max: 6 }),
        /** Committed at once; else when the writer commits next. */
        isQuick: fc.boolean(),
        truncated: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('commit'),
        writer: fc.nat(1),
        /** Killed after the quarantine was committed and before the slices were. */
        dies: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      }),
    },
    { weight: 3, arbitrary: step('upgrade') },
    { weight: 1, arbitrary: step('repair') },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('replay'),
        all: fc.integer({ min: 0, max: 2 }).map((n) => n > 0),
        chosen: fc.nat(255),
        /** Killed after the rows were committed and before the quarantine was cleared. */
        dies: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('drop'), which: fc.nat(20) }) },
  ),
  { minLength: 10, maxLength: 40, size: 'max' },
);

type Action = typeof quarantineActions extends fc.Arbitrary<(infer A)[]> ? A : never;

interface KeptRecord {
  readonly id: string;
  readonly walk: string;
  readonly claim: Claim;
  readonly record: SpelledRecord;
  /** Classes that everybody understood when it was read. */
  readonly served: number;
}

interface WalkRead {
  readonly claim: Claim;
  readonly records: readonly SpelledRecord[];
  readonly served: number;
  readonly version: number;
}

const digestOf = ({ height, touches, content }: ChainRecord): bigint =>
  BigInt(`0x${digest([height, touches, content])}`);

function digest(said: unknown): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

/** What a replay did, told to who counts them. */
export type Told = (outcome: Replay<ChainRecord>['outcome'], status?: string) => void;

/** The lake in memory: a table, its log's word on walks that are not whole, and the quarantine. */
export class MemoryLake {
  readonly store = new MemoryStore();
  readonly incompleteWalks = new Map<string, IncompleteWalk>();
  readonly quarantine = new Map<string, KeptRecord>();
  #walks = 0;

  /** Lands walks as a run does; broken records go first. */
  async commit(walks: readonly WalkRead[], dies: boolean): Promise<void> {
    const landed = walks.map((each) => this.#parted(each));
    for (const { broken } of landed) for (const kept of broken) this.quarantine.set(kept.id, kept);
    if (dies) return;
    await this.store.commit(landed);
    for (const { incomplete } of landed) {
      if (incomplete !== undefined) this.incompleteWalks.set(incomplete.walk, incomplete);
    }
  }

  #parted({ claim, records, served, version }: WalkRead) {
    const isBroken = (record: SpelledRecord): boolean => record.class > Math.max(served, version);
    const good = records.filter((record) => !isBroken(record));
    this.#walks += 1;
    const walk = `w${this.#walks}`;
    const seen = new Map<string, number>();
    const broken = records.filter(isBroken).map((record): KeptRecord => {
      const raw = digest([record, served]);
      const occurrence = (seen.get(raw) ?? 0) + 1;
      seen.set(raw, occurrence);
      const { keys: asked, interval } = claim;
      return { id: digest([asked, interval, raw, occurrence]), walk, claim, record, served };
    });
    if (broken.length === 0) return { claim, records: good, broken };
    const reason = incompleteWalkReason(walk, broken.length, 'it is odd');
    const sum = digestText(good.map(digestOf));
    return {
      claim: { ...claim, status: 'inconsistent' as const, reason },
      records: good,
      broken,
      incomplete: { walk, reason, digest: sum, broken: broken.length, replayed: [] },
    };
  }

  /** Replays every walk of which a record is chosen. */
  async replay(isChosen: (at: number) => boolean, version: number, dies: boolean, told: Told) {
    const chosen = new Set([...this.quarantine.keys()].filter((_, at) => isChosen(at)));
    for (const walk of new Set([...this.quarantine.values()].map((kept) => kept.walk))) {
      const own = [...this.quarantine.values()].filter((kept) => kept.walk === walk);
      const [first] = own;
      if (first === undefined || !own.some(({ id }) => chosen.has(id))) continue;
      const { claim } = first;
      const { coverage } = await this.store.known();
      const landed = (await this.store.rows()).filter(
        ({ height, touches }) =>
          height >= claim.interval.from &&
          height <= claim.interval.to &&
          touches.some((key) => claim.keys.includes(key)),
      );
      const kept = own.map(({ id, record, served }) => ({
        id,
        record: record.class <= Math.max(served, version) ? record : undefined,
        reason: 'it is odd',
        isChosen: chosen.has(id),
      }));
      const incomplete = this.incompleteWalks.get(walk);
      const found = replay<ChainRecord>({ claim, kept, incomplete, coverage, landed, digestOf });
      told(found.outcome, found.outcome === 'landing' ? found.walk.claim.status : undefined);
      if (found.outcome === 'refused') continue;
      if (found.outcome === 'landing') {
        await this.store.commit([found.walk]);
        this.incompleteWalks.set(walk, found.incomplete);
        if (dies) continue;
      }
      for (const id of found.ids) this.quarantine.delete(id);
    }
  }
}

/** A small generator, so that a block's content depends on its seed alone. */
function blockOf(height: number, seed: number): SpelledRecord[] {
  const bytes = createHash('sha256').update(`${seed} ${height}`).digest();
  const next = (i: number, below: number): number => (bytes[i] ?? 0) % below;
  return Array.from({ length: next(0, 4) }, (_, i) => {
    const from = KEYS[next(4 * i + 1, 4)] ?? '0xa';
    const to = KEYS[next(4 * i + 2, 4)] ?? '0xa';
    const content = `${height}:${seed}:${next(4 * i + 3, 2)}:${from}>${to}`;
    const odd = next(4 * i + 4, 5) === 0 ? 1 + next(20 + i, CLASSES) : 0;
    const record = { height, touches: [...new Set([from, to])], content, class: odd };
    return next(4 * i + 4, 3) === 0 ? [record, record] : [record];
  }).flat();
}

/** Plays a history; calls `check` whenever every reorganisation so far has been detected. */
export async function playQuarantine(
  history: readonly Action[],
  lake: MemoryLake,
  told: Told,
  check: (chain: readonly ChainRecord[]) => Promise<void>,
): Promise<void> {
  let forks = 0;
  let blocks: SpelledRecord[][] = [];
  const extend = (length: number): void => {
    while (blocks.length < length) blocks.push(blockOf(blocks.length, forks));
  };
  extend(24);
  let version = 0;
  let served = 0;
  let undetected: number | undefined;
  const queues: WalkRead[][] = [[], []];
  for (const action of history) {
    const head = blocks.length - 1;
    switch (action.do) {
      case 'grow':
        extend(blocks.length + action.blocks);
        break;
      case 'reorganise': {
        const length = blocks.length;
        const fork = Math.max(0, length - action.depth);
        forks += 1;
        blocks = blocks.slice(0, fork);
        extend(length);
        if (fork < head - LAG) undetected = Math.min(undetected ?? fork, fork);
        break;
      }
      case 'detect':
        if (undetected !== undefined) await lake.store.reorganised(undetected);
        undetected = undefined;
        break;
      case 'read': {
        const from = Math.min(action.from, head);
        const interval = { from, to: Math.min(from + action.blocks - 1, head) };
        const found = blocks
          .slice(interval.from, interval.to + 1)
          .flat()
          .filter(({ touches }) => touches.some((key) => action.keys.includes(key)));
        const isFinal = interval.to < head - LAG;
        const claim: Claim = {
          list: listNamed(ENDPOINT),
          keys: action.keys,
          interval,
          status: action.truncated ? 'truncated' : isFinal ? 'complete' : 'provisional',
          reason: '',
          head,
          readAtMs: 0,
          generation: (await lake.store.known()).reorganisations.length,
        };
        const records = action.truncated ? found.filter((_, i) => i % 2 === 0) : found;
        const read = { claim, records, served, version };
        if (action.isQuick) await lake.commit([read], false);
        else queues[action.writer]?.push(read);
        break;
      }
      case 'commit':
        await lake.commit(queues[action.writer]?.splice(0) ?? [], action.dies);
        break;
      case 'upgrade':
        version = Math.min(version + 1, CLASSES);
        break;
      case 'repair':
        served = Math.min(served + 1, CLASSES);
        break;
      case 'replay': {
        const isChosen = (at: number): boolean =>
          action.all || ((action.chosen >> (at % 8)) & 1) === 1;
        await lake.replay(isChosen, version, action.dies, told);
        break;
      }
      case 'drop': {
        const id = [...lake.quarantine.keys()][action.which];
        if (id !== undefined) lake.quarantine.delete(id);
        break;
      }
    }
    if (undetected === undefined) await check(blocks.flat());
  }
}
