import { describe, expect, test } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { readDepthLimit } from '../../../../src/fetch/chain/depth-limit.ts';
import { readHead, readLowestHead } from '../../../../src/fetch/chain/heads.ts';
import { readHeads } from '../../../../src/fetch/chain/pipeline-heads.ts';
import { CallFailure } from '../../../../src/fetch/http/call-failure.ts';
import type { Caller, PageReply } from '../../../../src/fetch/http/caller.ts';
import { listed } from '../../../fixtures/listed.ts';
import { Lister } from '../../../fixtures/walk-lister.ts';
import { asking } from '../../../model/plan-input.ts';

describe('the head of an axis', () => {
  const lister = () => new Lister([{ height: '700' }, { height: '699' }]);

  test('is the first record of the list that serves it', async () => {
    const service = lister();
    const source = { chain: 'ZONECHAIN', finalityLagBlocks: 600 };
    expect(await readHead(service, 'zone', source)).toEqual({ head: 700, safe: 100 });
    expect(service.calls.map(({ endpoint, query }) => [endpoint.axis, query])).toEqual([
      ['zone', { chainShortName: 'ZONECHAIN', limit: '1', page: '1' }],
    ]);
  });

  test('of the primary chain is requested by the name of that chain', async () => {
    const service = lister();
    const source = { chain: 'MAINCHAIN', finalityLagBlocks: 1000 };
    expect(await readHead(service, 'primary', source)).toEqual({ head: 700, safe: 0 });
    expect(service.calls[0]?.endpoint.path).toBe('mainchain/block/block-list');
  });

  test.each([
    ['primary', [], 'source.chain'],
    ['zone', [{ hash: '0x1' }], 'source.zoneChain'],
  ] as const)(
    'of a %s chain whose answer names no block is refused',
    async (axis, list, setting) => {
      const question = readHead(new Lister(list), axis, { chain: 'X', finalityLagBlocks: 0 });
      await expect(question).rejects.toThrow(Fault);
      await expect(question).rejects.toMatchObject({ advice: expect.stringContaining(setting) });
    },
  );

  test.each([
    ['1700000000', 'source.timeUnit: s'],
    ['1700000000000000', 'source.timeUnit: ms'],
  ])('with the time %s is refused, and the setting is named', async (blockTime, setting) => {
    const lister = new Lister([{ height: '700', blockTime }]);
    const reading = readHead(lister, 'primary', { chain: 'X', finalityLagBlocks: 0 });
    await expect(reading).rejects.toMatchObject({ advice: expect.stringContaining(setting) });
  });

  test.each(['1700000000000', '0', ''])('with the time %j is the head', async (blockTime) => {
    const lister = new Lister([{ height: '700', blockTime }]);
    const head = readHead(lister, 'primary', { chain: 'X', finalityLagBlocks: 0 });
    expect(await head).toMatchObject({ head: 700 });
  });

  test('of a zone chain without blocks lies below all heights', async () => {
    const source = { chain: 'ZONECHAIN', finalityLagBlocks: 600 };
    expect(await readHead(new Lister([]), 'zone', source)).toEqual({ head: -1, safe: 0 });
  });
});

describe('the lowest of several readings of a head', () => {
  const source = { chain: 'MAINCHAIN', finalityLagBlocks: 10 };

  test.each([1, 2, 3])('counts if a replica lags in answer %i of three', async (lagging) => {
    const service = new Lister([{ height: '700' }], {
      tamper: (reply, { request }) =>
        request === lagging ? { ...reply, records: [{ height: '500' }] } : reply,
    });
    const heads = await readLowestHead(service, 'primary', { ...source, readings: 3 });
    expect(heads).toEqual({ head: 500, safe: 490 });
    expect(service.requests).toBe(3);
  });
});

describe('the heads of a pipeline', () => {
  const crossings = asking(
    ['  cross_chain_transfers:', '    - { endpoint: mainchain/zone/cross/transaction-list }'],
    {},
  );

  test('include that of another chain whose heights its records name, read once', async () => {
    const service = new Lister([{ height: '700' }]);
    const heads = await readHeads(crossings, service, undefined);
    expect(heads).toEqual({ primary: { head: 700, safe: 636 }, zone: { head: 700, safe: 100 } });
    expect(service.calls.map(({ endpoint }) => endpoint.axis)).toEqual([
      ...Array.from({ length: 5 }, () => 'zone'),
      'primary',
    ]);
  });

  test.each([
    ['names no block', (): PageReply => ({ records: [] })],
    [
      'refuses the chain',
      (): never => {
        throw new CallFailure('permanent', { code: '50036', endpoint: '', detail: '' });
      },
    ],
  ])('leave it out if the service %s', async (_, answer) => {
    const service = new Lister([{ height: '700' }], {
      tamper: (reply, { request }) => (request === 6 ? answer() : reply),
    });
    const heads = await readHeads(crossings, service, undefined);
    expect(Object.keys(heads)).toEqual(['zone']);
  });
});

describe('the depth limit in years', () => {
  const YEAR_MS = 365 * 86_400_000;
  const HEAD = 3_000_000;
  const DAY_BLOCKS = 7200;

  /** A block every twelve seconds, or by a clock of its own. */
  function chain(timeAt = (height: number) => 1_700_000_000_000 - (HEAD - height) * 12_000): {
    readonly caller: Caller;
    readonly heights: number[];
  } {
    const heights: number[] = [];
    const caller: Caller = {
      call: (endpoint, query) => {
        const height = Number(query['height']);
        heights.push(height);
        const blockTime = String(timeAt(height));
        const records = listed(endpoint, [{ height: String(height), blockTime }]);
        return Promise.resolve({ records });
      },
    };
    return { caller, heights };
  }

  const options = { chain: 'MAINCHAIN', from: 1, head: HEAD, years: 1 };

  test('is the lowest height whose block has at most the allowed age, less a day', async () => {
    const { caller, heights } = chain();
    expect(await readDepthLimit(caller, options)).toBe(HEAD - 364 * DAY_BLOCKS);
    expect(heights).toHaveLength(3);
    expect(await readDepthLimit(chain().caller, { ...options, years: YEAR_MS })).toBe(1);
  });

  test('is found in few requests where blocks came slowly at first', async () => {
    const timeAt = (height: number): number =>
      1000 * (12 * height + 18 * Math.min(height, HEAD / 3));
    const { caller, heights } = chain((height) => 400_000_000_000 + timeAt(height));
    const limit = await readDepthLimit(caller, options);
    const oldestMs = timeAt(HEAD) - 364 * 86_400_000;
    expect(timeAt(limit)).toBeGreaterThanOrEqual(oldestMs);
    expect(timeAt(limit)).toBeLessThan(oldestMs + 3_600_000 + 90_000);
    expect(heights.length).toBeLessThanOrEqual(8);
  });

  test('of a range above the head costs no request', async () => {
    const { caller, heights } = chain();
    expect(await readDepthLimit(caller, { ...options, from: HEAD + 5 })).toBe(HEAD + 5);
    expect(heights).toEqual([]);
  });

  test('is refused if a block has no time, or another block is returned', async () => {
    for (const record of [{ height: '1' }, { height: '7', blockTime: '5' }]) {
      const caller: Caller = {
        call: (endpoint) => Promise.resolve({ records: listed(endpoint, [record]) }),
      };
      await expect(readDepthLimit(caller, options)).rejects.toThrow(Fault);
    }
  });
});
