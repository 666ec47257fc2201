import { describe, expect, it } from 'vitest';
import { replicas } from './faults/order.ts';
import { play } from './play.ts';

/** Goal: what the other plays find in this process holds for the command line over HTTP. */

describe('the command line', () => {
  it('calls no wrong row complete where two back ends order a height differently', async () => {
    const size = { head: 9_999, addresses: 6, transactions: 150, bursts: 2, burstRecords: 160 };
    const settings = { maxPerSecond: 5000 };
    const fault = replicas(0.5, 7);
    const played = await play({ seed: 1, fault, size, settings, isOverHttp: true });
    expect(played.complete).toBeGreaterThan(500);
    expect(played.wrong).toBe(0);
  });
});
