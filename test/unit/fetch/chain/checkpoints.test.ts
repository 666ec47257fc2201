import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BlockCheckpoint,
  CHECKPOINT_DEPTH_BLOCKS,
  checkpointHeights,
} from '../../../../src/coverage/checkpoints.ts';
import {
  blockHashes,
  changedFrom,
  type HashAt,
  takeCheckpoints,
} from '../../../../src/fetch/chain/checkpoints.ts';
import type { Caller } from '../../../../src/fetch/http/caller.ts';
import { listed } from '../../../fixtures/listed.ts';

/** A chain that differs from the chain `a` from block `fork` on. */
function chainFrom(fork: number): { readonly hashAt: HashAt; readonly heights: number[] } {
  const heights: number[] = [];
  return {
    heights,
    hashAt: async (height) => {
      heights.push(height);
      return `${height < fork ? 'a' : 'b'}${height}`;
    },
  };
}

const checkpointsAt = (heights: readonly number[]): BlockCheckpoint[] =>
  heights.map((height) => ({ height, hash: `a${height}` }));

describe('heights to remember', () => {
  it('are the last final block and one below its possible reorganisation', () => {
    expect(checkpointHeights(10_000, [])).toEqual([9999, 9999 - CHECKPOINT_DEPTH_BLOCKS]);
    expect(checkpointHeights(1, [])).toEqual([0]);
    expect(checkpointHeights(0, [])).toEqual([]);
    expect(checkpointHeights(300, [])).toEqual([299, 0]);
  });

  it('reuse a checkpoint that is deep enough, and not much deeper', () => {
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

describe('the lowest changed height', () => {
  it('is undefined without checkpoints, or if the service returns no hash', async () => {
    expect(await changedFrom(async () => undefined, checkpointsAt([10]), 100)).toBeUndefined();
    expect(await changedFrom(chainFrom(0).hashAt, [], 100)).toBeUndefined();
  });

  it('is not guessed if the hash below a changed checkpoint is missing', async () => {
    const hashAt: HashAt = async (height) => (height === 30 ? 'b30' : undefined);
    const results = changedFrom(hashAt, checkpointsAt([10, 20, 30]), 2000);
    await expect(results).rejects.toThrow('returned no hash for block 20');
  });

  it('is right above the last matching checkpoint, for any checkpoints and fork', async () => {
    const heights = fc.uniqueArray(fc.nat(5000), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(heights, fc.nat(5100), fc.nat(5100), async (at, fork, head) => {
        const { hashAt, heights: reads } = chainFrom(fork);
        const seen = at.filter((height) => height <= head).sort((a, b) => a - b);
        const standing = seen.filter((height) => height < fork);
        const newest = seen.at(-1);
        const results = changedFrom(hashAt, checkpointsAt(at), head);
        if (newest === undefined || newest < fork) expect(await results).toBeUndefined();
        else if (standing.length === 0) await expect(results).rejects.toThrow('another chain');
        else expect(await results).toBe((standing.at(-1) ?? 0) + 1);
        const most = 2 * Math.ceil(Math.log2(seen.length + 1)) + 3;
        expect(new Set(reads).size).toBeLessThanOrEqual(most);
      }),
      { seed: 20_261_121, numRuns: 500 },
    );
  });

  it('ignores checkpoints above the head', async () => {
    const { hashAt, heights } = chainFrom(50);
    expect(await changedFrom(hashAt, checkpointsAt([10, 60]), 40)).toBeUndefined();
    expect(heights).toEqual([10]);
  });
});

describe('the checkpoints of a run', () => {
  it('are one request and a comparison where an older one is deep enough', async () => {
    const { hashAt, heights } = chainFrom(20_000);
    const state = checkpointsAt([9000, 9990]);
    const isRead = (height: number): boolean => height === 9990;
    const hashes = { at: hashAt, isRead };
    const options = { matches: state, hashes, reading: () => hashes, safe: 10_000, head: 10_050 };
    expect(await takeCheckpoints(options)).toEqual(checkpointsAt([9999, 9000]));
    expect(heights).toEqual([9999, 9990]);
  });
});

describe('the hash of a block that comes and goes', () => {
  /** A service that returns other hashes of blocks from `fork` on in some of its answers. */
  function flapping(
    fork: { readonly from: number; readonly to: number },
    isOther: (nth: number) => boolean,
  ): { readonly hashAt: HashAt; readonly heights: number[] } {
    const heights: number[] = [];
    const caller: Caller = {
      call: async (endpoint, query) => {
        const height = Number(query['height']);
        const nth = heights.filter((entry) => entry === height).length;
        heights.push(height);
        const isForked = height >= fork.from && height <= fork.to && isOther(nth);
        return {
          records: listed(endpoint, [
            { height: String(height), hash: `0x${isForked ? 'b' : 'a'}${height}` },
          ]),
        };
      },
    };
    const { at } = blockHashes(caller, { axis: 'primary', chain: 'MAINCHAIN' });
    return { heights, hashAt: at };
  }
  const state = [0, 250, 300].map((height) => ({ height, hash: `0xa${height}` }));
  const alone = { from: 300, to: 300 };
  const branch = { from: 299, to: Number.POSITIVE_INFINITY };

  it.each<[string, (nth: number) => boolean]>([
    ['once', (nth) => nth === 0],
    ['every other time', (nth) => nth % 2 === 0],
  ])('is no change if it differs %s and the next block does not', async (_, isOther) => {
    const { hashAt, heights } = flapping(alone, isOther);
    for (let table = 0; table < 3; table += 1) {
      expect(await changedFrom(hashAt, state, 400)).toBeUndefined();
    }
    expect(heights).toEqual([300, 300, 300, 300, 300, 301, 301, 301, 301, 301]);
  });

  it.each<[string, Parameters<typeof flapping>[0], (nth: number) => boolean, number]>([
    ['differs always', alone, () => true, 5],
    ['is the expected one once', alone, (nth) => nth !== 3, 5],
    ['changes with those of later blocks', branch, (nth) => nth % 2 === 0, 10],
  ])('is a change above the last matching checkpoint if it %s', async (_, fork, isOther, more) => {
    const { hashAt, heights } = flapping(fork, isOther);
    for (let table = 0; table < 3; table += 1) {
      expect(await changedFrom(hashAt, state, 400)).toBe(251);
    }
    expect(heights).toHaveLength(more + 1);
  });
});
