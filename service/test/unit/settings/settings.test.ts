import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { ask, askTarget, pageIn, serviceOver } from '../../../../test/contract/asking.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import type { Source } from '../../../src/protocol/source.ts';
import { createService } from '../../../src/server/service.ts';
import type { ServiceSettings } from '../../../src/settings/settings.ts';

const MULTI = 'mainchain/address/normal-transaction-list-multi';
const [ALICE, BOB, CAROL] = ['0xa1', '0xb2', '0xc3'] as const;

function transaction(height: number, from: string, to: string): CanonicalRecord {
  return {
    tx_hash: `0x${String(height).padStart(4, '0')}`,
    block_number: String(height),
    from_address: from,
    to_address: to,
  };
}

function ledger(...records: CanonicalRecord[]): Source {
  return tablesSource(new Map([['transactions', records]]));
}

/** Heights listed, for Alice and Bob from block 1 to `end`. */
async function heightsListed(source: Source, settings: ServiceSettings, end = 100) {
  const answer = await ask(serviceOver(source, settings), MULTI, {
    chainShortName: 'MAINCHAIN',
    address: `${ALICE},${BOB}`,
    startBlockHeight: '1',
    endBlockHeight: String(end),
    limit: '3',
  });
  return pageIn(answer).list.map((record) => Number(record['height']));
}

describe('the record cap', () => {
  const many = ledger(...Array.from({ length: 12 }, (_, at) => transaction(at + 1, ALICE, CAROL)));
  const page = async (settings: ServiceSettings, number: number) =>
    ask(serviceOver(many, settings), MULTI, {
      chainShortName: 'MAINCHAIN',
      address: ALICE,
      startBlockHeight: '1',
      endBlockHeight: '12',
      limit: '3',
      page: String(number),
    });
  const heights = async (settings: ServiceSettings, number: number) =>
    pageIn(await page(settings, number)).list.map((record) => Number(record['height']));

  it('ends the list in the middle of a page, and totalPage says where', async () => {
    const cut = { recordCap: 8 };
    expect(pageIn(await page(cut, 1)).totalPage).toBe(3);
    expect(await heights(cut, 3)).toEqual([6, 5]);
    expect(pageIn(await page({ recordCap: 12 }, 1)).totalPage).toBe(4);
  });

  it('answers pages beyond it with an empty list, by default', async () => {
    const beyond = pageIn(await page({ recordCap: 8 }, 4));
    expect(beyond).toEqual({ page: 4, limit: 3, totalPage: 3, list: [] });
  });

  it('repeats the last page where it clamps, and says which page that is', async () => {
    const clamped = pageIn(await page({ recordCap: 8, capStyle: 'clamp' }, 7));
    expect(clamped).toMatchObject({ page: 3, totalPage: 3 });
    expect(clamped.list.map((record) => record['height'])).toEqual(['6', '5']);
  });

  it('refuses pages beyond it where it is an error', async () => {
    const answer = await page({ recordCap: 8, capStyle: 'error' }, 4);
    expect(answer).toMatchObject({ status: 400, code: '50037', data: [] });
  });

  it.each(['clamp', 'error'] as const)(
    'leaves lists that do not reach it alone with %s',
    async (capStyle) => {
      const beyond = pageIn(await page({ recordCap: 12, capStyle }, 5));
      expect(beyond).toEqual({ page: 5, limit: 3, totalPage: 4, list: [] });
    },
  );

  it('is 10,000 by default', async () => {
    const source = ledger(...Array.from({ length: 10_001 }, () => transaction(1, ALICE, CAROL)));
    const answer = await ask(serviceOver(source), MULTI, {
      chainShortName: 'MAINCHAIN',
      address: ALICE,
      startBlockHeight: '1',
      endBlockHeight: '1',
      limit: '3',
    });
    expect(pageIn(answer).totalPage).toBe(3334);
  });
});

describe('the last block asked for', () => {
  const source = ledger(transaction(99, ALICE, CAROL), transaction(100, ALICE, CAROL));

  it('is part of the list by default', async () => {
    expect(await heightsListed(source, {})).toEqual([100, 99]);
  });

  it('is left out under the exclusive reading', async () => {
    expect(await heightsListed(source, { endReading: 'exclusive' })).toEqual([99]);
    expect(await heightsListed(source, { endReading: 'exclusive' }, 1)).toEqual([]);
  });
});

describe('a record that names two of the keys asked', () => {
  const source = ledger(
    transaction(1, ALICE, CAROL),
    transaction(2, ALICE, BOB),
    transaction(3, ALICE, ALICE),
  );

  it('is listed once by default', async () => {
    expect(await heightsListed(source, {})).toEqual([3, 2, 1]);
  });

  it('is listed once for each key with per-match listing, and self-transfers once', async () => {
    expect(await heightsListed(source, { perMatchListing: true })).toEqual([3, 2, 2]);
  });

  it('counts a party of several addresses for each of them', async () => {
    const party = ledger(transaction(4, `${ALICE},${BOB}`, CAROL));
    expect(await heightsListed(party, { perMatchListing: true })).toEqual([4, 4]);
    expect(await heightsListed(party, {})).toEqual([4]);
  });

  it('matches a key that is asked twice once', async () => {
    const answer = await ask(serviceOver(source, { perMatchListing: true }), MULTI, {
      chainShortName: 'MAINCHAIN',
      address: `${BOB},${BOB.toUpperCase().replace('X', 'x')}`,
      startBlockHeight: '1',
      endBlockHeight: '9',
    });
    expect(pageIn(answer).list).toHaveLength(1);
  });
});

describe('names of the deployment', () => {
  const source = ledger(transaction(1, ALICE, BOB));
  const query = 'chainShortName=MAINCHAIN&address=0xa1&startBlockHeight=1&endBlockHeight=1';
  const path = 'address/normal-transaction-list-multi';

  it('may use another path segment, and then only that one', async () => {
    const service = serviceOver(source, { pathSegment: 'otherchain' });
    const under = (segment: string) => askTarget(service, `/api/v5/${segment}/${path}?${query}`);
    expect(await under('otherchain')).toMatchObject({ status: 200, code: '0' });
    expect(await under('mainchain')).toMatchObject({ status: 404, code: '50042' });
  });

  it('may have smaller pages', async () => {
    const service = serviceOver(source, { maxPageSize: { [`mainchain/${path}`]: 10 } });
    const limited = (limit: string) =>
      askTarget(service, `/api/v5/mainchain/${path}?${query}&limit=${limit}`);
    expect(await limited('10')).toMatchObject({ code: '0' });
    expect(await limited('11')).toMatchObject({ code: '50036' });
    const byDefault = await askTarget(service, `/api/v5/mainchain/${path}?${query}`);
    expect(pageIn(byDefault).limit).toBe(10);
  });
});

describe('requests that lead nowhere', () => {
  const service = serviceOver(ledger(transaction(1, ALICE, BOB)));

  it.each([
    '/',
    '',
    '*',
    '/api/v5/mainchain',
    '/api/v5/mainchain/block/block-list/',
    '/api/v4/mainchain/block/block-list',
    '/api/v5/mainchain/block/../block/block-list',
    'http://elsewhere/api/v5/mainchain/block/block-list',
    '/api/v5/__proto__/x',
    '/%',
  ])('%j is not a path of the interface', async (target) => {
    expect(await askTarget(service, target)).toMatchObject({ status: 404, code: '50042' });
  });

  it.each(['POST', 'HEAD', 'PUT', 'get'])('%s is not a method of a list', async (method) => {
    const target = '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN';
    expect(await askTarget(service, target, method)).toMatchObject({ status: 405, code: '50041' });
  });

  it('a query that cannot be decoded is refused or ignored, and harms nothing', async () => {
    for (const query of ['%', '%E0%A4%A', '&&&', '=', 'chainShortName=%00', 'a[b]=c']) {
      const answer = await askTarget(service, `/api/v5/mainchain/block/block-list?${query}`);
      expect(answer.status).toBe(400);
    }
  });
});

describe('when the source fails', () => {
  it('answers with a code, tells the log why and the client nothing', async () => {
    const clock = virtualClock();
    const source: Source = {
      ...ledger(),
      find: () => {
        throw new Error('the disk is on fire');
      },
    };
    const service = createService({ source, effects: clock });
    const answer = await askTarget(
      service,
      '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN',
    );
    expect(answer).toMatchObject({ status: 500, code: '50026', data: [] });
    expect(answer.text).not.toMatch(/fire|service\.ts|at /);
    expect(clock.logged.join()).toContain('the disk is on fire');
  });
});

describe('the pages of the service itself', () => {
  it('counts requests by status and keeps the newest ones', async () => {
    const service = serviceOver(ledger(transaction(1, ALICE, BOB)));
    const fine = '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN';
    for (let nth = 0; nth < 1200; nth += 1) await askTarget(service, fine);
    await askTarget(service, '/nowhere');
    expect(service.counters.total).toBe(1201);
    expect([...service.counters.byStatus]).toEqual([
      [200, 1200],
      [404, 1],
    ]);
    expect(service.requests).toHaveLength(1000);
    expect(service.requests.at(-1)).toEqual({ method: 'GET', target: '/nowhere', status: 404 });
  });

  it('tells its own time with every answer', async () => {
    const service = createService({ source: ledger(), effects: virtualClock(1, 0) });
    const request = { method: 'GET', target: '/', headers: {}, body: '' };
    const { headers } = await service.answer(request);
    expect(headers['date']).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
    expect(headers['content-type']).toContain('application/json');
  });

  it('lets a test answer in its place', async () => {
    const service = serviceOver(ledger(), {
      before: ({ target }) =>
        target === '/broken'
          ? { status: 503, headers: { 'retry-after': '3' }, body: '' }
          : undefined,
    });
    const request = { method: 'GET', target: '/broken', headers: {}, body: '' };
    const answer = await service.answer(request);
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '3' }, body: '' });
    expect(await service.answer({ ...request, target: '/' })).toMatchObject({ status: 404 });
  });

  it('answers with a code where a test that answers in its place fails', async () => {
    const service = serviceOver(ledger(), {
      before: () => {
        throw new Error('the test failed');
      },
    });
    const answer = await service.answer({ method: 'GET', target: '/', headers: {}, body: '' });
    expect(answer).toMatchObject({ status: 500 });
    expect(answer.body).toContain('"code":"50026"');
    expect(service.counters.total).toBe(1);
  });
});
