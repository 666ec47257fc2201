import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BlockCheckpoint,
  CHECKPOINT_DEPTH_BLOCKS,
  checkpointHeights,
} from '../../../../src/coverage/checkpoints.ts';
import { changedFrom, type HashAt } from '../../../../src/fetch/chain/checkpoints.ts';

/** A chain whose blocks from `fork` on are others than those of the chain called `a`. */
function chainFrom(fork: number): { readonly hashAt: HashAt; readonly asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    hashAt: async (height) => {
      asked.push(height);
      return `${height < fork ? 'a' : 'b'}${height}`;
    },
  };
}

const checkpointsAt = (heights: readonly number[]): BlockCheckpoint[] =>
  heights.map((height) => ({ height, hash: `a${height}` }));

describe('heights to remember', () => {
  it('are the last final block and one that a reorganisation of it leaves standing', () => {
    expect(checkpointHeights(10_000, [])).toEqual([9999, 9999 - CHECKPOINT_DEPTH_BLOCKS]);
    expect(checkpointHeights(1, [])).toEqual([0]);
    expect(checkpointHeights(0, [])).toEqual([]);
    expect(checkpointHeights(300, [])).toEqual([299, 0]);
  });

  it('name a checkpoint again that is deep enough, and not much deeper', () => {
    expect(checkpointHeights(10_000, checkpointsAt([9000]))).toEqual([9999, 9000]);
    expect(checkpointHeights(10_000, checkpointsAt([9900]))).toEqual([
      9999,
      9999 - CHECKPOINT_DEPTH_BLOCKS,
    ]);
    expect(checkpointHeights(10_000, checkpointsAt([100]))).toEqual([
      9999,
      9999 - CHECKPOINT_DEPTH_BLOCKS,
    ]);
  });
});

describe('what has changed', () => {
  it('is nothing, by one request, where the newest checkpoint stands', async () => {
    const { hashAt, asked } = chainFrom(1000);
    expect(await changedFrom(hashAt, checkpointsAt([10, 20, 30]), 2000)).toBeUndefined();
    expect(asked).toEqual([30]);
  });

  it('is unknown where there are no checkpoints, or the service says no hash', async () => {
    expect(await changedFrom(async () => undefined, checkpointsAt([10]), 100)).toBeUndefined();
    expect(await changedFrom(chainFrom(0).hashAt, [], 100)).toBeUndefined();
  });

  it('is not guessed where the service says no hash of a checkpoint below one that has changed', async () => {
    const hashAt: HashAt = async (height) => (height === 30 ? 'b30' : undefined);
    const found = changedFrom(hashAt, checkpointsAt([10, 20, 30]), 2000);
    await expect(found).rejects.toThrow('does not say the hash of block 20');
  });

  it('begins right above the last checkpoint that stands, whatever the checkpoints and the fork', async () => {
    const heights = fc.uniqueArray(fc.nat(5000), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(heights, fc.nat(5100), fc.nat(5100), async (at, fork, head) => {
        const { hashAt, asked } = chainFrom(fork);
        const seen = at.filter((height) => height <= head).sort((a, b) => a - b);
        const standing = seen.filter((height) => height < fork);
        const newest = seen.at(-1);
        const found = changedFrom(hashAt, checkpointsAt(at), head);
        if (newest === undefined || newest < fork) expect(await found).toBeUndefined();
        else if (standing.length === 0) await expect(found).rejects.toThrow('another chain');
        else expect(await found).toBe((standing.at(-1) ?? 0) + 1);
        const most = 2 * Math.ceil(Math.log2(seen.length + 1)) + 3;
        expect(new Set(asked).size).toBeLessThanOrEqual(most);
      }),
      { seed: 20_261_121, numRuns: 500 },
    );
  });

  it('cannot be told of checkpoints above the head, and these are not asked for', async () => {
    const { hashAt, asked } = chainFrom(50);
    expect(await changedFrom(hashAt, checkpointsAt([10, 60]), 40)).toBeUndefined();
    expect(asked).toEqual([10]);
  });
});
