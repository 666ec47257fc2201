import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import type { Query, Source } from '../../../src/protocol/source.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';

const ALL: Query = {
  dataset: 'transactions',
  interval: { from: 0, to: 1_000_000 },
  filters: [],
  bounds: [],
  oncePerKey: false,
  offset: 0,
  count: 1_000_000,
};

function record(hash: string, height: number, from: string, to: string | null): CanonicalRecord {
  return { tx_hash: hash, block_number: String(height), from_address: from, to_address: to };
}

async function hashes(source: Source, more: Partial<Query> = {}): Promise<string[]> {
  const page = await source.find({ ...ALL, ...more });
  return page.records.map((row) => String(row['tx_hash']));
}

const source = tablesSource(
  new Map([
    [
      'transactions',
      [
        record('0x1', 5, '0xa', '0xb'),
        record('0x2', 9, '0xb', '0xa,0xc'),
        record('0x3', 5, '0xa', null),
        record('0x4', 7, '0xa', '0xa'),
        record('0x5', 3, '0xd,0xd', '0xe'),
      ],
    ],
  ]),
);

describe('records in memory', () => {
  it('are listed newest first, and those of one height in reverse order of coming', async () => {
    expect(await hashes(source)).toEqual(['0x2', '0x4', '0x3', '0x1', '0x5']);
    expect(source.head('primary')).toBe(9);
    expect(source.head('zone')).toBe(-1);
  });

  it('of a dataset that is not there are none', async () => {
    expect(await source.find({ ...ALL, dataset: 'blocks' })).toEqual({ total: 0, records: [] });
  });
});

describe('pages', () => {
  it('are cut from the whole list, and the total stays the same', async () => {
    const page = async (offset: number, count: number): Promise<[number, string[]]> => {
      const part = await source.find({ ...ALL, offset, count });
      return [part.total, part.records.map((row) => String(row['tx_hash']))];
    };
    expect(await page(0, 2)).toEqual([5, ['0x2', '0x4']]);
    expect(await page(4, 2)).toEqual([5, ['0x5']]);
    expect(await page(5, 2)).toEqual([5, []]);
    expect(await page(1, 0)).toEqual([5, []]);
  });
});

describe('a chain that grows', () => {
  const grown = chainSource(simulatedChain({ seed: 'growth', head: 2_500 }));
  const expected = chainSource(simulatedChain({ seed: 'growth', head: 990 }));
  const late = { ...ALL, interval: { from: 980, to: 3_000 } };

  it('shows nothing above its head, and everything below once it has grown', async () => {
    const before = await expected.find(late);
    const heights = before.records.map((row) => Number(row['block_number']));
    expect(Math.max(...heights)).toBeLessThanOrEqual(990);
    expect(before.total).toBeGreaterThan(5);
    expect(expected.head('primary')).toBe(990);

    expected.growTo(2_500);
    expect(expected.head('primary')).toBe(2_500);
    expect(await expected.find(late)).toEqual(await grown.find(late));
    const after = await expected.find(late);
    expect(after.records.slice(-before.total)).toEqual(before.records);
  });

  it('never shrinks', () => {
    expect(() => grown.growTo(2_499)).toThrow(RangeError);
    expect(() => grown.growTo(2_500.5)).toThrow(RangeError);
    expect(grown.head('primary')).toBe(2_500);
  });

  it('calls itself what the simulated chain is called', () => {
    expect(grown.names.primary).toEqual({ shortName: 'MAINCHAIN', fullName: 'Simulated chain' });
    const named = simulatedChain({ seed: 's', head: 0, shortName: 'HILL', fullName: 'The hill' });
    expect(chainSource(named).names.primary).toEqual({ shortName: 'HILL', fullName: 'The hill' });
    expect(named.recordsAt(0).blocks[0]).toMatchObject({ chain_short_name: 'HILL' });
  });
});
