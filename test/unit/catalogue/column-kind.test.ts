import { expect, test } from 'vitest';
import { amount, type Kind, party } from '../../../src/catalogue/column-kind.ts';

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
