import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals } from '../../../src/catalogue/decimal.ts';

describe('decimal texts', () => {
  it.each([
    ['0', '0.0'],
    ['-0', '0'],
    ['007.50', '7.5'],
    ['10', '10.'.padEnd(90, '0')],
    ['-1.10', '-1.1'],
  ])('%s is the same number as %s', (a, b) => {
    expect(compareDecimals(a, b)).toBe(0);
    expect(compareDecimals(b, a)).toBe(0);
  });

  it.each([
    ['9', '10'],
    ['0.09', '0.1'],
    ['1.5', '1.50001'],
    ['-10', '-9'],
    ['-0.1', '0'],
    ['0', '0.000000000000000000000000000001'],
    [`1${'0'.repeat(77)}`, `1${'0'.repeat(76)}1`],
    ['9007199254740992.9', '9007199254740993'],
  ])('%s is less than %s', (a, b) => {
    expect(compareDecimals(a, b)).toBeLessThan(0);
    expect(compareDecimals(b, a)).toBeGreaterThan(0);
  });

  it('stand in the order of the whole numbers they are scaled from', () => {
    const scaled = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(8));
    const text = ([value, places]: readonly [bigint, number]): string => {
      const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
      const point = digits.length - places;
      const sign = value < 0n ? '-' : '';
      return `${sign}${digits.slice(0, point)}${places > 0 ? '.' : ''}${digits.slice(point)}`;
    };
    const exact = ([value, places]: readonly [bigint, number]) => value * 10n ** BigInt(8 - places);
    fc.assert(
      fc.property(scaled, scaled, (a, b) => {
        const difference = exact(a) - exact(b);
        expect(Math.sign(compareDecimals(text(a), text(b)))).toBe(
          difference === 0n ? 0 : difference > 0n ? 1 : -1,
        );
      }),
    );
  });
});
