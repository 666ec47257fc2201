import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import { field } from '../../../../src/catalogue/entry.ts';
import { chain, limit, page } from '../../../../src/catalogue/params.ts';
import { blockNumber, fromAddress, nonce, txHash } from '../../../../src/catalogue/vocabulary.ts';
import { questionOf } from '../../../src/answer/question.ts';
import { replyTo } from '../../../src/answer/reply.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import type { Source } from '../../../src/protocol/source.ts';
import { DEFAULT_NAMES } from '../../../src/protocol/source.ts';
import { fullSettings } from '../../../src/settings/settings.ts';

/**
 * Entries that the catalogue does not have, to show that the service needs nothing but the entry:
 * each of them combines shapes and limits that no present endpoint combines.
 */

const records = Array.from({ length: 60 }, (_, height) => ({
  tx_hash: `0x${height}`,
  block_number: String(height),
  from_address: '0xa1',
}));
const source: Source = {
  ...tablesSource(new Map([['transactions', records]])),
  names: DEFAULT_NAMES,
  head: () => 59,
};
const settings = fullSettings({ endReading: 'exclusive', recordCap: 10 });

const zoneRange: Endpoint = {
  path: 'mainchain/zone/made-up',
  method: 'GET',
  axis: 'zone',
  summary: 'A bare list with pages',
  dataset: 'transactions',
  list: 'ranged',
  limits: { pageSize: { max: 30, default: 25 }, blockSpan: 50 },
  params: [
    chain,
    { name: 'first', type: 'Long', required: true, meaning: 'first block', role: 'from-block' },
    { name: 'last', type: 'Long', required: true, meaning: 'last block', role: 'to-block' },
    page,
    limit,
  ],
  reply: { shape: 'bare' },
  fields: [field('blockHeight', blockNumber)],
};

async function data(list: Endpoint, query: string): Promise<Record<string, unknown>[]> {
  const response = await replyTo(list, questionOf(list, query, source, settings), source, settings);
  return (JSON.parse(response.body) as { data: Record<string, unknown>[] }).data;
}

describe('a bare list with pages on the zone chain', () => {
  const query = 'chainShortName=ZONECHAIN&first=5&last=55';

  it('is cut into pages without a wrapper, down to an empty one', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((at) => data(zoneRange, `${query}&page=${at}`)),
    );
    expect(pages.map((rows) => rows.length)).toEqual([25, 25, 1, 0]);
  });

  it('contains its last block and knows no record cap, whatever the primary chain does', async () => {
    const rows = await data(zoneRange, `${query}&limit=30`);
    expect(rows[0]).toEqual({ blockHeight: '55' });
    expect(rows).toHaveLength(30);
  });

  it('has no record cap on the primary chain either, as it could not tell of one', async () => {
    const primary: Endpoint = { ...zoneRange, axis: 'primary' };
    const rows = await data(primary, 'chainShortName=MAINCHAIN&first=5&last=55&limit=30');
    expect(rows).toHaveLength(30);
  });

  it('takes the name of the zone chain in upper case only', async () => {
    await expect(
      data(zoneRange, query.toLowerCase().replace('shortname', 'ShortName')),
    ).rejects.toThrow('chainShortName must be ZONECHAIN');
  });
});

describe('a paged list with totals', () => {
  const counted: Endpoint = {
    ...zoneRange,
    reply: {
      shape: 'paged',
      list: 'rows',
      extras: ['all', 'chainFullName', 'totalOfOthers'],
      total: 'all',
    },
  };

  it('tells the number of all records beside its paging', async () => {
    const query = 'chainShortName=ZONECHAIN&first=1&last=40&limit=2&page=3';
    expect(await data(counted, query)).toEqual([
      {
        page: '3',
        limit: '2',
        totalPage: '20',
        all: '40',
        chainFullName: 'Zone chain',
        totalOfOthers: '',
        rows: [{ blockHeight: '36' }, { blockHeight: '35' }],
      },
    ]);
  });

  it('tells the number of all records also beyond the record cap of the primary chain', async () => {
    const primary: Endpoint = { ...counted, axis: 'primary' };
    const [only] = await data(primary, 'chainShortName=MAINCHAIN&first=1&last=41&limit=3');
    expect(only).toMatchObject({ all: '40', totalPage: '4' });
  });

  it('has pages of 20 to 100 where the interface shows no limits', async () => {
    const unlimited: Endpoint = { ...counted, limits: {} };
    const query = 'chainShortName=ZONECHAIN&first=1&last=59';
    expect((await data(unlimited, query))[0]).toMatchObject({ limit: '20' });
    await expect(data(unlimited, `${query}&limit=101`)).rejects.toThrow('limit must be 1 to 100');
  });
});

describe('a look-up by hash', () => {
  const byHash: Endpoint = {
    ...zoneRange,
    axis: 'primary',
    list: 'by-key',
    limits: {},
    params: [
      chain,
      {
        name: 'txId',
        type: 'Array',
        required: true,
        meaning: 'hashes',
        role: 'keys',
        keyKind: 'transaction',
        max: 3,
        columns: ['tx_hash'],
      },
      {
        name: 'sender',
        type: 'String',
        required: false,
        meaning: 'sender',
        role: 'equals',
        column: fromAddress,
      },
      {
        name: 'nonce',
        type: 'String',
        required: false,
        meaning: 'nonce',
        role: 'equals',
        column: nonce,
      },
    ],
    fields: [field('txId', txHash), field('missing', { ...txHash, column: 'nowhere' })],
  };

  it('answers existing records in the order of the request, with missing fields empty', async () => {
    expect(await data(byHash, 'chainShortName=MAINCHAIN&txId=0x7,0x999,0x12')).toEqual([
      { txId: '0x7', missing: '' },
      { txId: '0x12', missing: '' },
    ]);
  });

  it('keeps to its filters', async () => {
    const query = 'chainShortName=MAINCHAIN&txId=0x7&sender=';
    expect(await data(byHash, `${query}0xA1`)).toHaveLength(1);
    expect(await data(byHash, `${query}0xa2`)).toHaveLength(0);
    await expect(data(byHash, `${query}0xa1,0xa2`)).rejects.toThrow('sender is malformed');
    await expect(data(byHash, `${query}&nonce=first`)).rejects.toThrow('nonce is malformed');
  });
});
