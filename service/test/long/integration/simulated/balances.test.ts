import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../../src/catalogue/record.ts';
import { balancesAt, holdersAt } from '../../../../../test/fixtures/balances.ts';
import {
  doubleText,
  MOST_HOLDERS,
  NATIVE_ALLOCATION_WEI,
  simulatedChain,
  TOKEN_PLACES,
} from '../../../../src/simulated/chain.ts';
import { holderRecords } from '../../../../src/simulated/holders.ts';

/**
 * Goal: the balances that the simulation keeps are those that a reader of its records would add
 * up. The reader here knows texts only.
 */

const BIRTH = 100;
const options = { seed: 'granary', head: 400, zoneStart: BIRTH };
const chain = simulatedChain(options);

/** A decimal text of up to 18 places as a whole number of units of 10^-18. */
function units(text: unknown): bigint {
  const [whole = '', fraction = ''] = String(text).split('.');
  expect(fraction.length).toBeLessThanOrEqual(TOKEN_PLACES);
  return BigInt(whole + fraction.padEnd(TOKEN_PLACES, '0'));
}

const text = (record: CanonicalRecord, column: string): string => String(record[column] ?? '');

describe('balances', () => {
  const later = balancesAt(chain, 400);

  it('are conserved: tokens add up to nothing, native ones to the fees', () => {
    const total = (sums: ReadonlyMap<string, bigint>): bigint =>
      [...sums.values()].reduce((sum, part) => sum + part, 0n);
    let fees = 0n;
    for (let height = 0; height <= 400; height += 1) {
      for (const row of chain.recordsAt(height).transactions) fees += units(row['tx_fee']);
    }
    expect(total(later.tokens)).toBe(0n);
    expect(total(later.native)).toBe(-fees);
  });

  it('have no address in which several are joined', () => {
    const long = balancesAt(simulatedChain({ seed: 'granary', head: 0 }), 6_000);
    const keys = [...long.native.keys(), ...long.tokens.keys()];
    expect(keys.filter((key) => !/^0x[0-9a-f]{40}(\|0x[0-9a-f]{40}\|[0-9]*)?$/.test(key))).toEqual(
      [],
    );
  });

  it('never fall below nothing, with what everyone known owned from the start', () => {
    const demo = simulatedChain({ seed: 'demo', head: 30_000 });
    const { native } = balancesAt(demo, 30_000);
    const poor = [...native].filter(([address, wei]) => demo.allocationWei(address) + wei < 0n);
    expect(poor).toEqual([]);
    const { bridgeAddress, operatorAddress } = demo.zone;
    for (const address of [...demo.addresses(6_000), bridgeAddress, operatorAddress]) {
      expect(demo.allocationWei(address)).toBe(NATIVE_ALLOCATION_WEI);
    }
    expect(demo.allocationWei(`0x${'ab'.repeat(20)}`)).toBe(0n);
  });
});

describe('holders', () => {
  const holders = holdersAt(chain, 400);
  const { native } = balancesAt(chain, 400);
  const exact = (address: string): bigint =>
    chain.allocationWei(address) + (native.get(address) ?? 0n);
  const owners = holders.map((record) => text(record, 'holder_address'));

  it('are ranked by their exact balance, and by address where it is equal', () => {
    expect(holders.map((row) => row['holder_rank'])).toEqual(holders.map((_, at) => `${at + 1}`));
    const misplaced = owners.slice(1).filter((address, at) => {
      const before = owners[at] ?? '';
      const [more, less] = [exact(before), exact(address)];
      return more < less || (more === less && before >= address);
    });
    expect(misplaced).toEqual([]);
    const untouched = owners.filter((address) => exact(address) === NATIVE_ALLOCATION_WEI);
    expect(untouched.length).toBeGreaterThan(1_000);
  });

  it('are all who own anything', () => {
    const paid = [...native].filter(([address]) => exact(address) > 0n).map(([address]) => address);
    const ranked = new Set(owners);
    expect(ranked.size).toBe(owners.length);
    expect(paid.filter((address) => !ranked.has(address))).toEqual([]);
    expect(chain.addresses(6_000).filter((address) => !ranked.has(address))).toEqual([]);
    expect(owners.filter((address) => exact(address) <= 0n)).toEqual([]);
  });

  it('are ranked exactly where a double does not tell them apart', () => {
    const wei = (nth: number): bigint => NATIVE_ALLOCATION_WEI + BigInt(nth);
    const all = Array.from({ length: MOST_HOLDERS + 50 }, (_, nth) => nth);
    const balances = new Map(all.map((nth) => [`0x${nth}`, wei(nth)]));
    const ranked = holderRecords(1, balances, new Map());
    const expected = all.toReversed().slice(0, MOST_HOLDERS);
    expect(ranked.map((row) => row['holder_address'])).toEqual(expected.map((nth) => `0x${nth}`));
  });

  it('are at most 10,000', () => {
    const long = holdersAt(simulatedChain({ seed: 'granary', head: 0 }), 45_000);
    expect(long).toHaveLength(MOST_HOLDERS);
    expect(long.at(-1)?.['holder_rank']).toBe('10000');
  });

  it('state their amount as a double, which loses digits of most', () => {
    for (const record of holders) {
      const wei = exact(text(record, 'holder_address')).toString().padStart(19, '0');
      const full = `${wei.slice(0, -18)}.${wei.slice(-18)}`;
      expect(Number(record['amount'])).toBe(Number(full));
      expect(record['amount']).toBe(doubleText(full));
    }
    const lossy = holders.filter(
      (row) => units(row['amount']) !== exact(text(row, 'holder_address')),
    );
    expect(lossy.length).toBeGreaterThan(100);
  });
});

describe('an amount after a pass through a double', () => {
  it.each([
    ['0', '0'],
    ['1000000000', '1000000000'],
    ['1000000012.345678901234567890', '1000000012.3456789'],
    ['0.1', '0.1'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['0.00000012345678901234567', '0.00000012345678901234566'],
    ['123456789012345678901234.5', '123456789012345690000000'],
    ['1000000000000000000000000', '1000000000000000000000000'],
    ['-0.0000001', '-0.0000001'],
    ['-250000000000000000000000', '-250000000000000000000000'],
  ])('%s is stated as %s, without an exponent', (exact, stated) => {
    expect(doubleText(exact)).toBe(stated);
    expect(Number(stated)).toBe(Number(exact));
  });
});
