import { describe, expect, it } from 'vitest';
import { parseCalls } from '../../../../src/pipeline/csv/calls-file.ts';

/** Goal: calls are encoded and decoded as the ABI says; the hex is typed by hand. */

const TOKEN = `0x${'aB'.repeat(20)}`;
const OWNER = `0x${'11'.repeat(20)}`;
const word = (hex: string): string => hex.padStart(64, '0');
const parse = (line: string) =>
  parseCalls({ text: `contract,function,arguments\n${line}\n`, file: 'c.csv' })[0];

describe('a file of calls', () => {
  it('has signatures of functions with their arguments', () => {
    const call = parse(`${TOKEN},balanceOf(address)(uint256),${OWNER}`);
    expect(call?.contract).toBe(TOKEN.toLowerCase());
    expect(call?.data).toBe(`0x70a08231${word(OWNER.slice(2))}`);
    expect(call?.argumentsText).toBe(JSON.stringify([OWNER]));
    const most = `0x${'f'.repeat(64)}`;
    const digits = String(2n ** 256n - 1n);
    expect(call?.decode(most)).toEqual({ text: `["${digits}"]`, number: digits });
    expect(call?.decode('0x')).toBeUndefined();
  });

  it('takes other spellings, large numbers and several results', () => {
    const pair = 'function pair(uint256 a, bool b) view returns (int256, string)';
    const call = parse(
      `${TOKEN},"${pair}","[115792089237316195423570985008687907853269984665640564039457584007913129639935, true]"`,
    );
    expect(call?.data.slice(10)).toBe('f'.repeat(64) + word('1'));
    const text = `${word('40')}${word('2')}${Buffer.from('hi').toString('hex').padEnd(64, '0')}`;
    expect(call?.decode(`0x${'f'.repeat(64)}${text}`)).toEqual({
      text: '["-1","hi"]',
      number: undefined,
    });
    expect(parse(`${TOKEN},symbol()(string),`)?.data).toBe('0x95d89b41');
  });

  it.each([
    ['0x12,symbol()(string),', 'c.csv:2', 'not an address (0x12)'],
    [`${TOKEN},symbol,`, 'c.csv:2', 'not the signature of a function (symbol)'],
    [`${TOKEN},symbol(),`, 'c.csv:2', 'not the signature of a function'],
    [`${TOKEN},balanceOf(address)(uint256),12`, 'c.csv:2', 'not the arguments of the function'],
    [`${TOKEN},balanceOf(address)(uint256),`, 'c.csv:2', 'not the arguments of the function'],
    [`${TOKEN},f(uint8)(uint8),many`, 'c.csv:2', 'not the arguments of the function'],
    [`${TOKEN},f(uint8)(uint8),"[1"`, 'c.csv:2', 'not the arguments of the function'],
    ['', 'c.csv:1', 'the file has no calls'],
  ])('refuses %s', (line, where, message) => {
    expect(() => parse(line)).toThrow(message);
    expect(() => parse(line)).toThrow(expect.objectContaining({ where }));
  });
});
