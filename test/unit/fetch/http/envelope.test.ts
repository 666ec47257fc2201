import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { codeTable } from '../../../../src/fetch/http/codes.ts';
import { openEnvelope } from '../../../../src/fetch/http/envelope.ts';
import { parsedRecord } from '../../../fixtures/listed.ts';

const paged = endpointAt('mainchain/address/normal-transaction-list-multi');
const bare = endpointAt('mainchain/block/block-fills');
const aliased: Endpoint = {
  ...paged,
  reply: { shape: 'paged', list: 'tokenTransferDetails', listAliases: ['transactionList'] },
};
const NOW_MS = Date.UTC(2025, 0, 1, 12);

function open(
  endpoint: Endpoint,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const outcome = openEnvelope(endpoint, { status, headers, body: text }, codeTable(), NOW_MS);
  if (outcome.outcome !== 'reply') return outcome;
  const { reply } = outcome;
  return { ...outcome, reply: { ...reply, records: reply.records.map(parsedRecord) } };
}

const page = (more: object) => ({
  code: '0',
  msg: '',
  data: [{ page: '1', limit: '20', totalPage: '1', ...more }],
});

describe('a reply', () => {
  it('has its records, and paging fields if the code is "0"', () => {
    const record = { txId: '0x1', amount: '1.5', isToContract: false };
    const body = page({ transactionList: [record], total: '7', chainShortName: 'MAINCHAIN' });
    expect(open(paged, body)).toEqual({
      outcome: 'reply',
      reply: {
        records: [record],
        page: 1,
        limit: 20,
        totalPage: 1,
        total: 7,
      },
    });
  });

  it('has a total under the name that its endpoint declares', () => {
    const transfers = endpointAt('mainchain/token/transaction-list');
    const body = page({ transactionList: [], totalTransfer: '12', total: 'other' });
    expect(open(transfers, body)).toMatchObject({
      reply: { total: 12 },
    });
    const blocks = endpointAt('mainchain/zone/block/block-list');
    expect(open(blocks, page({ data: [], total: '7' }))).toMatchObject({ reply: { total: 7 } });
  });

  it('may have an empty list, and empty paging fields count as zero', () => {
    const data = [{ page: '0', limit: '', totalPage: '', transactionList: [] }];
    expect(open(paged, { code: '0', msg: '', data })).toEqual({
      outcome: 'reply',
      reply: { records: [], page: 0, limit: 0, totalPage: 0 },
    });
  });

  it('may have null as its list if its page count is zero', () => {
    const body = page({ transactionList: null, totalPage: '0' });
    expect(open(paged, body)).toMatchObject({ outcome: 'reply', reply: { records: [] } });
  });

  it('of a bare endpoint is the list itself, which may be empty', () => {
    expect(open(bare, { code: '0', msg: '', data: [{ height: '5' }] })).toEqual({
      outcome: 'reply',
      reply: { records: [{ height: '5' }] },
    });
    expect(open(bare, { code: '0', data: [] })).toMatchObject({ reply: { records: [] } });
  });

  it('may name its list by an alias', () => {
    const record = { txId: '0x1' };
    for (const name of ['tokenTransferDetails', 'transactionList']) {
      const opened = open(aliased, page({ [name]: [record] }));
      expect(opened).toMatchObject({ reply: { records: [record] } });
    }
    const both = page({ transactionList: [record], tokenTransferDetails: [record] });
    expect(open(aliased, both)).toMatchObject({ reply: { records: [record] } });
  });

  it('may have numbers as paging fields', () => {
    const body = page({ transactionList: [], page: 3, totalPage: 12 });
    expect(open(paged, body)).toMatchObject({ reply: { page: 3, totalPage: 12 } });
  });
});

describe('a response that is not a reply', () => {
  it('with a bare empty list instead of a page is throttling', () => {
    const silent = { outcome: 'throttle', code: 'silent-empty' };
    expect(open(paged, { code: '0', msg: '', data: [] })).toMatchObject(silent);
    for (const entry of [paged, bare]) {
      expect(open(entry, { code: '0', msg: 'No records', data: null })).toMatchObject(silent);
    }
  });

  it.each(['page', 'totalPage'])('with records and no %s is transient', (name) => {
    const whole = { transactionList: [{ txId: '0x1' }], page: '1', limit: '20', totalPage: '1' };
    const { [name]: _, ...without } = whole as Record<string, unknown>;
    const data = [without];
    expect(open(paged, { code: '0', data })).toMatchObject({ outcome: 'transient' });
    expect(open(paged, { code: '0', data: [whole] })).toMatchObject({ outcome: 'reply' });
  });

  it('with two different lists is permanent, and names them', () => {
    const lists = { transactionList: [], tokenTransferDetails: [{ txId: '0x1' }] };
    const opened = open(aliased, page(lists));
    expect(opened).toMatchObject({ outcome: 'permanent', code: 'two-lists' });
    expect(opened).toMatchObject({
      message: expect.stringMatching(/tokenTransferDetails and transactionList/),
    });
  });

  it.each([
    ['50011', 'throttle'],
    ['50001', 'transient'],
    ['50013', 'transient'],
    ['50026', 'transient'],
    ['50102', 'auth'],
    ['50113', 'auth'],
    ['50030', 'stop'],
    ['50100', 'stop'],
    ['50025', 'permanent'],
    ['50036', 'permanent'],
    ['50042', 'permanent'],
    ['50040', 'empty'],
  ])('with code %s is %s at any HTTP status, with any data', (code, outcome) => {
    for (const status of [200, 400, 500]) {
      for (const data of [undefined, [], [{ transactionList: [] }], 'nonsense']) {
        const opened = open(paged, { msg: 'why', code, data }, { status });
        expect(opened).toMatchObject({ outcome, code, message: 'why' });
      }
    }
  });

  it('with HTTP 429, or 503 and Retry-After, is throttling whatever its body is', () => {
    const body = page({ transactionList: [] });
    for (const text of [body, '<html>', { code: '50036', msg: '' }]) {
      expect(open(paged, text, { status: 429 })).toMatchObject({ outcome: 'throttle' });
      const headers = { 'retry-after': '7' };
      const opened = open(paged, text, { status: 503, headers });
      expect(opened).toMatchObject({ outcome: 'throttle', retryAfterMs: 7000 });
    }
    expect(open(paged, '<html>', { status: 503 })).toMatchObject({ outcome: 'transient' });
  });

  it('bases a Retry-After date on its own Date, or on the local clock without one', () => {
    const until = new Date(NOW_MS + 90_000).toUTCString();
    const ours = open(paged, '', { status: 429, headers: { 'retry-after': until } });
    expect(ours).toMatchObject({ retryAfterMs: 90_000 });
    const date = new Date(NOW_MS + 80_000).toUTCString();
    const theirs = open(paged, '', { status: 429, headers: { 'retry-after': until, date } });
    expect(theirs).toMatchObject({ retryAfterMs: 10_000 });
    const past = { 'retry-after': new Date(NOW_MS - 1000).toUTCString() };
    expect(open(paged, '', { status: 429, headers: past })).toMatchObject({ retryAfterMs: 0 });
    const odd = open(paged, '', { status: 429, headers: { 'retry-after': 'soon' } });
    expect(odd).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    [401, 'auth'],
    [402, 'stop'],
    [403, 'stop'],
    [404, 'permanent'],
    [408, 'transient'],
    [500, 'transient'],
    [502, 'transient'],
  ])('without a known code is classified by HTTP status: %i is %s', (status, outcome) => {
    expect(open(paged, '<html>', { status })).toMatchObject({ outcome, code: `http-${status}` });
    expect(open(paged, { code: '99999' }, { status })).toMatchObject({ outcome, code: '99999' });
    expect(open(paged, page({ transactionList: [] }), { status })).toMatchObject({ outcome });
  });

  it('with an unknown code at HTTP 200 is permanent unless a setting classifies the code', () => {
    const response = { status: 200, headers: {}, body: '{"code":"99999","msg":"?"}' };
    expect(openEnvelope(paged, response, codeTable())).toMatchObject({ outcome: 'permanent' });
    const codes = codeTable({ '99999': 'throttle', '50011': 'stop' });
    expect(openEnvelope(paged, response, codes)).toMatchObject({ outcome: 'throttle' });
    const reply = { ...response, body: '{"code":50011}' };
    expect(openEnvelope(paged, reply, codes)).toMatchObject({ outcome: 'stop', code: '50011' });
  });

  it('is classified by the setting of its HTTP status if its code has none', () => {
    for (const body of ['<html>', '{"code":"50404","msg":"Data not found","data":[]}']) {
      const response = { status: 404, headers: {}, body };
      expect(openEnvelope(paged, response, codeTable())).toMatchObject({ isUnknown: true });
      const opened = openEnvelope(paged, response, codeTable({ 'http-404': 'empty' }));
      expect(opened).toMatchObject({ outcome: 'empty' });
      expect(opened).not.toHaveProperty('isUnknown');
    }
    const reply = { status: 404, headers: {}, body: '{"code":"50036"}' };
    expect(openEnvelope(paged, reply, codeTable({ 'http-404': 'empty' }))).toMatchObject({
      outcome: 'permanent',
    });
  });

  it('is not classified by a code that is an inherited object property', () => {
    expect(open(paged, { code: 'constructor' })).toMatchObject({ outcome: 'permanent' });
  });

  it.each([
    ['nothing', ''],
    ['a part of the JSON', '{"code":"0","msg":"","data":[{"page":"1"'],
    ['another language', '<html>busy</html>'],
    ['no object', '[]'],
    ['no code', '{"data":[]}'],
    ['success as a number', '{"code":0,"data":[]}'],
    ['no data', '{"code":"0"}'],
    ['data that is an object', '{"code":"0","data":{}}'],
    ['two pages at once', { code: '0', data: [{ transactionList: [] }, { transactionList: [] }] }],
    ['no list', page({})],
    ['null for the list', page({ transactionList: null })],
    ['a list of texts', page({ transactionList: ['0x1'] })],
    ['a fraction of a page', page({ transactionList: [], page: '1.5' })],
    ['a negative page', page({ transactionList: [], page: -1 })],
    ['a page beyond counting', page({ transactionList: [], totalPage: '99999999999999999' })],
  ])('that has %s is transient', (_, body) => {
    expect(open(paged, body)).toMatchObject({ outcome: 'transient' });
  });

  it('of a bare endpoint is transient if data is not a list of records', () => {
    for (const data of [undefined, {}, ['x'], [null], [[]]]) {
      expect(open(bare, { code: '0', data })).toMatchObject({ outcome: 'transient' });
    }
  });

  it('is never a reply if the body is cut anywhere', () => {
    const whole = JSON.stringify(page({ transactionList: [{ txId: '0x1', amount: '3' }] }));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        expect(open(paged, whole.slice(0, length)).outcome).toBe('transient');
      }),
    );
  });
});
