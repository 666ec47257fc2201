import type { AddressList } from '../../pipeline/csv/address-list.ts';

/** Misspelled addresses that are listed. */
const NAMED_ADDRESSES = 10;

/** Notes about wrong checksums and duplicates in an address file. */
export function addressNotes(
  { duplicates, misspelled }: AddressList,
  { text, file }: { readonly text: string; readonly file: string },
): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  const notes = misspelled.slice(0, NAMED_ADDRESSES).map(({ given, right }) => {
    const line = lines.findIndex((each) => each.includes(given)) + 1;
    const place = `${file}:${line}`;
    const finding = `the EIP-55 checksum of ${given} is wrong (expected ${right})`;
    return `${place}: ${finding}. Is a digit mistyped?`;
  });
  const more = misspelled.length - notes.length;
  const have = more === 1 ? 'address has' : 'addresses have';
  if (more > 0)
    notes.push(`${file}: ${more.toLocaleString('en-US')} more ${have} a wrong checksum.`);
  const noun = duplicates === 1 ? 'address' : 'addresses';
  if (duplicates > 0)
    notes.push(`${file}: ${duplicates.toLocaleString('en-US')} duplicate ${noun} ignored.`);
  return notes;
}
