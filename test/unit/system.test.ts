import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemEffects } from '../../src/system.ts';

test('a sleep beyond the longest timer of Node does not end at once', async () => {
  const warnings: string[] = [];
  process.once('warning', ({ name }) => warnings.push(name));
  const stop = new AbortController();
  const asleep = systemEffects('warn').sleep(Number.POSITIVE_INFINITY, stop.signal);
  stop.abort(new Error('the end'));
  await expect(asleep).rejects.toThrow('the end');
  await turn();
  expect(warnings).toEqual([]);
});
