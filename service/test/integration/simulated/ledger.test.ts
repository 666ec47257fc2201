import { parseEther } from 'viem';
import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
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
        const allocated = chain.allocations.has(address) ? chain.tokenAllocations.get(token) : 0n;
        const balance = (allocated ?? 0n) + units;
        expect(ledger.tokensAt(address, token, height, id)).toBe(balance);
        const both = `${address}|${token}`;
        sums.set(both, (sums.get(both) ?? 0n) + units);
      }
      for (const [key, units] of sums) {
        const [address = '', token = ''] = key.split('|');
        const allocated = chain.allocations.has(address) ? chain.tokenAllocations.get(token) : 0n;
        expect(ledger.tokensAt(address, token, height)).toBe((allocated ?? 0n) + units);
      }
    }
  });

  it('moves balances by the records of lists alone: amounts, fees, calls and transfers', async () => {
    const ledger = ledgerOf(chain, ENDLESS_SLICE);
    await ledger.reach(HEAD);
    const sums = new Map<string, bigint>();
    const move = (asset: string, record: CanonicalRecord, amount = record['amount']) => {
      const units = parseEther(String(amount));
      for (const [side, sign] of [
        ['from_address', -1n],
        ['to_address', 1n],
      ] as const) {
        const key = `${record[side]}|${asset}`;
        sums.set(key, (sums.get(key) ?? 0n) + sign * units);
      }
    };
    for (let height = 0; height <= HEAD; height += 1) {
      const records = chain.recordsAt(height);
      for (const row of records.transactions) {
        move('', { ...row, to_address: '' }, row['tx_fee']);
        if (row['tx_status'] === 'success') move('', row);
      }
      for (const row of records.internal_transactions) {
        const moves = ['call', 'create'].includes(String(row['operation']));
        if (moves && row['tx_status'] === 'success') move('', row);
      }
      for (const row of records.token_transfers) move(String(row['token_address']), row);
    }
    for (const address of chain.addresses(200)) {
      const native = ledger.nativeAt(address, HEAD) - chain.allocationWei(address);
      expect(native).toBe(sums.get(`${address}|`) ?? 0n);
      for (const { address: token } of chain.tokens) {
        const units = ledger.tokensAt(address, token, HEAD) - ledger.tokensAt(address, token, -1);
        expect(units).toBe(sums.get(`${address}|${token}`) ?? 0n);
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
