import { expect, test } from 'vitest';
import { addressesIn } from '../../../src/catalogue/column-kind.ts';
import { RepeatedAddresses } from '../../../src/catalogue/repeated-addresses.ts';

const A = `0x${'ab'.repeat(20)}`;
const B = `0x${'0C'.repeat(20)}`;

test.each([[A], [B], [`${A},${B}`], [` ${B} , ${B},`], [''], ['\u0130'], ['0x\ud800,b']])(
  'the addresses in %j are those of addressesIn, each time',
  (text) => {
    const addresses = new RepeatedAddresses();
    for (let i = 0; i < 3; i += 1) expect(addresses.in(text)).toEqual(addressesIn(text));
  },
);

test('a text that repeats keeps its place beside rare ones that end alike, and loses it when it is rare', () => {
  const addresses = new RepeatedAddresses();
  const other = `0x${'cd'.repeat(17)}${A.slice(-6)}`;
  const known = addresses.in(A);
  for (let i = 0; i < 3; i += 1) {
    expect(addresses.in(A)).toBe(known);
    expect(addresses.in(other)).toEqual([other]);
  }
  const last = addresses.in(other);
  expect(addresses.in(other)).toBe(last);
  expect(addresses.in(A)).not.toBe(known);
});

test('addresses are right while more texts are asked for than are kept', () => {
  const addresses = new RepeatedAddresses();
  for (let i = 0; i < 600_000; i += 1) {
    const text = `0xA${i % 25_000}`;
    const [address] = addresses.in(text);
    if (address !== text.toLowerCase()) expect(address).toBe(text.toLowerCase());
  }
});
