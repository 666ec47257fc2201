import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { limitHeapGrowth } from '../../src/system.ts';

/** Has 300,000 objects, and fills and drops batches of others; posts the largest heap [bytes]. */
const CHURN = `
  const objects = (count) => Array.from({ length: count }, (_, i) => ({ i, text: 'row ' + i }));
  const live = objects(300_000);
  let peak = 0;
  for (let round = 0; round < 30; round += 1) {
    objects(200_000);
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }
  require('node:worker_threads').parentPort.postMessage(live.length > 0 ? peak : 0);
`;

async function peakBytes(): Promise<number> {
  const worker = new Worker(CHURN, { eval: true });
  const [peak] = (await once(worker, 'message')) as [number];
  await worker.terminate();
  return peak;
}

test('the heap grows less before old objects are collected', async () => {
  const usual = await peakBytes();
  limitHeapGrowth();
  expect(await peakBytes()).toBeLessThan(0.85 * usual);
});
