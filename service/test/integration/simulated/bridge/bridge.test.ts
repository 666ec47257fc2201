import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../../src/catalogue/record.ts';
import type { SimulatedDataset } from '../../../../src/simulated/chain.ts';
import { simulatedChain } from '../../../../src/simulated/chain.ts';

/** Goal: nothing of the bridge stands on the primary chain without its cross-chain record. */

const BIRTH = 50;
const HEAD = 900;
/** The zone legs of the newest deposits are still to come, and so are their records. */
const SETTLED = HEAD - 6;
const chain = simulatedChain({ seed: 'ford', head: HEAD, zoneStart: BIRTH });
const { zone } = chain;
const { bridgeAddress: bridge, operatorAddress: operator } = zone;

const primary = Array.from({ length: HEAD + 1 }, (_, height) => chain.recordsAt(height));
const crossed = Array.from(
  { length: zone.head + 1 },
  (_, height) => zone.recordsAt(height).cross_chain_transfers,
).flat();

function all(dataset: SimulatedDataset): CanonicalRecord[] {
  return primary.flatMap((records) => [...records[dataset]]);
}

const place = (record: CanonicalRecord, columns: string): unknown[] =>
  columns.split(' ').map((column) => record[column]);

describe('the bridge on the primary chain', () => {
  const known = new Set(crossed.map((record) => record['main_tx_hash']));
  const sent = all('transactions').filter((record) => record['to_address'] === bridge);
  const old = sent.filter((record) => Number(record['block_number']) <= SETTLED);

  it('takes no deposit without a record, unless the transaction failed', () => {
    const brought = old.filter((record) => record['from_address'] !== operator);
    const failed = brought.filter((record) => record['tx_status'] === 'fail');
    expect(failed.length).toBeGreaterThan(0);
    for (const record of brought) {
      expect(known.has(record['tx_hash'] ?? null)).toBe(record['tx_status'] === 'success');
    }
  });

  it('pays nothing without a record', () => {
    const causes = [...all('internal_transactions'), ...all('token_transfers')]
      .filter((record) => record['from_address'] === bridge)
      .filter((record) => Number(record['block_number']) <= SETTLED);
    expect(causes.length).toBeGreaterThan(100);
    expect(causes.filter((record) => !known.has(record['tx_hash'] ?? null))).toEqual([]);
  });

  it('has an operator with the nonces 0, 1, 2, ..., who beats every few blocks', () => {
    const own = all('transactions').filter((record) => record['from_address'] === operator);
    expect(own.map((record) => record['nonce'])).toEqual(own.map((_, nonce) => String(nonce)));
    const at = own.map((record) => Number(record['block_number']));
    const gaps = at.map((height, nth) => height - (at[nth - 1] ?? BIRTH));
    expect(Math.max(...gaps)).toBeLessThan(8);
    expect(own.some((record) => !known.has(record['tx_hash'] ?? null))).toBe(true);
    expect(own.every((record) => record['tx_status'] === 'success')).toBe(true);
  });

  it('leaves every other sender the nonces 0, 1, 2, ... too', () => {
    const next = new Map<string, number>();
    for (const record of all('transactions')) {
      const sender = String(record['from_address']);
      expect(record['nonce']).toBe(String(next.get(sender) ?? 0));
      next.set(sender, (next.get(sender) ?? 0) + 1);
    }
  });

  it('leaves no trace before the birth of the zone, whenever that is', () => {
    const unborn = simulatedChain({ seed: 'ford', head: HEAD, zoneStart: 2 ** 40 });
    for (let height = 0; height < BIRTH; height += 1) {
      expect(unborn.recordsAt(height)).toEqual(primary[height]);
    }
    const dataset = JSON.stringify(Array.from({ length: HEAD }, (_, at) => unborn.recordsAt(at)));
    expect(dataset.includes(bridge) || dataset.includes(operator)).toBe(false);
  });

  it('is counted in its blocks like everything else', () => {
    for (const records of primary) {
      const [block = {}] = records.blocks;
      expect(block['txn_count']).toBe(String(records.transactions.length));
      expect(block['txn_internal']).toBe(String(records.internal_transactions.length));
      for (const record of Object.values(records).flat()) {
        expect(place(record, 'block_number block_hash block_time')).toEqual(
          place(block, 'block_number block_hash block_time'),
        );
      }
    }
  });

  it('is the same whatever the head', () => {
    const taller = simulatedChain({ seed: 'ford', head: 10_000_000, zoneStart: BIRTH });
    for (const height of [BIRTH, 61, 400, HEAD]) {
      expect(taller.recordsAt(height)).toEqual(primary[height]);
    }
  });
});
