import { expect, test } from 'vitest';
import {
  address,
  amount,
  hash,
  height,
  type Kind,
  party,
  unsigned,
} from '../../../src/catalogue/column-kind.ts';

const TEXTS: readonly (readonly [Kind, string])[] = [
  [party, `0x${'aB'.repeat(20)}`],
  [party, `0x${'aB'.repeat(20)}, 0x${'C'.repeat(40)} ,GENESIS`],
  [amount, '007.50'],
  [amount, '7.5'],
  [amount, '1'.repeat(40)],
];

test.each(TEXTS)('the other columns follow from the first one: case %#', (kind, text) => {
  const cells = kind.decode(text);
  expect(cells).toBeDefined();
  expect(kind.decode(String(cells?.[0]))).toEqual(cells);
});

const A = `0x${'a'.repeat(40)}`;

test.each<[Kind, string, string | undefined]>([
  [address, '0xa1', undefined],
  [address, `${A}a`, undefined],
  [address, `\u200b${A.toUpperCase().replace('X', 'x')}\u00a0\n`, A],
  [party, `${A}, 0xa1`, undefined],
  [hash, `GENESIS_${A}`, `GENESIS_${A}`],
  [party, `${A} ,\t${A}`, `${A},${A}`],
  [height, '15.0', '15'],
  [height, '15.5', undefined],
  [unsigned, '1E3', '1000'],
  [amount, '5.', '5'],
  [amount, '.50', '0.5'],
  [amount, '+1.5E-007', '0.00000015'],
  [amount, '0E-400', '0'],
  [amount, '1E1000', undefined],
  [amount, '1.50', '1.50'],
])('a value has one spelling, and an odd one none: case %#', (kind, text, spelling) => {
  expect(kind.canonical(text)).toBe(spelling);
});
