import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../../../src/catalogue/record.ts';
import type { Executed, SimulatedChain } from '../../../../../src/simulated/chain.ts';
import { firstDifference, keccakHex, simulatedChain } from '../../../../../src/simulated/chain.ts';
import type { Fork } from '../../../../../src/simulated/primary/forks.ts';
import { standingForks } from '../../../../../src/simulated/primary/forks.ts';

/** Goal: a forked chain is as whole as any other, and the same one below its fork. */

const HEAD = 700;
const BIRTH = 200;
/** Odd, so that the fork cuts a pair of heights that might exchange transactions. */
const FROM = 401;
const base = simulatedChain({ seed: 'graft', head: HEAD, zoneStart: BIRTH });
const withForks = (...forks: Fork[]): SimulatedChain =>
  simulatedChain({ seed: 'graft', head: HEAD, zoneStart: BIRTH, forks });
const forked = withForks({ from: FROM, salt: 'a' });
/** A reorganisation over another one, and a third above both. */
const thrice = withForks(
  { from: FROM, salt: 'a' },
  { from: 391, salt: 'b' },
  { from: 502, salt: 'c' },
);

const heights = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
const executedIn = (chain: SimulatedChain, from: number, to: number): readonly Executed[] =>
  heights(from, to).flatMap((height) => chain.executedAt(height).executed);
const isSame = (one: SimulatedChain, other: SimulatedChain, height: number): boolean =>
  isDeepStrictEqual(one.recordsAt(height), other.recordsAt(height)) &&
  isDeepStrictEqual(one.executedAt(height), other.executedAt(height));
const blockOf = (chain: SimulatedChain, height: number): CanonicalRecord =>
  chain.recordsAt(height).blocks[0] ?? {};

describe('below a fork', () => {
  it('every record and every raw byte is that of the chain without it', () => {
    const lower = withForks({ from: 391, salt: 'b' });
    const differs = [
      ...heights(0, FROM - 1).filter((height) => !isSame(forked, base, height)),
      ...heights(391, 501).filter((height) => !isSame(thrice, lower, height)),
    ];
    expect(differs).toEqual([]);
  });
});

describe('from a fork on', () => {
  it('every block has another hash and root, at the same time, with the same base fee', () => {
    for (const height of heights(FROM, HEAD)) {
      const [one, other] = [blockOf(base, height), blockOf(forked, height)];
      for (const column of ['block_hash', 'merkle_root']) {
        expect(other[column]).not.toBe(one[column]);
      }
      for (const column of ['block_number', 'block_time', 'base_fee_per_gas']) {
        expect(other[column]).toBe(one[column]);
      }
    }
  });

  it('depends on the salt and on nothing else', () => {
    expect(base.forked({ from: FROM, salt: 'a' }).recordsAt(600)).toEqual(forked.recordsAt(600));
    const other = withForks({ from: FROM, salt: 'b' });
    expect(other.recordsAt(600)).not.toEqual(forked.recordsAt(600));
    expect(other.forked({ from: FROM, salt: 'a' }).recordsAt(600)).toEqual(forked.recordsAt(600));
  });
});

describe.each([
  ['one fork', forked],
  ['several forks', thrice],
])('a chain with %s', (_, chain) => {
  const all = executedIn(chain, 0, HEAD);

  it('has the nonces 0, 1, 2, ... of every sender, and every transaction once', () => {
    const next = new Map<string, number>();
    for (const { sender, transaction } of all) {
      expect(transaction['nonce']).toBe(String(next.get(sender) ?? 0));
      next.set(sender, (next.get(sender) ?? 0) + 1);
    }
    expect(new Set(all.map(({ raw }) => raw.hash)).size).toBe(all.length);
  });

  it('names transactions by their bytes, and writes every record into its own block', () => {
    for (const { raw } of executedIn(chain, FROM, HEAD))
      expect(raw.hash).toBe(keccakHex(raw.bytes));
    for (const height of heights(390, HEAD)) {
      const records = chain.recordsAt(height);
      const block = blockOf(chain, height);
      expect(block['txn_count']).toBe(String(records.transactions.length));
      expect(block['txn_internal']).toBe(String(records.internal_transactions.length));
      for (const record of Object.values(records).flat()) {
        for (const column of ['block_number', 'block_hash', 'block_time']) {
          expect(record[column]).toBe(block[column]);
        }
      }
    }
  });

  it('has both legs of every crossing, and the zone chain stays as it was', () => {
    const { zone } = chain;
    const last = zone.headAt(HEAD - 6);
    let above = 0;
    for (const zoneHeight of heights(0, last)) {
      const records = zone.recordsAt(zoneHeight);
      if (zoneHeight % 50 === 0) expect(records).toEqual(base.zone.recordsAt(zoneHeight));
      for (const record of records.cross_chain_transfers) {
        if (record['main_tx_hash'] === null) continue;
        const leg = chain
          .recordsAt(Number(record['main_block_number']))
          .transactions.find(({ tx_hash }) => tx_hash === record['main_tx_hash']);
        expect(leg?.['block_time']).toBe(record['main_block_time']);
        expect(leg?.['tx_status']).toBe('success');
        if (Number(record['main_block_number']) >= FROM) above += 1;
      }
    }
    expect(above).toBeGreaterThan(100);
  });
});

describe('forks', () => {
  const a = { from: 10, salt: 'a' };
  const b = { from: 20, salt: 'b' };
  const c = { from: 15, salt: 'c' };

  it('stand as far as no later one replaces them', () => {
    expect(standingForks([a, b])).toEqual([a, b]);
    expect(standingForks([a, b, c])).toEqual([a, c]);
    expect(standingForks([b, { ...b, salt: 'd' }, a])).toEqual([a]);
    expect(withForks(a, b, c).forks).toEqual([a, c]);
    expect(withForks(a, b).forked(c).forks).toEqual([a, c]);
  });

  it('part chains at the lowest height where only one of them has a fork', () => {
    const never = Number.POSITIVE_INFINITY;
    expect(firstDifference([], [])).toBe(never);
    expect(firstDifference([a, b], [a, b])).toBe(never);
    expect(firstDifference([a], [])).toBe(10);
    expect(firstDifference([a, b], [a, c])).toBe(15);
    expect(firstDifference([a], [a, b])).toBe(20);
    expect(firstDifference([b], [{ ...b, salt: 'd' }])).toBe(20);
  });

  it('begin at heights', () => {
    for (const from of [-1, 1.5, Number.NaN]) {
      expect(() => withForks({ from, salt: '' })).toThrow(RangeError);
      expect(() => base.forked({ from, salt: '' })).toThrow(RangeError);
    }
    expect(blockOf(withForks({ from: 0, salt: '' }), 0)).not.toEqual(blockOf(base, 0));
  });
});
