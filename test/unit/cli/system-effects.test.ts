import { describe, expect, it } from 'vitest';
import { systemEffects } from '../../../src/system.ts';

describe('a sleep of the real clock', () => {
  const { sleep } = systemEffects('warn', {});

  it('rejects with the reason it was aborted for, before it and in the midst of it', async () => {
    const reason = new Error('the credentials were refused');
    await expect(sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const stop = new AbortController();
    const sleeping = sleep(60_000, stop.signal);
    stop.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });

  it('ends by itself where nobody aborts it', async () => {
    await expect(sleep(0, new AbortController().signal)).resolves.toBeUndefined();
    await expect(sleep(0)).resolves.toBeUndefined();
  });
});
