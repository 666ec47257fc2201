import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Movement } from '../../../../src/fetch/witness/movement.ts';
import { differencesOf } from '../../../../src/run/reconcile/differences.ts';
import {
  narrowed,
  nextHeight,
  type Search,
} from '../../../../src/run/reconcile/first-difference.ts';

/** Goal: the first difference is found within the logarithm of the range, and named exactly. */

const OWNER = '0xaa';

function movement(height: number, txHash: string, amount: bigint, more: Partial<Movement> = {}) {
  const place = { height, txHash, logIndex: null, from: '0xbb', to: OWNER, tokenId: null };
  return { leg: 'value', ...place, amount, ...more, isUnknown: false } as const;
}

describe('bisection', () => {
  it('ends at the block of the only fault, after few readings', () => {
    const fault = fc.record({ low: fc.nat(1000), length: fc.integer({ min: 1, max: 2 ** 25 }) });
    fc.assert(
      fc.property(fault, fc.double({ min: 0, max: 1, noNaN: true }), ({ low, length }, share) => {
        const at = low + 1 + Math.floor(share * (length - 1));
        let search: Search = { base: 5n, low, high: low + length, highError: 12n };
        let readings = 0;
        for (let next = nextHeight(search); next !== undefined; next = nextHeight(search)) {
          search = narrowed(search, next, next >= at ? 12n : 5n);
          readings += 1;
        }
        expect([search.low, search.high]).toEqual([at - 1, at]);
        expect(readings).toBeLessThanOrEqual(Math.ceil(Math.log2(length)));
      }),
      { seed: 51 },
    );
  });
});

describe('the differences of movements', () => {
  const kept = [movement(7, '0x1', 100n), movement(7, '0x1', 100n), movement(9, '0x2', 5n)];

  it.each([
    ['missing', kept.slice(1), 100n],
    ['extra', [...kept, movement(9, '0x2', 5n)], -5n],
    ['changed', [movement(7, '0x1', 99n), ...kept.slice(1)], 1n],
    ['moved', [...kept.slice(0, 2), movement(10, '0x2', 5n)], 0n],
  ] as const)('names a %s one, with its effect', (what, inLedger, effect) => {
    expect(differencesOf(OWNER, kept, inLedger)).toMatchObject([{ what, effect }]);
  });

  it('name the recipient that the ledger lacks among several of equal amounts', () => {
    const paid = ['0xc1', '0xc2', '0xc3'].map((to) => movement(7, '0x1', 3n, { from: OWNER, to }));
    const differences = differencesOf(OWNER, paid, [...paid.slice(1)].reverse());
    expect(differences).toMatchObject([{ what: 'missing', onChain: { to: '0xc1' } }]);
  });

  it('are none for the same movements in another order, and for those that move nothing', () => {
    const idle = [movement(8, '0x3', 0n), movement(8, '0x4', 3n, { from: OWNER })];
    expect(differencesOf(OWNER, [...idle, ...kept], [...kept].reverse())).toEqual([]);
  });

  it('count a transaction of an address to itself as one that it sent', () => {
    const sent = (txHash: string, to: string | null) =>
      movement(7, txHash, 1n, { leg: 'nonce', from: OWNER, to });
    const onChain = [sent('0x1', OWNER), sent('0x2', '0xbb'), sent('0x3', OWNER)];
    const inLedger = [sent('0x1', null), sent('0x2', null)];
    const missing = { what: 'missing', onChain: { txHash: '0x3' }, effect: 1n };
    expect(differencesOf(OWNER, onChain, inLedger)).toMatchObject([missing]);
  });

  it('set a call of unknown status apart, which did not move', () => {
    const call = { ...movement(8, '0x5', 3n), isUnknown: true };
    expect(differencesOf(OWNER, kept, [...kept, call])).toMatchObject([{ what: 'unknown' }]);
  });
});
