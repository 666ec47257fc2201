import { createHash } from 'node:crypto';
import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { parseAddressList } from '../../../../src/pipeline/csv/address-list.ts';
import { wrongChecksum } from '../../../../src/pipeline/syntax/checksum.ts';
import { addressNotes } from '../../../../src/run/job/pipeline-file.ts';

/** Goal: a mistyped digit is noticed where the spelling of an address allows it. viem is the judge. */

const LOWER = Array.from({ length: 40 }, (_, i): `0x${string}` => {
  const digest = createHash('sha256').update(String(i)).digest('hex');
  return `0x${digest.slice(0, 40)}`;
});

it('the checksum is that of EIP-55, and text in one case has none', () => {
  for (const lower of LOWER) {
    const right = getAddress(lower);
    expect(wrongChecksum(right)).toBeUndefined();
    expect(wrongChecksum(lower)).toBeUndefined();
    expect(wrongChecksum(`0x${lower.slice(2).toUpperCase()}`)).toBeUndefined();
    const letter = right.slice(2).search(/[a-f]/) + 2;
    const wrong =
      right.slice(0, letter) + right.charAt(letter).toUpperCase() + right.slice(letter + 1);
    const isMixed = /[a-f]/.test(wrong.slice(2));
    expect(wrongChecksum(wrong)).toBe(isMixed ? right : undefined);
  }
});

it('a wrong one is told with its file and line, and duplicates with their number', () => {
  const good = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const bad = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD';
  const text = `address\n${good}\n${bad.toLowerCase()}\n${bad}\n`;
  const notes = addressNotes(parseAddressList({ text, file: 'a.csv' }), { text, file: 'a.csv' });
  expect(notes).toEqual([
    `a.csv:4: the EIP-55 checksum of ${bad} is wrong (expected ${good}). Is a digit mistyped?`,
    'a.csv: 2 duplicate addresses ignored.',
  ]);
  const twice = `${good}\n${good}\n`;
  expect(
    addressNotes(parseAddressList({ text: twice, file: 'b' }), { text: twice, file: 'b' }),
  ).toEqual(['b: 1 duplicate address ignored.']);
});
