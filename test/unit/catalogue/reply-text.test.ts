import { expect, it, test } from 'vitest';
import { endpointAt } from '../../../src/catalogue/index.ts';
import { ListedRecord } from '../../../src/catalogue/record-text.ts';
import { parsedBody } from '../../../src/catalogue/reply-text.ts';
import { listOf } from '../../../src/coverage/list.ts';
import { type AnyRecord, parsedRecord } from '../../fixtures/listed.ts';
import { Chance } from '../../model/chance.ts';
import { replyText, usualRecords } from '../../model/usual-records.ts';

const ENTRY = endpointAt('mainchain/address/normal-transaction-list-multi');
const ADDRESS = `0x${'ab'.repeat(20)}`;
const RECORD = Object.fromEntries(
  ENTRY.fields.map(({ wire, kind }) => {
    const values: Record<string, unknown> = { hash: '0xab', party: ADDRESS, flag: true };
    return [wire, values[kind.name] ?? '7'];
  }),
);
const RECORDS = Array.from({ length: 20 }, () => RECORD);

function replyOf(page: object): string {
  return JSON.stringify({ code: '0', msg: '', data: [page] });
}

function recordsOf(body: string): readonly AnyRecord[] | undefined {
  const reply = parsedBody(ENTRY, body) as { data: [{ transactionList?: AnyRecord[] }] };
  return reply.data[0].transactionList;
}

it('reads valid records of a long body as texts', () => {
  const records = recordsOf(replyOf({ page: '1', transactionList: RECORDS })) ?? [];
  expect(records).toHaveLength(20);
  expect(records.every((record) => record instanceof ListedRecord)).toBe(true);
  expect(records.map(parsedRecord)).toEqual(RECORDS);
});

it('parses a record with an unusual value alone', () => {
  const odd = { ...RECORD, gasUsed: '-1' };
  const records = recordsOf(replyOf({ transactionList: [...RECORDS, odd, ...RECORDS] })) ?? [];
  expect(records.filter((record) => !(record instanceof ListedRecord))).toEqual([odd]);
});

test.each([
  ['another list of that name comes later', '"transactionList":[],"page":"1"'],
  ['a later name is spelled with an escape', '"transaction\\u004cist":[],"page":"1"'],
])('the last list counts where %s', (_name, later) => {
  const body = replyOf({ transactionList: RECORDS, LATER: 1 }).replace('"LATER":1', later);
  expect(recordsOf(body)).toEqual([]);
});

it('does not take the list of another object for that of the page', () => {
  const nested = { other: { transactionList: RECORDS } };
  expect(recordsOf(replyOf(nested))).toBeUndefined();
  expect(parsedBody(ENTRY, replyOf(nested))).toMatchObject({ data: [nested] });
});

test.each([
  ['ends in the middle of a record', (body: string) => body.slice(0, -40)],
  ['has a comma behind the last record', (body: string) => body.replace('}]}', '},]}')],
  ['has no bracket behind the records', (body: string) => body.replace('}]}', '}}')],
  ['has no comma between records', (body: string) => body.replace('},{', '}{')],
  ['has a value without quotes', (body: string) => body.replace('"7"', 'seven')],
])('a body is no JSON if it %s', (_name, broken) => {
  const body = replyOf({ transactionList: RECORDS });
  expect(() => parsedBody(ENTRY, broken(body))).toThrow(SyntaxError);
});

it('gives the same records as JSON.parse, whatever their form', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const chance = new Chance(seed);
    const list = listOf(ENTRY);
    const body = replyText(list, usualRecords(list, 20, chance), chance);
    const expected = JSON.parse(body) as { data: [{ transactionList: object[] }] };
    const records = recordsOf(body.padEnd(5000, ' '))?.map(parsedRecord);
    expect({ seed, records }).toEqual({ seed, records: expected.data[0].transactionList });
  }
});
