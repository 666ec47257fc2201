import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../../src/catalogue/record.ts';
import type { SimulatedDataset } from '../../../../src/simulated/chain.ts';
import { NATIVE_TOKEN_ADDRESS, simulatedChain } from '../../../../src/simulated/chain.ts';

/**
 * Goal: whatever crosses has both its legs, found by reading every record of both chains over a few
 * hundred heights.
 */

const BIRTH = 50;
const HEAD = 900;
/** Withdrawals of the last moments are paid a few blocks above the head. */
const LATER = 6;
const chain = simulatedChain({ seed: 'ford', head: HEAD, zoneStart: BIRTH });
const { zone } = chain;
const { bridgeAddress: bridge, operatorAddress: operator } = zone;

const primary = Array.from({ length: HEAD + LATER + 1 }, (_, height) => chain.recordsAt(height));
const zoneBlocks = Array.from({ length: zone.head + 1 }, (_, height) => zone.recordsAt(height));
const crossed = zoneBlocks.flatMap((records) => [...records.cross_chain_transfers]);
const zoneTransactions = zoneBlocks.flatMap((records) => [...records.zone_transactions]);
const settled = crossed.filter((record) => record['cross_status'] === '0x1');
const refused = crossed.filter((record) => record['cross_status'] === '0x0');
const deposits = settled.filter((record) => record['cross_type'] === 'Deposit');
const withdrawals = settled.filter((record) => record['cross_type'] !== 'Deposit');

function all(dataset: SimulatedDataset): CanonicalRecord[] {
  return primary.flatMap((records) => [...records[dataset]]);
}

function byHash(records: readonly CanonicalRecord[]): Map<string, CanonicalRecord[]> {
  const groups = new Map<string, CanonicalRecord[]>();
  for (const record of records) {
    const hash = String(record['tx_hash']);
    groups.set(hash, [...(groups.get(hash) ?? []), record]);
  }
  return groups;
}

const transactions = byHash(all('transactions'));
const internal = byHash(all('internal_transactions'));
const transfers = byHash(all('token_transfers'));
const zoneByHash = byHash(zoneTransactions);

const mainHash = (record: CanonicalRecord): string => String(record['main_tx_hash']);
const mainLeg = (record: CanonicalRecord): CanonicalRecord =>
  transactions.get(mainHash(record))?.[0] ?? {};
const zoneLeg = (record: CanonicalRecord): CanonicalRecord =>
  zoneByHash.get(String(record['zone_tx_hash']))?.[0] ?? {};
const place = (record: CanonicalRecord, columns: string): unknown[] =>
  columns.split(' ').map((column) => record[column]);
const isNative = (record: CanonicalRecord): boolean =>
  record['token_address'] === NATIVE_TOKEN_ADDRESS;

interface Paid {
  readonly from: unknown;
  readonly target: unknown;
  readonly value: unknown;
}

const parties = (record: CanonicalRecord): Paid => ({
  from: record['from_address'],
  target: record['to_address'],
  value: record['amount'],
});

function payoutsIn(record: CanonicalRecord): { targetAddress: string; value: string }[] {
  const single = {
    targetAddress: String(record['target_address']),
    value: String(record['amount']),
  };
  const detail = record['batch_detail'];
  return detail === null ? [single] : JSON.parse(String(detail));
}

describe('cross-chain records', () => {
  it('are of both directions, all three types, both statuses and four tokens', () => {
    const valuesOf = (column: string): Set<unknown> => new Set(crossed.map((row) => row[column]));
    const kinds = crossed.map((row) => `${row['direction']} ${row['cross_type']}`);
    expect(new Set(kinds)).toEqual(
      new Set(['MainToZone Deposit', 'ZoneToMain Withdraw', 'ZoneToMain BatchWithdraw']),
    );
    expect(valuesOf('cross_status')).toEqual(new Set(['0x0', '0x1']));
    expect(valuesOf('token_standard')).toEqual(new Set(['ERC20', 'ERC1155']));
    expect(valuesOf('token_address').size).toBe(4);
    expect(valuesOf('token_address')).toContain(NATIVE_TOKEN_ADDRESS);
    expect(refused.length / crossed.length).toBeGreaterThan(0.005);
    expect(refused.length / crossed.length).toBeLessThan(0.05);
  });

  it('have an amount that is the raw amount with the places of the token', () => {
    const places = new Map<unknown, Set<number>>();
    for (const record of crossed) {
      const [whole = '', fraction = ''] = String(record['amount']).split('.');
      const raw = String(record['amount_raw']);
      const zeros = raw.length - (whole + fraction).replace(/^0+/, '').length;
      expect(`${whole}${fraction}${'0'.repeat(zeros)}`.replace(/^0+/, '')).toBe(raw);
      const seen = places.get(record['token_address']) ?? new Set();
      places.set(record['token_address'], seen.add(fraction.length + zeros));
    }
    // Numbers of places beyond a token's own would be an amount that cannot be.
    expect([...places.values()].map((seen) => [...seen]).sort()).toEqual([[0], [18], [18], [6]]);
  });
});

describe('the zone leg of a record', () => {
  it('is one transaction of the source, at the record’s height, with its status and amount', () => {
    const actions: Record<string, string> = {
      Deposit: 'deposit',
      Withdraw: 'withdraw',
      BatchWithdraw: 'batchWithdraw',
    };
    for (const record of crossed) {
      const leg = zoneLeg(record);
      expect(place(leg, 'block_number block_hash block_time tx_status')).toEqual(
        place(record, 'zone_block_number zone_block_hash zone_block_time cross_status'),
      );
      expect(place(leg, 'from_address amount amount_raw')).toEqual(
        place(record, 'source_address amount amount_raw'),
      );
      expect(leg['action_type']).toBe(actions[String(record['cross_type'])]);
    }
  });
});

describe('the primary leg of a record', () => {
  it('is one successful transaction at the height and time that the record names', () => {
    for (const record of settled) {
      expect(transactions.get(mainHash(record))).toHaveLength(1);
      expect(place(mainLeg(record), 'block_number block_time tx_status to_address')).toEqual([
        ...place(record, 'main_block_number main_block_time'),
        'success',
        bridge,
      ]);
    }
    const hashes = settled.map(mainHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('is missing where the zone refused, and nothing else is', () => {
    expect(refused.length).toBeGreaterThan(0);
    for (const record of crossed) {
      const isRefused = record['cross_status'] === '0x0';
      for (const value of place(record, 'main_tx_hash main_block_number main_block_time')) {
        expect(value === null).toBe(isRefused);
      }
      if (isRefused) expect(record['direction']).toBe('ZoneToMain');
    }
  });

  it('brings a deposit to the bridge: as value, or as one token transfer', () => {
    expect(deposits.length).toBeGreaterThan(100);
    for (const record of deposits) {
      const leg = mainLeg(record);
      expect(leg['from_address']).toBe(record['source_address']);
      expect(leg['amount']).toBe(isNative(record) ? record['amount'] : '0');
      expect(internal.get(mainHash(record))).toBeUndefined();
      const moved = transfers.get(mainHash(record)) ?? [];
      expect(moved.map(parties)).toEqual(
        isNative(record)
          ? []
          : [{ from: record['source_address'], target: bridge, value: record['amount'] }],
      );
      for (const row of moved) {
        expect(place(row, 'token_address token_id')).toEqual(
          place(record, 'token_address token_id'),
        );
      }
    }
  });

  it('pays a withdrawal from the bridge, all parts of a batch at once', () => {
    expect(withdrawals.length).toBeGreaterThan(100);
    for (const record of withdrawals) {
      expect(place(mainLeg(record), 'from_address amount')).toEqual([operator, '0']);
      const calls = internal.get(mainHash(record)) ?? [];
      const moved = transfers.get(mainHash(record)) ?? [];
      const paid = isNative(record) ? calls : moved;
      expect(isNative(record) ? moved : calls).toEqual([]);
      expect(paid.map(parties)).toEqual(
        payoutsIn(record).map((payout) => ({
          from: bridge,
          target: payout.targetAddress,
          value: payout.value,
        })),
      );
      for (const call of calls) {
        expect(place(call, 'operation tx_status')).toEqual(['call', 'success']);
      }
      for (const row of moved) {
        expect(place(row, 'token_address token_id')).toEqual(
          place(record, 'token_address token_id'),
        );
      }
    }
  });

  it('comes before the zone leg of a deposit, and after that of a withdrawal, by a bounded time', () => {
    const lagsMs = (records: readonly CanonicalRecord[]): number[] =>
      records.map((row) => Number(row['zone_block_time']) - Number(row['main_block_time']));
    expect(Math.min(...lagsMs(deposits))).toBeGreaterThan(0);
    expect(Math.max(...lagsMs(deposits))).toBeLessThanOrEqual(30_000);
    expect(Math.max(...lagsMs(withdrawals))).toBeLessThan(0);
    expect(Math.min(...lagsMs(withdrawals))).toBeGreaterThanOrEqual(-41_000);
  });

  it('is never above the primary head that the zone head belongs to, or the one before', () => {
    const mainHeight = (record: CanonicalRecord): number =>
      Number(record['main_block_number'] ?? 0);
    const zoneHeight = (record: CanonicalRecord): number => Number(record['zone_block_number']);
    for (let height = HEAD - 200; height < HEAD; height += 1) {
      // A zone that grows between two primary blocks shows what the next one has.
      const shown = crossed.filter((row) => zoneHeight(row) <= chain.zone.headAt(height + 1));
      expect(Math.max(...shown.map(mainHeight))).toBeLessThanOrEqual(height);
    }
    expect(withdrawals.length).toBeGreaterThan(10);
  });
});

describe('a batch', () => {
  const batches = crossed.filter((record) => record['cross_type'] === 'BatchWithdraw');

  it('tells its parts, which add up to its amount', () => {
    expect(batches.length).toBeGreaterThan(5);
    for (const record of batches) {
      const parts = JSON.parse(String(record['batch_detail'])) as Record<string, string>[];
      const total = parts.reduce((sum, part) => sum + BigInt(part['valueRaw'] ?? ''), 0n);
      expect(parts.length).toBeGreaterThan(1);
      expect(String(total)).toBe(record['amount_raw']);
      const targets = new Set(parts.map((part) => part['targetAddress']));
      expect([...targets].join(',')).toBe(record['target_address']);
    }
  });
});
