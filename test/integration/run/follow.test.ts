import { describe, expect, it } from 'vitest';
import { FINALITY, followedWorld, HEAD } from '../../fixtures/followed-world.ts';

/** Goal: a follower's lake equals one export of the same chain; follow-failures.test.ts has more. */

describe('a follower', () => {
  it('lands final blocks once, and reads those above them again', async () => {
    const { follow: followed, exported, digests } = await followedWorld();
    const { cycles, failures } = await followed(10);
    expect(failures).toEqual([]);
    expect(cycles.map(({ ran }) => ran.plan.heads.primary?.safe)).toEqual(
      [0, 5, 10].map((seconds) => HEAD + seconds - FINALITY),
    );
    // After the first run, each list has 5 final blocks and 10 above them.
    const walked = cycles
      .slice(1)
      .map(({ ran }) =>
        ran.plan.slices.map(({ interval: { from, to } }) => to - from + 1).sort((a, b) => a - b),
      );
    expect(new Set(walked.map(String))).toEqual(new Set(['5,5,11,11']));
    expect(await digests()).toEqual(await exported());
  });

  it('maintains the lake from a run that is drawn, so also where it is restarted often', async () => {
    const { follow: followed } = await followedWorld(undefined, undefined, () => 0.04);
    for (const untilSeconds of [10, 20]) {
      const { cycles } = await followed(untilSeconds);
      expect(cycles.slice(0, 3).map(({ ran }) => ran.upkeep !== undefined)).toEqual([
        false,
        true,
        false,
      ]);
    }
  });
});
