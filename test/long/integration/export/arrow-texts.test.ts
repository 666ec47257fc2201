import { Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { arrowData } from '../../../../src/export/formats/arrow-columns.ts';

test('a column may have more text than one string holds', () => {
  const cells = Array.from({ length: 1_400 }, () => 'x'.repeat(400_000));
  expect(arrowData(new Utf8(), cells).values.length).toBe(560_000_000);
});
