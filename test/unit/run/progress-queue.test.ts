import { expect, test } from 'vitest';
import { ProgressQueue } from '../../../src/run/shell/progress-queue.ts';

async function kinds(queue: ProgressQueue<{ readonly kind: string }>): Promise<string[]> {
  const read: string[] = [];
  for await (const { kind } of queue) read.push(kind);
  return read;
}

test('two readers who wait share the events, and both see the end', async () => {
  const queue = new ProgressQueue<{ readonly kind: string }>();
  const readers = Promise.all([kinds(queue), kinds(queue)]);
  await Promise.resolve(); // both wait
  for (const kind of ['planned', 'publishing']) queue.push({ kind });
  queue.end();
  expect((await readers).flat().sort()).toEqual(['planned', 'publishing']);
});
