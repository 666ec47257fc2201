import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import type { Listener } from '../../service/src/server/listener.ts';
import { listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { MAIN } from './command-line.ts';
import { malformedRequests } from './malformed-requests.ts';
import { attacked, outcomeOf } from './service-abuse.ts';

/** Answers that refuse: an HTTP status of an error, or 200 with the code of too many items. */
const REFUSED = /^(4[0-9]{2} 50[0-9]{3}|200 50025|closed)$/;

describe('a malformed request', () => {
  let listener: Listener;
  const said: string[] = [];

  beforeAll(async () => {
    const effects = quietEffects({
      log: (level, text) => void (level === 'debug' || said.push(text)),
    });
    const source = chainSource(simulatedChain({ seed: 'abuse', head: 50 }));
    listener = await listen(createService({ source, effects }), { effects });
  });
  afterAll(() => listener.close());

  it.each(malformedRequests)('with $name is refused with a code, or closed', async ({ bytes }) => {
    expect(await outcomeOf(Number(new URL(listener.url).port), bytes())).toMatch(REFUSED);
    expect(said).toEqual([]);
  });
});

describe('a service under attack', () => {
  it('refuses or closes everything, serves its clients and keeps its memory', async () => {
    const attack = { durationMs: 8_000, slowSockets: 200, malformed: 1000 };
    const { good, outcomes, slow, memory, exitCode, said } = await attacked(MAIN, attack);
    expect(said).toBe('');
    expect(Object.keys(outcomes).filter((outcome) => !REFUSED.test(outcome))).toEqual([]);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(1000);
    expect(slow.closedByService).toBeGreaterThanOrEqual(attack.slowSockets / 2);
    expect(good.failed).toBe(0);
    // Beside other work, a client that asks every 20 ms gets less often an answer than alone, where
    // 99 of 100 take less than 200 ms.
    expect(good.count).toBeGreaterThan(20);
    expect(good.p99Ms).toBeLessThan(2_000);
    expect(memory.peakBytes - memory.beforeBytes).toBeLessThan(150 * 2 ** 20);
    expect(exitCode).toBe(0);
  });
});
