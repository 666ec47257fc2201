import { describe, expect, it } from 'vitest';
import { firstDifferences } from '../../../../src/run/reconcile/first-difference.ts';

/** Goal: an explanation stands for a whole difference, or the verdict is open. */

const TO = 2 ** 20;
const address = '0xaa';

/** The result for an address that never moved anything, and whose ledger has unknown legs. */
async function lookedFor(...heights: readonly number[]) {
  const legs = heights.map((height) => {
    const parties = { from: '0xbb', to: address, amount: 1n, tokenId: null };
    return { leg: 'value', height, txHash: `0x${height}`, logIndex: null, ...parties };
  });
  const ledger = {
    sums: async (asked: readonly { height: number }[]) =>
      asked.map(({ height }) => String(legs.filter((leg) => leg.height <= height).length)),
    movements: async (_subject: unknown, _places: number, from: number, to: number) =>
      legs
        .filter(({ height }) => height >= from && height <= to)
        .map((leg) => ({ ...leg, isUnknown: true })),
  };
  const witnesses = { ask: async (asked: unknown[]) => asked.map(() => ({ value: 0n })) };
  const blocks = { movements: async () => ({ movements: [], hasInternal: true, calls: 1 }) };
  const start = {
    subject: { address, kind: 'native', token: null, tokenId: null, from: 1, to: TO, isHeld: true },
    places: 0,
    opening: 0n,
    search: { base: 0n, low: 0, high: TO, highError: BigInt(-legs.length) },
    calls: 2,
  };
  const [closed] = await firstDifferences([start] as never, {
    ...({ ledger, witnesses, blocks } as never as Parameters<typeof firstDifferences>[1]),
  });
  return closed;
}

describe('unknown legs that moved nothing', () => {
  it('explain a difference that is theirs', async () => {
    expect(await lookedFor(100)).toMatchObject({ verdict: 'explained', cause: 'unknown legs' });
  });

  it('leave the blocks open that no call is left for', async () => {
    const closed = await lookedFor(100, 900_000);
    expect(closed).toMatchObject({
      verdict: 'not_checked',
      cause: 'unknown legs (looked for up to block 100)',
    });
    expect(closed?.findings.map(({ block_number }) => block_number)).toEqual([100]);
  });
});
