import { describe, expect, test } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { parseMethodNames, parseTokenNames } from '../../../../src/pipeline/csv/name-files.ts';

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;

const tokens = (text: string) => [...parseTokenNames({ text, file: 'tokens.csv' }).names];

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.kind).toBe('configuration');
    return error.paragraph();
  }
  throw new Error('the file was accepted');
}

describe('a tokens file', () => {
  test('may leave out decimals and symbols, and says how amounts are stated', () => {
    const text = `address,symbol,decimals,amounts\n${A},"A, #1",,\n${B},,18,raw\n`;
    expect(tokens(text)).toEqual([
      [A, { symbol: 'A, #1', decimals: null, amounts: 'whole' }],
      [B, { symbol: '', decimals: 18, amounts: 'raw' }],
    ]);
  });

  test('believes the last line of an address', () => {
    expect(tokens(`address,symbol\n${A},OLD\n${A},NEW\n`)).toEqual([
      [A, { symbol: 'NEW', decimals: null, amounts: 'whole' }],
    ]);
  });

  test.each([
    ['0x12', '', '', 'this is not an address (0x12).'],
    [A, '78', '', 'this is not a number of decimals (78).'],
    [A, '1.5', '', 'this is not a number of decimals (1.5).'],
    [A, '-1', '', 'this is not a number of decimals (-1).'],
    [A, '6', 'wei', 'this is not a unit of amounts (wei).'],
    [A, '255', '', 'this is not a number of decimals (255).'],
  ])(
    'leaves out a malformed line with one warning: %s,%s,%s',
    (address, decimals, amounts, said) => {
      const text = `address,symbol,decimals,amounts\n${B},OK,1,\n${address},T,${decimals},${amounts}\n`;
      const { names, warnings } = parseTokenNames({ text, file: 'tokens.csv' });
      expect([...names.keys()]).toEqual([B]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('tokens.csv:3');
      expect(warnings[0]).toContain(said);
    },
  );

  test('needs a header with the column address', () => {
    expect(refusal(() => tokens(`${A},USDR,6\n`))).toContain('the file has no column address.');
    expect(refusal(() => tokens(''))).toContain('as in address,symbol,decimals.');
  });
});

describe('a methods file', () => {
  test('leaves out malformed lines, and warns of the first 10', () => {
    const text = `method_id,name\n0xa9059cbb,transfer\n${'0xa9059c,transfer\n'.repeat(12)}`;
    const { names, warnings } = parseMethodNames({ text, file: 'methods.csv' });
    expect([...names]).toEqual([['0xa9059cbb', 'transfer']]);
    expect(warnings).toHaveLength(11);
    expect(warnings[0]).toContain('methods.csv:3');
    expect(warnings[0]).toContain('this is not the identifier of a method (0xa9059c).');
    expect(warnings[10]).toContain('and 2 more');
  });
});
