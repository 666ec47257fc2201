import { describe, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { targetOf } from '../../../../src/fetch/http/request.ts';
import { signature } from '../../../../src/fetch/http/signature.ts';
import {
  CANARY,
  credentials,
  endpoint,
  lost,
  options,
  pageOf,
  setUp,
} from '../../../fixtures/fetch-client-setup.ts';

describe('a request', () => {
  it('has its parameters in the order of the entry, encoded once, with its commas', async () => {
    const { clock, client, requests } = setUp(() => pageOf(), {
      pathSegment: 'other',
      basePath: '/explorer',
    });
    const params = { address: '0x1,0x2', chainShortName: 'A B&c=%2C', limit: '5' };
    await clock.run(client.call(endpoint, params, options));
    expect(requests[0]).toMatchObject({
      method: 'GET',
      target:
        '/explorer/api/v5/other/address/normal-transaction-list-multi' +
        '?chainShortName=A%20B%26c%3D%252C&address=0x1,0x2&limit=5',
      body: '',
    });
  });

  it('is refused before it is sent if the endpoint has no such parameter', async () => {
    const { clock, client, requests } = setUp(() => pageOf());
    const work = client.call(endpoint, { tokenId: '7' }, options);
    await expect(clock.run(work)).rejects.toThrow('has no parameter tokenId');
    expect(requests).toEqual([]);
  });

  it('carries four headers, signed for each attempt over exactly the bytes sent', async () => {
    const { clock, call, requests } = setUp((_, count) => (count < 3 ? lost() : pageOf()), {
      credentials,
      headerPrefix: 'XY-',
    });
    await clock.run(call());
    expect(requests).toHaveLength(3);
    for (const { headers, target, atMs } of requests) {
      const timestamp = new Date(atMs).toISOString();
      expect(headers).toMatchObject({
        'XY-ACCESS-KEY': `${CANARY}-access`,
        'XY-ACCESS-PASSPHRASE': `${CANARY}-phrase`,
        'XY-ACCESS-TIMESTAMP': timestamp,
        'XY-ACCESS-SIGN': signature(credentials.secretKey, {
          timestamp,
          method: 'GET',
          target,
          body: '',
        }),
      });
    }
    expect(new Set(requests.map(({ headers }) => headers['XY-ACCESS-SIGN'])).size).toBe(3);
  });

  it('has the path segments of the deployment, for both chains', () => {
    const naming = { pathSegment: 'eth', zoneSegment: 'shard', headerPrefix: 'SVC-' };
    const list = endpointAt('mainchain/zone/block/block-list');
    expect(targetOf(list, {}, naming)).toBe('/api/v5/eth/shard/block/block-list');
    const rest = { pathSegment: 'eth', headerPrefix: 'SVC-' };
    expect(targetOf(list, {}, rest)).toBe('/api/v5/eth/zone/block/block-list');
    const blocks = endpointAt('mainchain/block/block-list');
    expect(targetOf(blocks, { limit: '5' }, naming)).toBe('/api/v5/eth/block/block-list?limit=5');
  });

  it('is signed when it is sent, not when it is called', async () => {
    const { clock, call, requests } = setUp(() => pageOf(), { credentials }, { maxPerSecond: 1 });
    await clock.run(Promise.all([call(), call(), call()]));
    for (const { headers, atMs } of requests) {
      expect(headers['SVC-ACCESS-TIMESTAMP']).toBe(new Date(atMs).toISOString());
    }
    expect(requests.at(-1)?.atMs).toBeGreaterThan((requests[0]?.atMs ?? 0) + 1900);
  });

  it('is not signed without credentials', async () => {
    const { clock, call, requests } = setUp(() => pageOf());
    await clock.run(call());
    expect(Object.keys(requests[0]?.headers ?? {})).toEqual(['accept']);
  });
});
