import { describe, expect, it, test } from 'vitest';
import { FalseEmpties } from '../../../../src/fetch/http/false-empties.ts';
import { endpoint, pageOf, query, refused, setUp } from '../../../fixtures/fetch-client-setup.ts';
import { asSent } from '../../../fixtures/listed.ts';

/** Goal: an empty answer that must have records counts as throttling without a throttling code. */

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
  it('is retried, and reported to the caller each time', async () => {
    const set = setUp((_, count) => (count < 4 ? pageOf() : pageOf({ a: '1' })));
    const { ask, falseEmpties } = asking(set);
    expect(await set.clock.run(ask())).toMatchObject({ records: asSent([{ a: '1' }]) });
    expect(set.requests).toHaveLength(4);
    expect(falseEmpties()).toBe(3);
    expect(set.client.statistics()).toMatchObject({ rejections: 3, retries: { throttle: 3 } });
  });

  it('is returned after six others, so that every call ends', async () => {
    const set = setUp(() => pageOf());
    const { ask, falseEmpties } = asking(set);
    expect(await set.clock.run(ask())).toMatchObject({ records: [] });
    expect(set.requests).toHaveLength(7);
    expect(falseEmpties()).toBe(6);
  });

  it('costs no attempt of a call that also has transient failures', async () => {
    const set = setUp((_, count) => {
      if (count > 8) return pageOf({ a: '1' });
      return count % 2 === 0 ? pageOf() : refused('50011');
    });
    const { ask } = asking(set);
    expect(await set.clock.run(ask())).toMatchObject({ records: asSent([{ a: '1' }]) });
  });

  it('is an ordinary answer if no records are due', async () => {
    const set = setUp(() => pageOf());
    expect(await set.clock.run(set.call())).toMatchObject({ records: [] });
    expect(set.requests).toHaveLength(1);
  });
});

/** Requests per second before the first false answer. */
const START = 100;

describe('the pacer', () => {
  it('slows down at the first false empty answer', async () => {
    const set = setUp((_, count) => (count === 1 ? pageOf() : pageOf({ a: '1' })));
    await set.clock.run(asking(set).ask());
    expect(set.pacer.explain().ratePerSecond).toBeLessThan(START);
    expect(set.pacer.memory().ceilingPerSecond).not.toBeNull();
  });

  it('slows down at most to a fifth of the rate, because the rate is not the cause', async () => {
    // Every second question has one false answer, at any rate.
    const answered = new Set<string>();
    const set = setUp(({ target }) => {
      if (answered.has(target)) return pageOf({ a: '1' });
      answered.add(target);
      return pageOf();
    });
    const rates: number[] = [];
    for (let i = 0; i < 300; i += 1) {
      const call = set.client.call(
        endpoint,
        { ...query, startBlockHeight: String(i) },
        { priority: 0, onFalseEmpty: () => undefined },
      );
      await set.clock.run(call);
      rates.push(set.pacer.explain().ratePerSecond);
    }
    const first = rates[0] ?? 0;
    const floor = Math.min(...rates);
    expect(floor).toBeLessThan(first * 0.4);
    // One last cut may start above the floor.
    expect(floor).toBeGreaterThan(first * 0.2 * 0.5);
  });
});

test('a question with only false answers leaves the pacer at a fifth of its rate', async () => {
  const set = setUp(({ target }) =>
    target.includes('startBlockHeight=0') ? pageOf() : pageOf({ a: '1' }),
  );
  const rates: number[] = [];
  for (let i = 0; i < 120; i += 1) {
    const startBlockHeight = i % 3 === 0 ? '0' : String(i);
    const options = { priority: 0, onFalseEmpty: () => undefined };
    await set.clock.run(set.client.call(endpoint, { ...query, startBlockHeight }, options));
    rates.push(set.pacer.explain().ratePerSecond);
  }
  expect(Math.min(...rates)).toBeGreaterThan(0.2 * 0.7 * START);
});

test('the rate counts as the cause of false empty answers down to a fifth of the first such rate', () => {
  const falseEmpties = new FalseEmpties();
  const call = { onFalseEmpty: () => undefined, falseEmpties: 0 };
  const refusal = falseEmpties.refusalOf(call, { records: [] });
  if (refusal === undefined) throw new Error('an empty reply is a refusal');
  expect([100, 50, 5].map((rate) => falseEmpties.floorOf(refusal, rate))).toEqual([20, 20, 20]);
  const other = { ...refusal, code: '50011' };
  expect(falseEmpties.floorOf(other, 1)).toBe(0);
});
