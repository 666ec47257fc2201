import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { parseAddressList } from '../../../../src/pipeline/csv/address-list.ts';

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const C = `0x${'c'.repeat(40)}`;

function list(text: string) {
  return parseAddressList({ text, file: 'addresses.csv' });
}

function refusal(text: string): string {
  try {
    list(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.kind).toBe('configuration');
    return error.paragraph();
  }
  throw new Error('the list was accepted');
}

const ADVICE = 'Write 0x and 40 hexadecimal digits, or remove the line.';
const HEADER = `${ADVICE} A header has to name the column: address.`;

it('the example of the package causes no note', async () => {
  const text = await readFile('pipelines/addresses.example.csv', 'utf8');
  expect(list(text)).toMatchObject({ duplicates: 0, misspelled: [] });
});

describe('an address list', () => {
  it('passes over a byte order mark, comments, blank lines and empty rows', () => {
    const text = [
      '\uFEFF# from the desk, "2024"',
      'address,label',
      '',
      `${A},wallet #1`,
      '  # indented',
      ',,',
      '   ',
      `${B} # the "big" one`,
      '',
    ];
    expect(list(text.join('\r\n')).addresses).toEqual([A, B]);
  });

  it('keeps an address whose label holds a number sign before it', () => {
    expect(list(`label,address\nwallet #1,${A}`).addresses).toEqual([A]);
  });

  it('refuses what is no address, with its line and value', () => {
    expect(refusal(`${A}\n# c\n\n0x12\n`)).toBe(
      `addresses.csv:4: this is not an address (0x12). ${ADVICE}`,
    );
  });

  it('never takes a malformed first line for a header', () => {
    const typo = `Ox${'a'.repeat(40)}`;
    expect(refusal(`${typo}\n${B}\n`)).toBe(
      `addresses.csv:1: this is not an address (${typo}). ${HEADER}`,
    );
    expect(refusal(`wallet\n${B}\n`)).toBe(
      `addresses.csv:1: this is not an address (wallet). ${HEADER}`,
    );
  });

  it('refuses a row that has other cells but no address', () => {
    expect(refusal(`${A}\n,lost\n`)).toBe(
      `addresses.csv:2: there is no address on this line. ${ADVICE}`,
    );
  });

  it('escapes what cannot be seen, and cuts at 80 characters', () => {
    expect(refusal(`${A}\n0x\u200b12\u0007\n`)).toBe(
      `addresses.csv:2: this is not an address (0x\\u{200b}12\\u{7}). ${ADVICE}`,
    );
    expect(refusal(`${A}\n${'x'.repeat(81)}\n`)).toBe(
      `addresses.csv:2: this is not an address (${'x'.repeat(79)}…). ${ADVICE}`,
    );
    expect(refusal(`${A}\n${'x'.repeat(80)}\n`)).toContain(`(${'x'.repeat(80)})`);
  });

  it('lists the first ten malformed lines and counts the rest', () => {
    const bad = Array.from({ length: 12 }, (_, i) => `bad${i}`);
    const listed = bad
      .slice(0, 10)
      .map((cell, i) => `- addresses.csv:${i + 2}: this is not an address (${cell}). ${ADVICE}\n`);
    expect(refusal([A, ...bad].join('\n'))).toBe(
      `addresses.csv: 12 problems:\n${listed.join('')}- and 2 more\n` +
        'Correct them all, then try again.',
    );
  });

  it.each([
    ['semicolons', `address;label\n${A};a, b\n${B};c`],
    ['tabs', `address\tlabel\n${A}\ta, b\n${B}\tc`],
    ['a named separator', `sep=;\r\naddress;label\r\n${A};a, b\r\n${B};c\r\n`],
    ['a named tab with a mark', `\uFEFFsep=\t\naddress\tlabel\n${A}\ta, b\n${B}\tc`],
    ['a named separator without a header', `"sep=;"\nlabel;ADDRESS\u00a0\na, b;${A}\u00a0\nc;${B}`],
    ['quotes', `"address";"label"\n"${A}";"a, b"\n"${B}";"c"`],
    ['commas after a comment with another', `# a; b\naddress,label\n${A},"a, b"\n${B},c`],
  ])('reads the cells of spreadsheets: %s', (_, text) => {
    const { addresses, labels } = list(text);
    expect(addresses).toEqual([A, B]);
    expect([labels.get(A), labels.get(B)]).toEqual(['a, b', 'c']);
  });

  it.each([`${A} ${B}`, `${A}|label`, `${A};label`])('names a cell with more: %s', (cell) => {
    expect(refusal(`${C},x\n${cell}\n`)).toBe(
      `addresses.csv:2: this cell has more than an address (${cell.slice(0, 79)}${
        cell.length > 80 ? '…' : cell.slice(79)
      }). Write one address per line, and a comma, semicolon or tab between cells.`,
    );
  });

  it('names the lines of a title above the header', () => {
    expect(refusal(`Table 1\n\naddress,label\n${A},x\n`)).toBe(
      'addresses.csv:1: the header is on line 3, below other lines. ' +
        'Remove the lines above the header, such as the title of a table.',
    );
  });

  it('refuses a file without an address', () => {
    const said =
      'addresses.csv:1: the file holds no address. ' +
      'Write one address per line: 0x and 40 hexadecimal digits.';
    for (const text of ['', '\uFEFF', '# only a comment\n', 'address,label\n', '\n\n']) {
      expect(refusal(text)).toBe(said);
    }
  });

  it('says where a quote was opened that nothing closes', () => {
    expect(refusal(`${A}\n${B}\n"${C}\n${A}\n`)).toBe(
      'addresses.csv:3: a quote that begins on this line or below is never closed. ' +
        'Close the quote, or remove it: addresses need none.',
    );
  });

  it('says where a quoted cell goes on after its quote', () => {
    expect(refusal(`${A}\n"${B}"x\n`)).toBe(
      'addresses.csv:2: the quotes do not enclose a whole cell. ' +
        'Close the quote, or remove it: addresses need none.',
    );
  });

  it('finds exactly the addresses written, in any layout', () => {
    const seed = Number(process.env['SEED'] ?? 20_240_601);
    process.stdout.write(`address list: seed ${seed}\n`);
    const digit = fc.constantFrom(...'0123456789abcdefABCDEF');
    const address = fc
      .array(digit, { minLength: 40, maxLength: 40 })
      .map((digits) => `0x${digits.join('')}`);
    const label = fc.string({ unit: fc.constantFrom(...'ab #.,"\n'), maxLength: 8 });
    const quoted = label.map((text) => `"${text.replaceAll('"', '""')}"`);
    const row = fc.record({ address, label: quoted, before: fc.constantFrom('', '\n', '# x\n') });
    const layout = fc.record({
      rows: fc.array(row, { minLength: 1, maxLength: 20 }),
      hasHeader: fc.boolean(),
      isSecond: fc.boolean(),
      lineEnd: fc.constantFrom('\n', '\r\n'),
    });
    fc.assert(
      fc.property(layout, ({ rows, hasHeader, isSecond, lineEnd }) => {
        const flips = isSecond && hasHeader;
        const line = (a: string, b: string) => (flips ? `${b},${a}` : `${a},${b}`);
        const lines = rows.map((entry) => entry.before + line(entry.address, entry.label));
        const text = [...(hasHeader ? [line('address', 'label')] : []), ...lines].join('\n');
        const wanted = new Set(rows.map((entry) => entry.address.toLowerCase()));
        expect(list(text.replaceAll('\n', lineEnd))).toMatchObject({
          addresses: [...wanted].sort(),
          duplicates: rows.length - wanted.size,
        });
      }),
      { seed, numRuns: 300 },
    );
  });
});
