import { describe, expect, it } from 'vitest';
import { endpoint, found, LATENCY_MS, query, refused, setUp } from './fetch-client-setup.ts';

/** Goal: an empty answer that must have records counts as throttling that does not say so. */

function asking(set: ReturnType<typeof setUp>) {
  let falseEmpties = 0;
  const ask = () =>
    set.client.call(endpoint, query, {
      priority: 0,
      onFalseEmpty: () => {
        falseEmpties += 1;
      },
    });
  return { ask, falseEmpties: () => falseEmpties };
}

describe('an empty answer to a question that has records', () => {
  it('is asked again, and the caller hears of each one', async () => {
    const set = setUp((_, count) => (count < 4 ? found() : found({ a: '1' })));
    const { ask, falseEmpties } = asking(set);
    expect(await set.clock.run(ask())).toMatchObject({ records: [{ a: '1' }] });
    expect(set.requests).toHaveLength(4);
    expect(falseEmpties()).toBe(3);
    expect(set.client.statistics()).toMatchObject({ rejections: 3, retries: { throttle: 3 } });
  });

  it('is returned after six others, so that no call goes on for ever', async () => {
    const set = setUp(() => found());
    const { ask, falseEmpties } = asking(set);
    expect(await set.clock.run(ask())).toMatchObject({ records: [] });
    expect(set.requests).toHaveLength(7);
    expect(falseEmpties()).toBe(6);
  });

  it('costs no attempt of a call that also fails in passing', async () => {
    const set = setUp((_, count) => {
      if (count > 8) return found({ a: '1' });
      return count % 2 === 0 ? found() : refused('50011');
    });
    const { ask } = asking(set);
    expect(await set.clock.run(ask())).toMatchObject({ records: [{ a: '1' }] });
  });

  it('is an answer like any other where no records are due', async () => {
    const set = setUp(() => found());
    expect(await set.clock.run(set.call())).toMatchObject({ records: [] });
    expect(set.requests).toHaveLength(1);
  });
});

describe('the pacer', () => {
  const START = 100;

  it('slows down at the first false empty answer', async () => {
    const set = setUp((_, count) => (count === 1 ? found() : found({ a: '1' })));
    await set.clock.run(asking(set).ask());
    expect(set.pacer.explain().ratePerSecond).toBeLessThan(START);
    expect(set.pacer.memory().ceilingPerSecond).not.toBeNull();
  });

  it('slows down to a fifth of the rate at the most, because the rate is not the cause', async () => {
    const set = setUp(() => found());
    const { ask } = asking(set);
    const rates: number[] = [];
    for (let i = 0; i < 40; i += 1) {
      await set.clock.run(ask());
      rates.push(set.pacer.explain().ratePerSecond);
    }
    // One cut below the floor may still follow, of at most three quarters of 0.84.
    expect(Math.min(...rates)).toBeGreaterThan(START * 0.2 * 0.5);
    expect(rates.at(-1)).toBeLessThan(START * 0.4);
    expect(set.requests.length).toBe(40 * 7);
    expect(LATENCY_MS).toBeLessThan(1000);
  });

  it('slows down further where the service refuses outright', async () => {
    const set = setUp((_, count) => (count <= 200 ? refused('50011') : found({ a: '1' })));
    await set.clock.run(asking(set).ask());
    expect(set.pacer.explain().ratePerSecond).toBeLessThan(START * 0.2);
  });
});
