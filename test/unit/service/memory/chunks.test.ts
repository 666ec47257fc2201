import { describe, expect, it } from 'vitest';
import { datasets, wordsOfDataset } from '../../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { askedColumns } from '../../../../src/service/memory/asked-columns.ts';
import { chainSource } from '../../../../src/service/memory/chain-source.ts';
import { ChunkPager } from '../../../../src/service/memory/chunk-pager.ts';
import { chunksOf, type Heights } from '../../../../src/service/memory/chunks.ts';
import { inSteps, takingTurns } from '../../../../src/service/memory/computing.ts';
import { tablesSource } from '../../../../src/service/memory/records-source.ts';
import { examplesFrom } from '../../../../src/service/openapi/examples.ts';
import { documentSteps, openApiDocument } from '../../../../src/service/openapi/openapi.ts';
import type { Bound, Naming, Query, Source } from '../../../../src/service/protocol/source.ts';
import { DEFAULT_NAMES } from '../../../../src/service/protocol/source.ts';
import { fullSettings } from '../../../../src/service/settings/settings.ts';
import { simulatedChain } from '../../../../src/simulated/chain.ts';
import { blocksAsOf } from '../../../fixtures/served-blocks.ts';
import { IS_THOROUGH } from '../../../fixtures/thorough.ts';
import { Chance } from '../../../model/chance.ts';

/**
 * Goal: a chain that is computed in slices answers like its records held in memory, lets others have
 * their turn, and keeps a bounded part of what it computed.
 */

const HEAD = 1_300;
const options = { seed: 'slices', head: HEAD, zoneStart: HEAD - 100 };
const chain = simulatedChain(options);

function query(dataset: string, more: Partial<Query> = {}): Query {
  const interval = { from: 0, to: Number.MAX_SAFE_INTEGER };
  return {
    dataset,
    interval,
    filters: [],
    bounds: [],
    oncePerKey: false,
    offset: 0,
    count: 20,
    ...more,
  };
}

describe('questions to a chain', () => {
  const tables = new Map<string, CanonicalRecord[]>();
  const add = (records: Readonly<Record<string, readonly CanonicalRecord[]>>): void => {
    for (const [name, list] of Object.entries(records)) {
      const known = tables.get(name) ?? [];
      tables.set(name, known);
      known.push(...list);
    }
  };
  for (let height = 0; height <= HEAD; height += 1) {
    const { blocks, ...others } = chain.recordsAt(height);
    add({ ...others, blocks: blocksAsOf(HEAD, blocks) });
  }
  for (let height = 0; height <= chain.zone.head; height += 1) add(chain.zone.recordsAt(height));
  const held = tablesSource(tables);
  const chance = new Chance(7);
  const values = (dataset: string, column: string, most: number): string[] => {
    const count = chance.between(1, most);
    const found = Array.from(
      { length: count },
      () => chance.pick(tables.get(dataset) ?? [])[column],
    );
    const named = found.flatMap((each) =>
      each === null || each === undefined ? [] : String(each).split(','),
    );
    return [...new Set(named)];
  };
  const namings = (dataset: string, columns: readonly string[]): Naming[] => {
    const [first = ''] = columns;
    const parties = ['from_address', 'to_address'].filter((each) => columns.includes(each));
    const named = chance.is(0.5) && parties.length > 0 ? parties : [first];
    return [{ columns: named, values: values(dataset, named[0] ?? '', 20) }];
  };
  const bounds = (dataset: string, columns: readonly string[]): Bound[] =>
    columns.flatMap((column): Bound[] => {
      const [least, most] = values(dataset, column, 2).sort((a, b) => Number(a) - Number(b));
      if (least === undefined || chance.is(0.5)) return [];
      return [{ column, least, ...(most === undefined ? {} : { most }) }];
    });
  const asked = datasets
    .filter(({ name }) => tables.has(name))
    .flatMap(({ name, axis }) => {
      const { named, bounded } = askedColumns(name);
      return Array.from({ length: IS_THOROUGH ? 200 : 25 }, (): Query => {
        const head = held.head(axis);
        const [from = 0, to = 0] = [chance.between(0, head), chance.between(0, head)].sort(
          (a, b) => a - b,
        );
        const columns = named.length === 0 ? [] : [chance.pick(named), ...named];
        const [keys] = columns.length === 0 ? [] : namings(name, columns);
        return query(name, {
          interval: chance.is(0.3) ? { from: 0, to: head } : { from, to },
          ...(keys === undefined || chance.is(0.2) ? {} : { keys }),
          filters: chance.is(0.3) && named.length > 0 ? namings(name, [chance.pick(named)]) : [],
          bounds: bounds(name, bounded),
          oncePerKey: chance.is(0.3),
          offset: chance.between(0, 30),
          count: 10,
        });
      });
    });

  it('are answered like records in memory', async () => {
    const source = chainSource(chain);
    for (const each of asked) {
      expect(await source.find(each), JSON.stringify(each)).toEqual(await held.find(each));
      const newest = await source.newest(each);
      expect(newest, JSON.stringify(each)).toEqual(await held.newest(each));
    }
  });

  it('cover every column that an endpoint can ask about, and only columns of the dataset', () => {
    for (const { name } of datasets) {
      const words = wordsOfDataset(name).map(({ column }) => column);
      const { named, bounded } = askedColumns(name);
      expect(words).toEqual(expect.arrayContaining([...named, ...bounded]));
    }
    expect(askedColumns('token_transfers').bounded).toEqual(['amount']);
    expect(askedColumns('transactions').bounded).toEqual(['block_time']);
  });
});

describe('a long computation', () => {
  /** A chain that counts what is computed between two pauses. */
  function counted() {
    const [longest, current] = [new Map<string, number>(), new Map<string, number>()];
    const count = (what: string, blocks = 1): void => {
      current.set(what, (current.get(what) ?? 0) + blocks);
      longest.set(what, Math.max(longest.get(what) ?? 0, current.get(what) ?? 0));
    };
    const pause = async (): Promise<void> => {
      await Promise.resolve();
      current.clear();
    };
    const recordsAt = (height: number) => {
      count('primary');
      return chain.recordsAt(height);
    };
    const zone = {
      ...chain.zone,
      recordsAt: (height: number) => {
        count('zone');
        return chain.zone.recordsAt(height);
      },
    };
    const countHolders = (height: number, blocks: number) => {
      count('counted', blocks);
      return chain.countHolders(height, blocks);
    };
    return { source: chainSource({ ...chain, recordsAt, zone, countHolders }, { pause }), longest };
  }

  it('stops after every slice, however many there are at a time', async () => {
    const { source, longest } = counted();
    const nobody = { columns: ['from_address', 'to_address'], values: ['0x12'] };
    const sender = { columns: ['from_address'], values: ['0x12'] };
    const hash = { columns: ['tx_hash'], values: [`0x${'12'.repeat(32)}`] };
    await Promise.all([
      source.find(query('transactions', { keys: nobody })),
      source.find(query('transactions', { keys: hash })),
      source.find(query('token_transfers', { keys: nobody })),
      source.newest(query('internal_transactions', { keys: nobody })),
      source.find(query('zone_transactions', { keys: sender })),
      source.find(query('cross_chain_transfers')),
      source.find(query('native_holders')),
    ]);
    expect([...longest]).toEqual([
      ['primary', 100],
      ['zone', 2_000],
      ['counted', 100],
    ]);
  });

  it('gives its turn to one slice after each pause', async () => {
    const steps: string[] = [];
    const turn = takingTurns(async () => {
      await Promise.resolve();
      steps.push('pause');
    });
    const compute = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await turn();
        steps.push(name);
      }
    };
    await Promise.all([compute('a'), compute('b'), compute('c')]);
    expect(steps.filter((_, nth) => nth % 2 === 0)).toEqual(Array(9).fill('pause'));
    expect(steps.filter((_, nth) => nth % 2 === 1)).toEqual(
      ['a', 'b', 'c'].flatMap(() => ['a', 'b', 'c']),
    );
  });

  it('ends where its pause says so, and begins again when it is asked again', async () => {
    let isEnding = true;
    const pause = async (): Promise<void> => {
      if (isEnding) throw new Error('ending');
    };
    const source = chainSource(chain, { pause });
    const questions = [query('transactions'), query('native_holders'), query('zone_transactions')];
    for (const each of questions) await expect(source.find(each)).rejects.toThrow('ending');
    isEnding = false;
    for (const each of questions) {
      expect((await source.find(each)).total).toBeGreaterThan(0);
    }
  });

  it('is not what the document of the service waits for', async () => {
    const countHolders = (): never => {
      throw new Error('holders are counted');
    };
    const source: Source = chainSource({ ...chain, countHolders });
    const examples = await examplesFrom(source);
    expect(examples.get('mainchain/address/native-token-position-list')).toEqual({
      chainShortName: 'MAINCHAIN',
      page: '1',
      limit: '20',
    });
    let pauses = 0;
    const nodes = { rpcs: [], streams: [] };
    const steps = documentSteps(fullSettings({}), DEFAULT_NAMES, examples, nodes);
    const document = await inSteps(steps, async () => {
      pauses += 1;
    });
    expect(pauses).toBeGreaterThan(20);
    expect(document).toEqual(openApiDocument(fullSettings({}), DEFAULT_NAMES, examples));
  });
});

describe('records that columns hardly tell apart', () => {
  const found = async (records: readonly CanonicalRecord[], more: Partial<Query>) => {
    const recordsAt = (height: number) => ({
      blocks: [{}],
      token_transfers: records.slice(height, height + 1),
    });
    const limits = { chunkBlocks: 4, sliceBlocks: 1, keptHeights: 0, mostBytes: 1e6 };
    const located = new Set(['tx_hash']);
    const chunks = chunksOf({ ...limits, recordsAt, dense: 'blocks', located }, async () => {});
    const interval = { from: 0, to: records.length - 1 };
    const asked = query('token_transfers', { interval, ...more });
    const { total, records: listed } = await new ChunkPager().find(chunks, asked);
    expect(total).toBe(listed.length);
    return listed.map((each) => each['amount'] ?? each['tx_hash']);
  };

  it('are told by their whole hash', async () => {
    const hashes = ['aa', 'bb', 'cc', 'dd', 'bb'].map((end) => `0x12345678${end}`);
    const records = hashes.map((hash) => ({ tx_hash: hash }));
    const keys = { columns: ['tx_hash'], values: ['0x12345678bb'] };
    // A hash is looked for from the newest block down, and is in one block alone.
    expect(await found(records, { keys })).toEqual(['0x12345678bb']);
    const other = { columns: ['tx_hash'], values: ['0x12345678aa', '0x12345678ee'] };
    expect(await found(records, { keys: other })).toEqual(['0x12345678aa']);
  });

  it('are told by every digit of their amount', async () => {
    const one = ['1', '1.0', '1.0000000000000000000001', '0.9999999999999999999999'];
    const huge = [`1${'0'.repeat(400)}`, `2${'0'.repeat(400)}`];
    const records = [...one, ...huge].map((amount) => ({ amount }));
    const bounds = (...all: Omit<Bound, 'column'>[]) =>
      found(records, { bounds: all.map((each) => ({ column: 'amount', ...each })) });
    expect(await bounds({ least: '1', most: '1' })).toEqual(['1.0', '1']);
    expect(await bounds({ least: '1.0000000000000000000001', most: '2' })).toEqual([one[2]]);
    expect(await bounds({ most: '0.9999999999999999999999' })).toEqual([one[3]]);
    expect(await bounds({ least: huge[1] ?? '' })).toEqual([huge[1]]);
  });
});

describe('what was computed', () => {
  const transactionAt = (height: number): CanonicalRecord => ({
    tx_hash: `0x${height}`,
    block_number: String(height),
    from_address: '0xa',
  });
  function chunksWithin(limits: Pick<Heights, 'keptHeights' | 'mostBytes'>) {
    const computed: number[] = [];
    const recordsAt = (height: number) => {
      computed.push(height);
      return { blocks: [{}], transactions: [transactionAt(height)] };
    };
    const sizes = { chunkBlocks: 2, sliceBlocks: 1, dense: 'blocks', located: new Set<string>() };
    return { chunks: chunksOf({ ...sizes, ...limits, recordsAt }, async () => {}), computed };
  }
  const all = query('transactions', {
    interval: { from: 0, to: 5 },
    keys: { columns: ['from_address'], values: ['0xa'] },
  });

  it('is let go beyond a number of bytes, and computed again for the next page', async () => {
    const { chunks, computed } = chunksWithin({ keptHeights: 0, mostBytes: 1 });
    const pager = new ChunkPager();
    expect((await pager.find(chunks, { ...all, count: 1 })).records).toEqual([transactionAt(5)]);
    computed.length = 0;
    const { total, records } = await pager.find(chunks, { ...all, offset: 2, count: 1 });
    expect([total, records]).toEqual([6, [transactionAt(3)]]);
    // The columns of its chunk, and the record.
    expect(computed).toEqual([2, 3, 3]);
  });

  it('is kept below it: pages cost the records that they show', async () => {
    const { chunks, computed } = chunksWithin({ keptHeights: 3, mostBytes: 1e6 });
    const pager = new ChunkPager();
    await pager.find(chunks, { ...all, count: 1 });
    expect(computed).toEqual([4, 5, 2, 3, 0, 1]);
    computed.length = 0;
    await pager.find(chunks, { ...all, count: 3 });
    // Records of three heights are kept; the look at all others did not push them out.
    expect(computed).toEqual([3]);
  });
});
