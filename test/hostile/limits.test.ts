import { describe, expect, it } from 'vitest';
import { LIMITS } from './families/limits.ts';
import { testFamilies } from './family-tests.ts';
import { play } from './play.ts';

describe('an honest service', () => {
  it('gives a lake that is the chain, and no message', async () => {
    const { wrong, complete, exit, messages } = await play({ seed: 1, isShown: true });
    expect(complete).toBeGreaterThan(2000);
    expect({ wrong, exit, messages }).toEqual({ wrong: 0, exit: 0, messages: [] });
  });
});

testFamilies('services with other limits, filters and counts', LIMITS);
