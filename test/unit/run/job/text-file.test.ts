import { describe, expect, it } from 'vitest';
import { decodedText } from '../../../../src/run/job/text-file.ts';

describe('the text of a file', () => {
  const text = 'address;label\r\n0x12;Börse\r\n';
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 of Windows', little],
    ['UTF-16 of networks', Buffer.from(little).swap16()],
  ])('is read in %s', (_, bytes) => expect(decodedText(bytes, 'a.csv')).toBe(text));

  it.each([
    ['Windows-1252', Buffer.from(text, 'latin1')],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
    ['UTF-16 that is cut', little.subarray(0, -1)],
    ['a workbook', Buffer.from('PK\u0003\u0004\u0000\u0000')],
  ])('is refused with its encoding in %s', (_, bytes) => {
    expect(() => decodedText(bytes, 'a.csv')).toThrow('The file is not text in UTF-8.');
  });
});
