import { describe, expect, it } from 'vitest';
import { endpoint } from '../../../src/catalogue/entry.ts';
import { endpointAt } from '../../../src/catalogue/index.ts';
import { filterFindings } from '../../../src/pipeline/check-together.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { listsOf } from '../../../src/pipeline/requests.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { A, added, changed, SMALL, source } from '../../fixtures/pipeline-small.ts';

const ONE_KEY = 'mainchain/address/token-transaction-list';
const MANY_KEYS = 'mainchain/address/normal-transaction-list-multi';

function parsed(text: string): Pipeline {
  return parsePipeline({ text, file: 'p.yaml' });
}

function variantIds(text: string): string[] {
  const request = parsed(text).requests.find(({ dataset }) => dataset === 'token_transfers');
  return request?.lists.map(({ variant }) => variant) ?? [];
}

describe('a parsed pipeline', () => {
  it('has its witnesses, and whether a difference counts', () => {
    const more = [
      'witness: [{ url: "http://127.0.0.1:8545/" }, { url: { env: NODE_URL } }]',
      'reconcile: { every: 1d, strict: true }',
    ];
    const { reconcile } = parsed([...SMALL, ...more].join('\n'));
    const rest = { maxPerSecond: 20, perDay: undefined };
    expect(reconcile).toEqual({
      witnesses: [
        { url: 'http://127.0.0.1:8545', ...rest },
        { url: { env: 'NODE_URL' }, ...rest },
      ],
      everyMs: 86_400_000,
      isStrict: true,
    });
    const nowhere = [...SMALL, 'witness: { url: {} }'].join('\n');
    expect(() => parsed(nowhere)).toThrow('has neither env nor file');
  });

  it('has every default filled in', () => {
    expect(parsed(SMALL.join('\n'))).toEqual({
      version: 1,
      name: 'small',
      source: {
        url: 'http://127.0.0.1:8080',
        chain: 'MAINCHAIN',
        zoneChain: 'ZONECHAIN',
        pathSegment: 'mainchain',
        zoneSegment: 'zone',
        headerPrefix: 'SVC-',
        authentication: 'signature',
        credentials: { kind: 'environment' },
        finalityLagBlocks: 64,
        finalityLagZoneBlocks: 600,
        recordCap: 10_000,
        concurrency: 64,
        rate: { startPerSecond: 2, maxPerSecond: 10_000 },
        timeouts: { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 120_000 },
        codes: {},
      },
      keySets: { addresses: { kind: 'file', file: 'a.csv' } },
      blocks: { from: 0, to: 'safe' },
      zoneBlocks: { from: 0, to: 'safe' },
      windowBlocks: 10_000,
      groupSize: 20,
      order: 'oldest-first',
      proof: 'standard',
      commit: { rows: 50_000, slices: 64, seconds: 10 },
      maintenance: {
        seconds: 10,
        rules: { target: { bytes: 128_000_000, rows: 250_000 }, retainMs: 7 * 86_400_000 },
      },
      cache: {},
      schedule: undefined,
      alerts: { destinations: {}, rules: [] },
      metrics: { file: undefined, listen: undefined },
      limits: { stopWithinMs: 30_000, priority: 5, onLocked: 'fail' },
      names: {},
      reconcile: { witnesses: [], everyMs: undefined, isStrict: false },
      report: 'json',
      requests: [
        {
          dataset: 'token_transfers',
          entry: endpointAt(ONE_KEY),
          keySet: 'addresses',
          pageSize: 50,
          lists: [listNamed(ONE_KEY, { protocolType: 'token_20' })],
          accept: [],
          alternatives: [],
        },
        {
          dataset: 'transactions',
          entry: endpointAt(MANY_KEYS),
          keySet: 'addresses',
          pageSize: 100,
          lists: [listNamed(MANY_KEYS)],
          accept: [],
          alternatives: [],
        },
      ],
    });
  });

  it('keeps every setting that is given', () => {
    const credentials = (text: string) => parsed(source(`credentials: ${text}`)).source.credentials;
    expect(credentials('none')).toEqual({ kind: 'none' });
    expect(credentials('{ file: keys.json }')).toEqual({ kind: 'file', file: 'keys.json' });
    expect(parsed(source('codes: { "50999": throttle, 50040: empty }')).source.codes).toEqual({
      '50999': 'throttle',
      '50040': 'empty',
    });
    expect(parsed(added('blocks: { from: 5, to: 5 }')).blocks).toEqual({ from: 5, to: 5 });
    expect(parsed(added('blocks: 16M:+1000')).blocks).toEqual({ from: 16_000_000, to: 16_000_999 });
    expect(parsed(added('blocks: "-1000:"')).blocks).toEqual({ from: -1000, to: 'safe' });
    expect(parsed(added('blocks: { to: head }')).blocks).toEqual({ from: 0, to: 'head' });
    expect(parsed(added('zoneBlocks: { from: 5, to: head }')).zoneBlocks).toEqual({
      from: 5,
      to: 'head',
    });
    expect(parsed(source('zoneChain: NEARBY')).source.zoneChain).toBe('NEARBY');
    expect(parsed(source('zoneSegment: near')).source.zoneSegment).toBe('near');
    expect(parsed(source('finalityLagZoneBlocks: 5')).source.finalityLagZoneBlocks).toBe(5);
    expect(parsed(added('      pageSize: 7')).requests[0]?.pageSize).toBe(7);
    expect(parsed(added('      blocks: { from: 7 }')).requests[0]?.blocks).toEqual({
      from: 7,
      to: 'safe',
    });
    expect(parsed(added('      accept: [truncated]')).requests[0]?.accept).toEqual(['truncated']);
  });

  it('begins no faster than it may go', () => {
    const rate = (text: string) => parsed(source(`rate: ${text}`)).source.rate;
    expect(rate('{ maxPerSecond: 0.5 }')).toEqual({ startPerSecond: 0.5, maxPerSecond: 0.5 });
    expect(rate('{ startPerSecond: 50 }')).toEqual({ startPerSecond: 50, maxPerSecond: 10_000 });
  });

  it('keeps every digit of unquoted text', () => {
    expect(parsed(changed(2, 'name: 007')).name).toBe('007');
    expect(parsed(changed(2, 'name: 10')).name).toBe('10');
    expect(parsed(changed(2, 'name: 123456789012345678901234567890')).name).toBe(
      '123456789012345678901234567890',
    );
    expect(parsed(changed(2, 'name: 1e9')).name).toBe('1e9');
    expect(parsed(changed(4, 'keys: { addresses: { file: 1.50 } }')).keySets).toEqual({
      addresses: { kind: 'file', file: '1.50' },
    });
    expect(parsed(changed(2, 'name: true')).name).toBe('true');
  });

  it('sorts, lower-cases and counts the addresses of a list', () => {
    const list = `["0x${'F'.repeat(40)}", "${A}", "0x${'A'.repeat(40)}"]`;
    expect(parsed(changed(4, `keys: { addresses: { list: ${list} } }`)).keySets).toEqual({
      addresses: {
        kind: 'list',
        addresses: [A, `0x${'f'.repeat(40)}`],
        duplicates: 1,
        misspelled: [],
      },
    });
  });

  it('takes the slash from the end of the address', () => {
    const text = changed(3, 'source: { url: "https://a.example/x/", chain: C }');
    expect(parsed(text).source.url).toBe('https://a.example/x');
  });

  it('makes one variant per combination of values, in canonical spelling', () => {
    expect(
      variantIds(
        added(
          '      each: { isFromOrTo: [to, from], protocolType: [token_721, token_20] }',
          `      where: { tokenContractAddress: "0x${'A'.repeat(40)}" }`,
        ),
      ),
    ).toEqual([
      `isFromOrTo=to&protocolType=token_721&tokenContractAddress=${A}`,
      `isFromOrTo=from&protocolType=token_721&tokenContractAddress=${A}`,
      `isFromOrTo=to&protocolType=token_20&tokenContractAddress=${A}`,
      `isFromOrTo=from&protocolType=token_20&tokenContractAddress=${A}`,
    ]);
  });

  it('spells out a documented default, and one value given under where', () => {
    expect(variantIds(SMALL.join('\n'))).toEqual(['protocolType=token_20']);
    expect(variantIds(added('      where: { protocolType: token_10 }'))).toEqual([
      'protocolType=token_10',
    ]);
  });

  it('may ask one endpoint twice, where filters or key sets differ', () => {
    const again = (...lines: string[]) =>
      parsed(added('    - endpoint: mainchain/address/token-transaction-list', ...lines));
    expect(
      again('      keys: addresses', '      where: { protocolType: token_10 }').requests,
    ).toHaveLength(3);
    const two = changed(4, 'keys: { addresses: { file: a.csv }, others: { file: b.csv } }');
    const lines = ['    - endpoint: mainchain/address/token-transaction-list', 'keys: others'];
    expect(parsed([two, lines.join('\n      ')].join('\n')).requests).toHaveLength(3);
  });
});

describe('an endpoint that needs a filter without a default', () => {
  const strict = endpoint({
    path: 'mainchain/made/up',
    method: 'GET',
    axis: 'primary',
    summary: 'Made up',
    dataset: 'transactions',
    list: 'ranged',
    limits: {},
    params: [
      {
        name: 'isFromOrTo',
        type: 'String',
        required: true,
        meaning: 'side',
        role: 'side',
        values: ['from', 'to'],
        from: 'from_address',
        to: 'to_address',
      },
    ],
    reply: { shape: 'bare' },
    fields: [],
  });

  it('is refused without it, and accepted with it under where or each', () => {
    expect(filterFindings({ entry: strict, dataset: 'transactions' }, {}, ['at'])).toEqual([
      {
        path: ['at', 'endpoint'],
        message: 'needs a value for isFromOrTo',
        advice: 'Give one under where, or several under each. Allowed: from, to.',
      },
    ]);
    expect(
      filterFindings(
        { entry: strict, dataset: 'transactions' },
        { where: { isFromOrTo: 'to' } },
        [],
      ),
    ).toEqual([]);
    expect(
      filterFindings(
        { entry: strict, dataset: 'transactions' },
        { each: { isFromOrTo: ['to'] } },
        [],
      ),
    ).toEqual([]);
  });

  it('has the variant that was asked for', () => {
    const request = { endpoint: strict.path, where: { isFromOrTo: 'to' } };
    expect(listsOf(strict, 'transactions', request).map(({ variant }) => variant)).toEqual([
      'isFromOrTo=to',
    ]);
  });
});
