import { describe, expect, it, test } from 'vitest';
import type { NodeQuestion } from '../../../../src/fetch/witness/question.ts';
import { firstDifferences } from '../../../../src/run/reconcile/first-difference.ts';

/** Goal: an explanation stands for a whole difference, or the verdict is open. */

const TO = 2 ** 20;
const address = '0xaa';

/**
 * The result for an address whose ledger has unknown legs that moved nothing, or that got
 * withdrawals, which no ledger has.
 */
async function lookedFor(heights: readonly number[], isLedger = true) {
  const legs = heights.map((height) => {
    const parties = { from: '0xbb', to: address, amount: 1n, tokenId: null };
    return { leg: 'value', height, txHash: `0x${height}`, logIndex: null, ...parties };
  });
  const upTo = (height: number) => legs.filter((leg) => leg.height <= height).length;
  const within = (from: number, to: number) =>
    legs.filter(({ height }) => height >= from && height <= to);
  const ledger = {
    sums: async (queries: readonly { height: number }[]) =>
      queries.map(({ height }) => String(isLedger ? upTo(height) : 0)),
    movements: async (_subject: unknown, _places: number, from: number, to: number) =>
      isLedger ? within(from, to).map((leg) => ({ ...leg, isUnknown: true })) : [],
  };
  const balanceAt = (tag: unknown) => ({ value: BigInt(isLedger ? 0 : upTo(Number(tag))) });
  const witnesses = {
    ask: async (questions: NodeQuestion<bigint>[]) =>
      questions.map(({ call }) => balanceAt(call.params[1])),
  };
  const blocks = {
    movements: async (_: unknown, at: number) => {
      const withdrawals = isLedger
        ? []
        : within(at, at).map((leg) => ({ ...leg, leg: 'withdrawal' }));
      return { movements: withdrawals, hasInternal: true, calls: 1 };
    },
  };
  const start = {
    subject: { address, kind: 'native', token: null, tokenId: null, from: 1, to: TO, isHeld: true },
    places: 0,
    opening: 0n,
    search: {
      base: 0n,
      low: 0,
      high: TO,
      highError: BigInt(isLedger ? -legs.length : legs.length),
    },
    calls: 2,
  };
  const [closed] = await firstDifferences([start] as never, {
    ...({ ledger, witnesses, blocks } as never as Parameters<typeof firstDifferences>[1]),
  });
  return closed;
}

describe('unknown legs that moved nothing', () => {
  it('explain a difference that is theirs', async () => {
    expect(await lookedFor([100])).toMatchObject({ verdict: 'explained', cause: 'unknown legs' });
  });

  it('leave the blocks open that no call is left for', async () => {
    const closed = await lookedFor([100, 900_000]);
    expect(closed).toMatchObject({
      verdict: 'not_checked',
      cause: 'unknown legs (looked for up to block 100)',
    });
    expect(closed?.findings.map(({ block_number }) => block_number)).toEqual([100]);
  });
});

test('withdrawals explain a difference, and leave the blocks open that no call is left for', async () => {
  const cause = 'rewards or withdrawals';
  expect(await lookedFor([100], false)).toMatchObject({ verdict: 'explained', cause });
  expect(await lookedFor([100, 900_000], false)).toMatchObject({
    verdict: 'not_checked',
    cause: `${cause} (looked for up to block 100)`,
  });
});
