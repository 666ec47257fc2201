import { describe, expect, test } from 'vitest';
import type { Endpoint, Field } from '../../../../src/catalogue/entry.ts';
import { endpoints } from '../../../../src/catalogue/index.ts';
import type { ListedRecord } from '../../../../src/catalogue/record-text.ts';
import { parsedBody } from '../../../../src/catalogue/reply-text.ts';
import { listOf } from '../../../../src/coverage/list.ts';
import { decode } from '../../../../src/land/rows/decode.ts';
import { type AnyRecord, listed, parsedRecord } from '../../../fixtures/listed.ts';

/**
 * Goal: a row counts as equal to exactly the rows with equal stable columns, in any spelling, as sent
 * or rewritten.
 */

const ADDRESS = `0x${'ab'.repeat(20)}`;

/** A value of a kind, the same in another spelling, and another value. */
const VALUES: Readonly<Record<string, readonly [unknown, unknown, unknown]>> = {
  hash: ['0xab', '0xAB', '0xcd'],
  party: [`${ADDRESS},${ADDRESS}`, `${ADDRESS},${ADDRESS.toUpperCase()}`, ADDRESS],
  address: [ADDRESS, ADDRESS.toUpperCase(), `0x${'cd'.repeat(20)}`],
  height: ['7', '007', '8'],
  time: ['17', '0017', '18'],
  count: ['7', '07', '70'],
  unsigned: ['7', '07', '70'],
  quantity: ['7', '07', '70'],
  integer: ['7', '7', '07'],
  amount: ['7.5', '7.5', '7.50'],
  flag: [true, 'true', false],
  text: ['a/b', 'a/b', 'A/b'],
};

const valuesOf = ({ kind }: Field) => VALUES[kind.name] ?? [];

/** Records as a walk gets them from a long body. */
function readFrom(entry: Endpoint, records: readonly unknown[], slash: string): ListedRecord[] {
  const { reply } = entry;
  const paging = { page: '1', limit: '100', totalPage: '1' };
  const data = reply.shape === 'paged' ? [{ ...paging, [reply.list]: records }] : records;
  const text = JSON.stringify({ code: '0', msg: '', data }).replaceAll('/', slash);
  const read = parsedBody(entry, text.padEnd(5000, ' ')) as { data: AnyRecord[] };
  if (reply.shape !== 'paged') return listed(entry, read.data);
  const [page] = read.data as unknown as Record<string, AnyRecord[]>[];
  return listed(entry, page?.[reply.list] ?? []);
}

const LISTS = endpoints.filter(({ list, fields }) => {
  return list !== 'submission' && list !== 'snapshot' && fields.length > 0;
});

let texts = 0;

describe.each(LISTS)('rows of $path', (entry) => {
  const record = (at: 0 | 1): Record<string, unknown> =>
    Object.fromEntries(entry.fields.map((field) => [field.wire, valuesOf(field)[at]]));
  const first = record(0);

  test('are equal in any spelling, as sent and rewritten', () => {
    const read = readFrom(entry, [first, record(1), first], '/');
    const escaped = readFrom(entry, [first], '\\/');
    const rewritten = listed(entry, read.map(parsedRecord));
    const walk = [...read, ...escaped, ...rewritten, ...read];
    const { rows } = decode(listOf(entry), walk);
    texts += walk.filter(({ deviation }) => deviation === undefined).length;
    expect(rows.map(({ occurrence }) => occurrence)).toEqual(walk.map((_, i) => i + 1));
  });

  test('differ where one stable field does', () => {
    const stable = entry.fields.filter(({ volatile }) => volatile !== true);
    const others = stable.map((field) => ({ ...first, [field.wire]: valuesOf(field)[2] }));
    const { rows } = decode(listOf(entry), readFrom(entry, [first, ...others, first], '/'));
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([1, ...others.map(() => 1), 2]);
  });
});

test('most of the lists have records of the usual spelling', () => {
  expect(texts).toBeGreaterThan(3 * LISTS.length);
});
