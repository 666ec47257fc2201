import { describe, expect, it } from 'vitest';
import { LIMITS } from './families/limits.ts';
import { testFamilies } from './family-tests.ts';
import { recordCap } from './faults/limits.ts';
import { play } from './play.ts';

describe('an honest service', () => {
  it('gives a lake that is the chain, and no message', async () => {
    const { wrong, complete, exit, messages } = await play({ seed: 1 });
    expect(complete).toBeGreaterThan(2000);
    expect({ wrong, exit, messages }).toEqual({ wrong: 0, exit: 0, messages: [] });
  });
});

describe('a service that cuts the list of one address inside a block', () => {
  it('is noticed where the list of another address has the records', async () => {
    const { wrong, complete, statuses, exit, messages } = await play({
      seed: 8,
      chainSeed: 3,
      fault: recordCap(150),
    });
    expect(complete).toBeGreaterThan(2000);
    expect({ wrong, exit, inconsistent: statuses['inconsistent'] }).toEqual({
      wrong: 0,
      exit: 3,
      inconsistent: 2,
    });
    expect(messages.join()).toContain('its records differ from those in the list of 0x');
  });
});

testFamilies('services with other limits, filters and counts', LIMITS);
