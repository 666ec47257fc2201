import { describe, expect, it } from 'vitest';
import { balancesAt } from '../../../../test/fixtures/balances.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { ENDLESS_SLICE, timeSlices } from '../../../src/protocol/time-slices.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { ledgerOf } from '../../../src/simulated/ledger.ts';

const HEAD = 900;
const chain = simulatedChain({ seed: 'ledger', head: HEAD, zoneStart: 100 });

describe('the ledger', () => {
  it('has the balances of the chain at any height, in any order of asking', async () => {
    const ledger = ledgerOf(chain, ENDLESS_SLICE);
    await ledger.reach(HEAD);
    for (const height of [HEAD, 0, 250, 251, 500]) {
      const { native, tokens } = balancesAt(chain, height);
      for (const [address, wei] of native) {
        expect(ledger.nativeAt(address, height)).toBe(chain.allocationWei(address) + wei);
      }
      const sums = new Map<string, bigint>();
      for (const [key, units] of tokens) {
        const [address = '', token = '', id = ''] = key.split('|');
        expect(ledger.tokensAt(address, token, height, id)).toBe(units);
        const both = `${address}|${token}`;
        sums.set(both, (sums.get(both) ?? 0n) + units);
      }
      for (const [key, units] of sums) {
        const [address = '', token = ''] = key.split('|');
        expect(ledger.tokensAt(address, token, height)).toBe(units);
      }
    }
  });

  it('counts the transactions of each sender: the next nonce', async () => {
    const ledger = ledgerOf(chain, ENDLESS_SLICE);
    await ledger.reach(HEAD);
    for (let height = 0; height <= HEAD; height += 1) {
      for (const { sender, transaction } of chain.executedAt(height).executed) {
        const before = ledger.sentAt(sender, height - 1);
        expect(Number(transaction['nonce'])).toBeGreaterThanOrEqual(before);
        expect(Number(transaction['nonce'])).toBeLessThan(ledger.sentAt(sender, height));
      }
    }
  });

  it('lets others work while it counts, and counts once for all who ask', async () => {
    let pauses = 0;
    const counted: number[] = [];
    const watched = {
      ...chain,
      executedAt: (height: number) => {
        counted.push(height);
        return chain.executedAt(height);
      },
    };
    const pause = async () => {
      pauses += 1;
    };
    // A block of the ledger takes a millisecond of this clock.
    const ledger = ledgerOf(watched, timeSlices({ pause, now: quietEffects().now }));
    await Promise.all([ledger.reach(700), ledger.reach(600), ledger.reach(HEAD)]);
    expect(counted).toEqual(Array.from({ length: HEAD + 1 }, (_, height) => height));
    expect(pauses).toBeGreaterThanOrEqual(HEAD / 10);
  });
});
