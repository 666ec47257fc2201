import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import { datasetOf, endpoints, paramOf } from '../../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { ask, serviceOver } from '../../../../test/contract/asking.ts';
import { IS_EXHAUSTIVE } from '../../../../test/fixtures/thorough.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { Chunks } from '../../../src/memory/chunks.ts';
import { MOST_REORGANISED_BLOCKS } from '../../../src/protocol/source.ts';
import { ENDLESS_SLICE } from '../../../src/protocol/time-slices.ts';
import type { SimulatedChain } from '../../../src/simulated/chain.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';

/** Goal: after a reorganisation nothing answers from what was there before. */

/** A deep reorganisation changes two chunks. */
const HEAD = 1_150;
const options = { seed: 'orphans', head: HEAD, zoneStart: HEAD - 60 };
const opened = () => chainSource(simulatedChain(options));
type Opened = ReturnType<typeof opened>;
/** A chain that was never another one than it is now. */
const afresh = ({ chain, head }: Opened): SimulatedChain =>
  simulatedChain({ ...options, head: head('primary'), forks: chain.forks });

const lists = endpoints.filter((entry) => entry.list !== 'submission');
type Params = Readonly<Record<string, string>>;

/** Requests for a list by keys that these chains hold, one for each value a parameter may have. */
function requestsFor(entry: Endpoint, chains: readonly SimulatedChain[], head: number): Params[] {
  const base: Record<string, string> = {
    chainShortName: entry.axis === 'primary' ? 'MAINCHAIN' : 'ZONECHAIN',
  };
  for (const param of entry.params) {
    if (param.role === 'limit') base[param.name] = '50';
    if (!param.required) continue;
    if (param.role === 'from-block') base[param.name] = String(Math.max(0, head - 9_999));
    if (param.role === 'to-block' || param.role === 'height') base[param.name] = String(head);
  }
  const choices = entry.params.flatMap((param) =>
    param.role === 'equals'
      ? (param.values ?? []).map((value) => ({ ...base, [param.name]: value }))
      : [],
  );
  const kinds = choices.length === 0 ? [base] : choices;
  return kinds.flatMap((kind) =>
    chains.map((chain) => ({ ...kind, ...keysOf(entry, datasetOf(entry, kind), chain) })),
  );
}

/** What the newest record of the dataset names. */
function keysOf(entry: Endpoint, dataset: string, chain: SimulatedChain): Params {
  const param = paramOf(entry, 'keys');
  if (param === undefined) return {};
  type RecordsAt = (height: number) => Readonly<Record<string, readonly CanonicalRecord[]>>;
  const { recordsAt, head }: { recordsAt: RecordsAt; head: number } =
    entry.axis === 'primary' ? chain : chain.zone;
  for (let height = head; height >= 0; height -= 1) {
    const records = recordsAt(height)[dataset] ?? [];
    const named = records.flatMap((row) => param.columns.map((column) => row[column]));
    const key = named.find((text) => typeof text === 'string');
    if (key !== undefined) return { [param.name]: String(key).split(',')[0] ?? '' };
  }
  throw new Error(`no key for ${entry.path}`);
}

const namesBlocks = ({ fields }: Endpoint): boolean =>
  fields.some(({ column }) => column === 'block_hash');

/** The beginnings of those texts of one list that the other does not have at their place. */
function differing(one: readonly string[], other: readonly string[]): string[] {
  expect(one.length).toBe(other.length);
  return one.flatMap((line, nth) => (line === other[nth] ? [] : [line.slice(0, 300)]));
}

async function answersTo(source: Opened, questions: ReadonlyMap<Endpoint, readonly Params[]>) {
  const service = serviceOver(source, { recordCap: 1_000_000 });
  const answers: string[] = [];
  for (const [entry, requests] of questions) {
    for (const params of requests) {
      const { status, text } = await ask(service, entry.path, params);
      answers.push(`${entry.path} ${JSON.stringify(params)} ${status} ${text}`);
    }
  }
  return answers;
}

describe('after a reorganisation', () => {
  it('every list answers like a service that never knew another chain', async () => {
    const source = opened();
    let before = simulatedChain(options);
    for (const depth of IS_EXHAUSTIVE ? [300, 1, 40, 2, 150, 299] : [300, 2]) {
      // Asked for, with everything warm, before and after: what both chains hold.
      const next = chainSource(before);
      next.reorganise(depth);
      const questions = new Map(
        lists.map((entry) => {
          const requests = requestsFor(entry, [before, next.chain], source.head(entry.axis));
          return [entry, requests] as const;
        }),
      );
      const old = await answersTo(source, questions);
      source.reorganise(depth);
      const now = await answersTo(source, questions);
      const fresh = afresh(source);
      expect(differing(now, await answersTo(chainSource(fresh), questions))).toEqual([]);
      const changed = lists.filter(({ path }) =>
        differing(old, now).some((line) => line.startsWith(`${path} `)),
      );
      expect(changed.every(({ axis }) => axis === 'primary')).toBe(true);
      // So few blocks need not hold something of every kind.
      if (depth > 40) {
        const naming = lists.filter((entry) => entry.axis === 'primary' && namesBlocks(entry));
        expect(naming.every((entry) => changed.includes(entry))).toBe(true);
        expect(changed.some(({ list }) => list === 'snapshot')).toBe(true);
      }
      before = fresh;
    }
  });

  it('finds the crossing of a primary transaction that is in another block now', async () => {
    const source = opened();
    const service = serviceOver(source);
    const path = 'mainchain/transaction/transaction-multi';
    const crossed = simulatedChain(options).zone;
    const paid = Array.from({ length: 3_000 }, (_, nth) =>
      crossed.recordsAt(crossed.headAt(HEAD - 6) - nth),
    )
      .flatMap(({ cross_chain_transfers: list }) => list)
      .flatMap(({ main_tx_hash: hash }) => (typeof hash === 'string' ? [hash] : []))
      .slice(0, 20);
    const query = { chainShortName: 'MAINCHAIN', txId: paid.join(',') };
    const old = (await ask(service, path, query)).data;
    source.reorganise(300);
    const now = (await ask(service, path, query)).data;
    expect(old.map(({ txId }) => txId)).toEqual(paid);
    expect(now.map(({ blockHash: _, ...rest }) => rest)).toEqual(
      old.map(({ blockHash: _, ...rest }) => rest),
    );
    const hashes = (all: typeof old) => all.map(({ blockHash }) => blockHash);
    expect(hashes(now).some((hash) => hashes(old).includes(hash))).toBe(false);
  });

  it('goes on above as the chain that it is now, and never comes back to another', () => {
    const source = opened();
    const hashes = new Set<unknown>();
    for (let nth = 0; nth < 20; nth += 1) {
      hashes.add(source.chain.recordsAt(HEAD).blocks[0]?.['block_hash']);
      source.reorganise(1 + (nth % 4));
    }
    expect(hashes.size).toBe(20);
    source.growTo(HEAD + 30);
    expect(source.chain.recordsAt(HEAD + 30)).toEqual(afresh(source).recordsAt(HEAD + 30));
    expect(source.chain.recordsAt(HEAD - 4)).toEqual(simulatedChain(options).recordsAt(HEAD - 4));
    const again = opened();
    for (let nth = 0; nth < 20; nth += 1) again.reorganise(1 + (nth % 4));
    expect(again.chain.forks).toEqual(source.chain.forks);
  });

  it('has replaced one block or up to three hundred, and no more than there are', () => {
    const source = opened();
    for (const depth of [0, -1, 1.5, Number.NaN, MOST_REORGANISED_BLOCKS + 1]) {
      expect(() => source.reorganise(depth)).toThrow(RangeError);
    }
    expect(source.chain.forks).toEqual([]);
    source.reorganise(MOST_REORGANISED_BLOCKS);
    expect(source.chain.forks.map(({ from }) => from)).toEqual([HEAD - 299]);
    const short = chainSource(simulatedChain({ seed: 'short', head: 4 }));
    expect(() => short.reorganise(6)).toThrow('6 is not a number of blocks from 1 to 5');
    short.reorganise(5);
    expect(short.chain.forks.map(({ from }) => from)).toEqual([0]);
  });
});

describe('heights that were replaced', () => {
  it('are computed again, and their hashes looked for elsewhere', async () => {
    let computed = 0;
    /** A chain whose only transaction is at this height. */
    const recordsWith = (height: number) => (at: number) => {
      computed += 1;
      const transaction = { tx_hash: '0xaa', block_number: String(at) };
      return { blocks: [{}], transactions: at === height ? [transaction] : [] };
    };
    const setup = { chunkBlocks: 2, mostChunks: 9, dense: 'blocks', located: ['tx_hash'] };
    const before = new Chunks({ ...setup, recordsAt: recordsWith(3) }, ENDLESS_SLICE);
    const interval = { from: 0, to: 5 };
    const keys = { columns: ['tx_hash'], values: ['0xaa'] };
    const dataset = 'transactions';
    const query = { dataset, interval, keys, filters: [], bounds: [], oncePerKey: false };
    const foundIn = async (chunks: Chunks) => {
      const { records } = await chunks.find({ ...query, offset: 0, count: 9 });
      return records.map((record) => record['block_number']);
    };
    expect(await foundIn(before)).toEqual(['3']);
    expect(computed).toBe(4);
    const after = before.forked(3, recordsWith(5));
    expect(await foundIn(after)).toEqual(['5']);
    expect(await foundIn(after)).toEqual(['5']);
    // The chunk of the fork is computed again, too.
    expect(computed).toBe(6);
    // Whoever asked before goes on with what was there.
    expect(await foundIn(before)).toEqual(['3']);
    expect(computed).toBe(6);
  });
});
