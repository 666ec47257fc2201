import { expect, test } from 'vitest';
import { rateSamples } from '../../../src/run/rate-samples.ts';

/** Goal: a run of any length leaves a bounded number of samples that reach from start to end. */

test('a long run keeps few samples, evenly over its time', () => {
  let nowMs = 5_000;
  let requests = 0;
  const connection = {
    statistics: () => ({ requests, rejections: 0 }),
    pace: () => ({ ceilingPerSecond: null }),
  } as unknown as Parameters<typeof rateSamples>[0];
  const samples = rateSamples(connection, { now: () => nowMs });
  samples.planned();
  for (let i = 0; i < 100_000; i += 1) {
    nowMs += 100;
    requests += 1;
    samples.progressed();
  }
  samples.loading();
  const all = samples.all();
  expect(all.length).toBeGreaterThan(100);
  expect(all.length).toBeLessThanOrEqual(241);
  expect(all[0]).toMatchObject({ seconds: 0, requests: 0, ceilingPerSecond: null });
  expect(all.at(-1)).toMatchObject({ seconds: 10_000, requests: 100_000 });
});
