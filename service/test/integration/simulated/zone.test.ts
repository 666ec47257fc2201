import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import type { ZoneBlockRecords, ZoneDataset } from '../../../src/simulated/chain.ts';
import { DEFAULT_ZONE_START, simulatedChain } from '../../../src/simulated/chain.ts';

const BIRTH = 300;
const HEAD = 700;
const chain = simulatedChain({ seed: 'meadow', head: HEAD, zoneStart: BIRTH });
const { zone } = chain;
const heights: readonly ZoneBlockRecords[] = Array.from({ length: zone.head + 1 }, (_, height) =>
  zone.recordsAt(height),
);

function all(dataset: ZoneDataset): CanonicalRecord[] {
  return heights.flatMap((records) => [...records[dataset]]);
}

function texts(records: readonly CanonicalRecord[], column: string): string[] {
  return records.map((record) => String(record[column] ?? ''));
}

function primaryTimeMs(height: number): number {
  return Number(chain.recordsAt(height).blocks[0]?.['block_time']);
}

describe('what stands at a height of the zone chain', () => {
  it('is the same in whatever order heights are asked', () => {
    const other = simulatedChain({ seed: 'meadow', head: HEAD, zoneStart: BIRTH }).zone;
    for (let nth = 0; nth < 3_000; nth += 1) {
      const height = (nth * 7_919) % heights.length;
      expect(other.recordsAt(height)).toEqual(heights[height]);
    }
  });

  it('is refused where there is no height', () => {
    for (const height of [-1, 1.5, Number.NaN]) {
      expect(() => zone.recordsAt(height)).toThrow(RangeError);
      expect(() => simulatedChain({ seed: 's', head: 9, zoneStart: height })).toThrow(RangeError);
    }
  });

  it('carries its height, hash and time in every record', () => {
    const placeOf = (record: CanonicalRecord, prefix: string): string =>
      ['number', 'hash', 'time'].map((part) => record[`${prefix}block_${part}`]).join(' ');
    for (const records of heights) {
      const [block = {}] = records.zone_blocks;
      for (const entry of records.zone_transactions) {
        expect(placeOf(entry, '')).toBe(placeOf(block, ''));
      }
      for (const entry of records.cross_chain_transfers) {
        expect(placeOf(entry, 'zone_')).toBe(placeOf(block, ''));
      }
    }
  });
});

describe('zone blocks', () => {
  it('come every 100 ms, the first one a minute before the primary block of the birth', () => {
    const times = texts(all('zone_blocks'), 'block_time').map(Number);
    const first = primaryTimeMs(BIRTH) - 60_000;
    expect(times).toEqual(times.map((_, height) => first + height * 100));
  });

  it('are up to the head exactly those of a minute before the primary block and earlier', () => {
    const zoneTimeMs = (height: number): number =>
      Number(zone.recordsAt(height).zone_blocks[0]?.['block_time']);
    for (let height = BIRTH; height <= HEAD; height += 1) {
      const head = zone.headAt(height);
      expect(head).toBeGreaterThan(zone.headAt(height - 1));
      expect(zoneTimeMs(head)).toBeLessThanOrEqual(primaryTimeMs(height) - 60_000);
      expect(zoneTimeMs(head + 1)).toBeGreaterThan(primaryTimeMs(height) - 60_000);
    }
    expect(zone.head).toBe(zone.headAt(HEAD));
  });

  it('are none before the birth', () => {
    for (const height of [0, 1, BIRTH - 1]) expect(zone.headAt(height)).toBe(-1);
    expect(zone.headAt(BIRTH)).toBe(0);
    expect(simulatedChain({ seed: 'meadow', head: DEFAULT_ZONE_START - 1 }).zone.head).toBe(-1);
    expect(simulatedChain({ seed: 'meadow', head: DEFAULT_ZONE_START }).zone.head).toBe(0);
  });

  it('and their transactions have hashes of their own', () => {
    for (const [dataset, column] of [
      ['zone_blocks', 'block_hash'],
      ['zone_transactions', 'tx_hash'],
    ] as const) {
      const hashes = texts(all(dataset), column);
      expect(new Set(hashes).size).toBe(hashes.length);
    }
  });
});

describe('zone transactions', () => {
  const transactions = all('zone_transactions');

  it('fail now and then, with a message, and then emit nothing', () => {
    const failed = transactions.filter((record) => record['tx_status'] === '0x0');
    expect(failed.length / transactions.length).toBeGreaterThan(0.015);
    expect(failed.length / transactions.length).toBeLessThan(0.05);
    for (const record of transactions) {
      const hasFailed = record['tx_status'] === '0x0';
      expect(record['tx_status']).toMatch(/^0x[01]$/);
      expect(record['error_message'] !== null).toBe(hasFailed);
      if (!hasFailed) continue;
      expect([record['event_count'], record['token_transfer_count']]).toEqual(['0', '0']);
    }
  });

  it('tell their whole action as JSON', () => {
    for (const record of transactions) {
      const action = JSON.parse(String(record['action_data'])) as { type: string };
      expect(action.type).toBe(record['action_type']);
    }
    expect(new Set(texts(transactions, 'action_type'))).toEqual(
      new Set(
        'order cancelOrder updateLeverage updateIsolatedMargin deposit withdraw batchWithdraw'.split(
          ' ',
        ),
      ),
    );
  });
});
