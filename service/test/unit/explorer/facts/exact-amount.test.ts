import { expect, it } from 'vitest';
import { amountTextOf, unitsOf } from '../../../../src/explorer/facts/exact-amount.ts';

it.each([
  ['0', '0'],
  ['1.50', '1.5'],
  ['-0.5', '-0.5'],
  [`${'9'.repeat(78)}.${'1'.repeat(255)}`, `${'9'.repeat(78)}.${'1'.repeat(255)}`],
  ['-12', '-12'],
])('%s is kept exactly', (text, canonical) => {
  expect(amountTextOf(unitsOf(text))).toBe(canonical);
});

it('sums are exact', () => {
  expect(amountTextOf(unitsOf('0.1') + unitsOf('0.2') - unitsOf('0.3'))).toBe('0');
});

it.each(['', '1e5', '.5', '1.', ` 1`, `0.${'1'.repeat(256)}`])('%j is not an amount', (text) => {
  expect(() => unitsOf(text)).toThrow('is not an amount');
});
