import { expect, test } from 'vitest';
import { addressesIn } from '../../../src/catalogue/column-kind.ts';
import { repeatedAddressesIn } from '../../../src/catalogue/record-text.ts';

const A = `0x${'ab'.repeat(20)}`;
const B = `0x${'0C'.repeat(20)}`;

test.each([[A], [B], [`${A},${B}`], [` ${B} , ${B},`], [''], ['\u0130'], ['0x\ud800,b']])(
  'the addresses in %j are those of addressesIn, each time',
  (text) => {
    for (let i = 0; i < 3; i += 1) expect(repeatedAddressesIn(text)).toEqual(addressesIn(text));
  },
);

test('a text that repeats has the same addresses again', () => {
  const [address] = repeatedAddressesIn(A);
  expect(repeatedAddressesIn(`${A} `.trim())).toBe(repeatedAddressesIn(A));
  expect(address).toBe(A);
});

test('addresses are right while more texts are asked for than are kept', () => {
  for (let i = 0; i < 60_000; i += 1) {
    const text = `0xA${i % 25_000}`;
    const [address] = repeatedAddressesIn(text);
    if (address !== text.toLowerCase()) expect(address).toBe(text.toLowerCase());
  }
});
