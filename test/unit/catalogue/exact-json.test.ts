import { describe, expect, test } from 'vitest';
import { endpointAt } from '../../../src/catalogue/index.ts';
import { parsedBody, parsedJson } from '../../../src/catalogue/reply-text.ts';
import { listOf } from '../../../src/coverage/list.ts';
import { contentOf } from '../../../src/fetch/walk/record-reader.ts';
import { decode } from '../../../src/land/rows/decode.ts';
import { listed, listedOne } from '../../fixtures/listed.ts';

const TRANSFERS = endpointAt('mainchain/address/token-transaction-list');
const ALICE = `0x${'a'.repeat(40)}`;

describe('JSON of replies', () => {
  test.each([
    ['18446744073709551615', '18446744073709551615'],
    ['0.1', '0.1'],
    ['1.5E-7', '1.5E-7'],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-7', -7],
  ])('has numbers that a double does not hold as text: %s', (number, value) => {
    expect(parsedJson(`{"a\\"[1.5": [${number}], "b": "${number}"}`)).toEqual({
      'a"[1.5': [value],
      b: number,
    });
  });

  test.each(['{"a": 01.5}', '{"a": 1-2}', '[1.5', '{"a": "', '[1.5]]'])(
    'is refused: %s',
    (text) => {
      expect(() => parsedJson(text)).toThrow(SyntaxError);
    },
  );

  const nested = (open: string, close: string, levels: number): string =>
    open.repeat(levels) + close.repeat(levels);

  test.each([
    ['lists', nested('[', ']', 100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['5 MB of lists', nested('[', ']', 2_500_000)],
    ['5 MB of text', JSON.stringify('\\"'.repeat(1_250_000))],
  ])('may have a value of %s, which costs itself', (_name, value) => {
    const record = `{"txId": "0x1", "height": "7", "from": "${ALICE}", "tokenContractAddress": "",
      "amount": ${value}, "unknown": ${value}}`;
    const body = `{"code": "0", "data": [{"transactionList": [${record}]}]}`;
    const { data } = parsedBody(TRANSFERS, body) as {
      data: readonly { readonly transactionList: readonly Record<string, unknown>[] }[];
    };
    const [parsed = {}] = data[0]?.transactionList ?? [];
    expect(contentOf(listedOne(TRANSFERS, parsed)).length).toBeGreaterThan(10);
    const { rows, broken } = decode(listOf(TRANSFERS), listed(TRANSFERS, [parsed]));
    expect(broken).toEqual([]);
    expect(rows.map(({ height, touches }) => [height, touches])).toEqual([[7, [ALICE]]]);
  });
});
