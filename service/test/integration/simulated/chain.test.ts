import { parseEther } from 'viem';
import { describe, expect, it } from 'vitest';
import { addressesIn } from '../../../../src/catalogue/column-kind.ts';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import type { BlockRecords, SimulatedDataset } from '../../../src/simulated/chain.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';

const HEAD = 9_000;
const chain = simulatedChain({ seed: 'meadow', head: HEAD });
const heights: readonly BlockRecords[] = Array.from({ length: HEAD + 1 }, (_, height) =>
  chain.recordsAt(height),
);

function all(dataset: SimulatedDataset): CanonicalRecord[] {
  return heights.flatMap((records) => [...records[dataset]]);
}

function texts(records: readonly CanonicalRecord[], column: string): string[] {
  return records.map((record) => String(record[column] ?? ''));
}

const wei = (text: unknown): bigint => parseEther(String(text));

describe('what stands at a height', () => {
  it('depends on seed and height alone, not on the head', () => {
    const taller = simulatedChain({ seed: 'meadow', head: 5_000_000 });
    for (const height of [0, 1, 777, HEAD]) {
      expect(taller.recordsAt(height)).toEqual(chain.recordsAt(height));
    }
    expect(taller.addresses(50)).toEqual(chain.addresses(50));
  });

  it('differs between seeds', () => {
    const other = simulatedChain({ seed: 'meadov', head: HEAD });
    expect(other.recordsAt(5).blocks).not.toEqual(chain.recordsAt(5).blocks);
    expect(other.addresses(50).some((entry) => chain.addresses(50).includes(entry))).toBe(false);
  });

  it('can be computed for heights far away', () => {
    const block = chain.recordsAt(2 ** 40).blocks[0];
    expect(block?.['block_number']).toBe(String(2 ** 40));
    expect(block?.['block_hash']).not.toBe(chain.recordsAt(0).blocks[0]?.['block_hash']);
  });

  it('carries its height, hash and time in every record', () => {
    const placeOf = (record?: CanonicalRecord): string =>
      `${record?.['block_number']} ${record?.['block_hash']} ${record?.['block_time']}`;
    const astray = heights.flatMap((records, height) => {
      const [block] = records.blocks;
      const place = `${height} ${block?.['block_hash']} ${block?.['block_time']}`;
      return Object.values(records)
        .flat()
        .filter((record) => placeOf(record) !== place);
    });
    expect(astray).toEqual([]);
  });

  it('refuses a head that is no height', () => {
    for (const head of [-1, 1.5, Number.NaN]) {
      expect(() => simulatedChain({ seed: 'meadow', head })).toThrow(RangeError);
    }
  });
});

describe('blocks agree with their contents', () => {
  it('in counts, gas, amounts and fees', () => {
    for (const records of heights) {
      const block = records.blocks[0] ?? {};
      const sum = (column: string): bigint =>
        texts(records.transactions, column).reduce((total, text) => total + wei(text), 0n);
      expect(block['txn_count']).toBe(String(records.transactions.length));
      expect(block['txn_internal']).toBe(String(records.internal_transactions.length));
      expect(wei(block['amount'])).toBe(sum('amount'));
      expect(wei(block['total_fee'])).toBe(sum('tx_fee'));
      expect(wei(block['gas_used'])).toBe(sum('gas_used'));
      const burnt = wei(block['base_fee_per_gas']) * BigInt(String(block['gas_used']));
      expect(wei(block['burnt'])).toBe(burnt);
    }
  });

  it('and every fee is its gas times its price', () => {
    for (const record of all('transactions').slice(0, 3_000)) {
      const price = BigInt(String(record['gas_price']));
      expect(wei(record['tx_fee'])).toBe(price * BigInt(String(record['gas_used'])));
      expect(Number(record['gas_limit'])).toBeGreaterThanOrEqual(Number(record['gas_used']));
    }
  });
});

describe('transactions', () => {
  const transactions = all('transactions');

  it('have hashes of their own', () => {
    expect(new Set(texts(transactions, 'tx_hash')).size).toBe(transactions.length);
  });

  it('are of all types, rarely 3, and some fail or create a contract', () => {
    const types = texts(transactions, 'tx_type');
    expect(new Set(types)).toEqual(new Set(['0', '1', '2', '3']));
    expect(types.filter((type) => type === '3').length).toBeLessThan(transactions.length / 100);
    expect(new Set(texts(transactions, 'tx_status'))).toEqual(new Set(['success', 'fail']));
    expect(transactions.some((record) => record['to_address'] === null)).toBe(true);
  });

  it('carry no amount then: nobody could say whose share is how much', () => {
    const carrying = [...transactions, ...all('internal_transactions')].filter(
      (entry) =>
        entry['amount'] !== '0' && `${entry['from_address']}${entry['to_address']}`.includes(','),
    );
    expect(carrying).toEqual([]);
  });
});

describe('what transactions cause', () => {
  const statusOf = new Map(
    all('transactions').map((record) => [record['tx_hash'], record['tx_status']]),
  );

  it('fails with them: their internal transactions fail, and no token moves', () => {
    for (const record of all('internal_transactions')) {
      expect(record['tx_status']).toBe(statusOf.get(record['tx_hash'] ?? null));
    }
    for (const record of all('token_transfers')) {
      expect(statusOf.get(record['tx_hash'] ?? null)).toBe('success');
    }
    expect(texts(all('internal_transactions'), 'tx_status')).toContain('fail');
  });

  it('is of all operations and all four protocol types', () => {
    expect(new Set(texts(all('internal_transactions'), 'operation'))).toEqual(
      new Set(['call', 'staticcall', 'delegatecall', 'create']),
    );
    expect(new Set(texts(all('token_transfers'), 'token_standard'))).toEqual(
      new Set(['token_20', 'token_721', 'token_1155', 'token_10']),
    );
  });

  it.each(['internal_transactions', 'token_transfers'] as const)(
    'includes %s that are equal in every field',
    (dataset) => {
      const records = all(dataset);
      const distinct = new Set(records.map((record) => JSON.stringify(record)));
      expect(records.length - distinct.size).toBeGreaterThan(records.length / 100);
    },
  );

  it('reaches amounts beyond 20 digits before the point', () => {
    const whole = texts(all('token_transfers'), 'amount').map((text) => text.split('.')[0] ?? '');
    const huge = whole.filter((digits) => digits.length > 20).length;
    expect(huge).toBeGreaterThan(whole.length / 20);
    expect(huge).toBeLessThan(whole.length / 2);
  });

  it('reaches token ids of 78 digits, all below 2^256, and none where there is no such thing', () => {
    const withId = all('token_transfers').filter((record) => record['token_id'] !== null);
    const ids = texts(withId, 'token_id');
    expect(ids.some((id) => id.length === 78)).toBe(true);
    expect(ids.every((id) => BigInt(id) < 2n ** 256n)).toBe(true);
    expect(new Set(texts(withId, 'token_standard'))).toEqual(new Set(['token_721', 'token_1155']));
  });
});

describe('addresses', () => {
  const touched = (['transactions', 'internal_transactions', 'token_transfers'] as const).flatMap(
    (dataset) =>
      all(dataset).map((record) => [
        ...new Set(addressesIn(`${record['from_address'] ?? ''},${record['to_address'] ?? ''}`)),
      ]),
  );
  const counts = new Map<string, number>();
  for (const address of touched.flat()) counts.set(address, (counts.get(address) ?? 0) + 1);
  const count = (address: string): number => counts.get(address) ?? 0;

  it('are a few tens of busy ones and thousands of sparse ones', () => {
    const busy = [...counts.values()].filter((entry) => entry > 200).length;
    const sparse = [...counts.values()].filter((entry) => entry <= 20).length;
    expect(busy).toBeGreaterThan(20);
    expect(busy).toBeLessThan(100);
    expect(sparse).toBeGreaterThan(4_000);
  });

  it('are named busiest first, always the same ones', () => {
    const expected = chain.addresses(1_000);
    expect(new Set(expected).size).toBe(1_000);
    expect(chain.addresses(10)).toEqual(expected.slice(0, 10));
    expect(count(expected[0] ?? '')).toBeGreaterThan(count(expected[30] ?? ''));
    expect(expected.slice(0, 40).every((address) => count(address) > 50)).toBe(true);
    expect(() => chain.addresses(6_001)).toThrow(RangeError);
  });
});
