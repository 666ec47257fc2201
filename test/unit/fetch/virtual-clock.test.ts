import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../fixtures/virtual-clock.ts';

/** The tests of the fetch stage depend on this clock, so it is tested as well. */
describe('a virtual clock', () => {
  it('wakes sleepers in the order of their times, and equal ones in the order of the calls', async () => {
    const clock = virtualClock(1, 0);
    const woken: string[] = [];
    const sleep = async (name: string, delayMs: number): Promise<void> => {
      await clock.sleep(delayMs);
      woken.push(`${name}@${clock.now()}`);
    };
    await clock.run(
      Promise.all([sleep('c', 30), sleep('a', 10), sleep('d', 30), sleep('b', 20), sleep('0', 0)]),
    );
    expect(woken).toEqual(['0@0', 'a@10', 'b@20', 'c@30', 'd@30']);
  });

  it('advances by exactly the given time', async () => {
    const clock = virtualClock(1, 0);
    let woken = false;
    const sleeping = clock.sleep(100).then(() => {
      woken = true;
    });
    await clock.pass(99);
    expect([clock.now(), woken]).toEqual([99, false]);
    await clock.pass(1);
    expect([clock.now(), woken]).toEqual([100, true]);
    await sleeping;
  });

  it('rejects a sleeper with the reason of its signal', async () => {
    const clock = virtualClock();
    const abort = new AbortController();
    const sleeping = clock.sleep(100, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(1, abort.signal)).rejects.toThrow('enough');
  });

  it('reports work that can never end, and returns its outcome', async () => {
    const clock = virtualClock();
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow('nothing sleeps');
    await expect(clock.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await clock.run(Promise.resolve(5))).toBe(5);
  });

  it('gives the same random numbers for the same seed', () => {
    const draw = (seed: number): number[] => {
      const clock = virtualClock(seed);
      return [clock.random(), clock.random(), clock.random()];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    for (const each of draw(7)) expect(each >= 0 && each < 1).toBe(true);
  });
});
