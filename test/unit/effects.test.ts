import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { untilAny } from '../../src/effects.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The signal that `use` gets of these sources. */
async function signalOf(sources: readonly AbortSignal[]): Promise<AbortSignal> {
  return untilAny(sources, async (signal) => signal);
}

test.each([0, 1])('is aborted with the reason of source %i', async (which) => {
  const sources = [new AbortController(), new AbortController()];
  await untilAny(
    sources.map(({ signal }) => signal),
    async (signal) => {
      expect(signal.aborted).toBe(false);
      sources[which]?.abort('why');
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toBe('why');
      sources[1 - which]?.abort('later');
      expect(signal.reason).toBe('why');
    },
  );
});

test('is aborted from the start where a source is', async () => {
  const signal = await signalOf([new AbortController().signal, AbortSignal.abort('before')]);
  expect(signal.reason).toBe('before');
});

test('leaves nothing at its sources, whether the work succeeds or fails', async () => {
  const source = new AbortController();
  const signal = await signalOf([source.signal]);
  await expect(
    untilAny([source.signal], () => Promise.reject(new Error('failed'))),
  ).rejects.toThrow('failed');
  // Node holds the remover of a listener with a signal of its own only weakly.
  await untilAny([source.signal], async () => {
    await untilAny([source.signal], async () => undefined);
    await new Promise(setImmediate);
    collectGarbage();
  });
  expect(getEventListeners(source.signal, 'abort')).toEqual([]);
  source.abort();
  expect(signal.aborted).toBe(false);
});
