import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { refusal, SMALL } from '../../fixtures/pipeline-small.ts';

const seed = Number(process.env['SEED'] ?? 20_240_602);
process.stdout.write(`pipeline properties: seed ${seed}\n`);

type Mapping = Record<string, unknown>;

/** Any subset of the keys, in any order. */
function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Mapping> {
  const keys = Object.keys(fields);
  return fc
    .tuple(fc.record(fields, { requiredKeys: [] }), fc.shuffledSubarray(keys, { minLength: 0 }))
    .map(([values, order]) => {
      const sorted = [...order, ...keys.filter((key) => !order.includes(key))];
      const kept = sorted.filter((key) => Object.hasOwn(values, key));
      return Object.fromEntries(kept.map((key) => [key, values[key]]));
    });
}

function both(required: fc.Arbitrary<Mapping>, optional: fc.Arbitrary<Mapping>) {
  return fc.tuple(required, optional).map(([a, b]): Mapping => ({ ...b, ...a }));
}

const whole = (min: number, max: number) => fc.integer({ min, max });
const word = (letters: string) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 12 }).map((l) => l.join(''));
const address = fc
  .array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: 40, maxLength: 40 })
  .map((digits) => `0x${digits.join('')}`);
const tokens = fc.shuffledSubarray(['token_20', 'token_721', 'token_1155', 'token_10'], {
  minLength: 1,
});
const side = fc.constantFrom('from', 'to');

const source = both(
  fc.record({
    url: fc.webUrl({ withQueryParameters: false, withFragments: false }),
    chain: word('ABCxyz019'),
  }),
  some({
    pathSegment: word('abc0189'),
    headerPrefix: word('ABC-').map((text) => `X${text}`),
    authentication: fc.constantFrom('signature', 'key'),
    credentials: fc.oneof(
      fc.constantFrom('environment', 'none'),
      fc.record({ file: word('abc./') }),
    ),
    finalityLagBlocks: whole(0, 1_000_000),
    recordCap: whole(1, 1_000_000),
    concurrency: whole(1, 256),
    rate: some({ startPerSecond: whole(1, 9), maxPerSecond: fc.constantFrom(9, 9.5, 200) }),
    timeouts: some({
      connectMs: whole(1, 3_600_000),
      headersMs: whole(1, 3_600_000),
      bodyMs: whole(1, 3_600_000),
      totalMs: whole(1, 3_600_000),
    }),
    codes: fc.dictionary(
      word('0123456789').filter((code) => code !== '0'),
      fc.constantFrom('throttle', 'transient', 'auth', 'stop', 'permanent', 'empty'),
    ),
  }),
);

const keySet = fc.oneof(
  fc.record({ file: word('abc019./_') }),
  fc.record({ list: fc.array(address, { minLength: 1, maxLength: 5 }) }),
);

function request(path: string, optional: Record<string, fc.Arbitrary<unknown>>) {
  const required = fc.record({ endpoint: fc.constant(path), keys: fc.constant('followed') });
  return fc.tuple(both(required, some(optional)));
}

const datasets = both(
  fc.record({
    transactions: request('mainchain/address/normal-transaction-list-multi', {
      pageSize: whole(1, 100),
      where: some({ isFromOrTo: side }),
    }),
  }),
  some({
    internal_transactions: request('mainchain/address/internal-transaction-list-multi', {
      pageSize: whole(1, 100),
    }),
    token_transfers: request('mainchain/address/token-transaction-list', {
      pageSize: whole(1, 50),
      each: some({ protocolType: tokens }),
      where: some({ isFromOrTo: side, tokenContractAddress: address }),
    }),
  }),
);

const file = both(
  fc.record({
    version: fc.constant(1),
    name: word('abc-019').map((text) => `n${text}`),
    source,
    keys: fc
      .tuple(keySet, fc.dictionary(word('abc'), keySet, { maxKeys: 2 }))
      .map(([followed, others]) => ({ ...others, followed })),
    datasets,
  }),
  some({
    blocks: some({
      from: whole(0, 1000),
      to: fc.oneof(fc.constantFrom('safe', 'head'), whole(1000, 2 ** 53 - 1)),
    }),
    windowBlocks: whole(1, 10_000),
    groupSize: whole(1, 20),
    order: fc.constantFrom('oldest-first', 'newest-first'),
    commit: some({ rows: whole(1, 9999), slices: whole(1, 9999), seconds: whole(1, 9999) }),
    maintenance: some({ seconds: whole(0, 9999), retainDays: whole(1, 99) }),
  }),
);

interface Layout {
  readonly style: 'block' | 'flow' | 'any';
  readonly indent: number;
  readonly heading: string;
  readonly lineEnd: string;
}

const layout: fc.Arbitrary<Layout> = fc.record({
  style: fc.constantFrom('block', 'flow', 'any'),
  indent: whole(1, 4),
  heading: fc.constantFrom('', '# a comment\n', '\n\n', '---\n'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
});

function written(value: unknown, how: Layout): string {
  const text = stringify(value, {
    collectionStyle: how.style,
    indent: how.indent,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  return (how.heading + text).replaceAll('\n', how.lineEnd);
}

/** Every mapping of the file whose keys are given by the format, not by who writes the file. */
function closedMappings(value: unknown, key = ''): Mapping[] {
  if (Array.isArray(value)) return value.flatMap((item) => closedMappings(item));
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, item]) => closedMappings(item, name));
  return key === 'codes' || key === 'keys' ? inner : [value as Mapping, ...inner];
}

function parsed(text: string): Pipeline {
  return parsePipeline({ text, file: 'p.yaml' });
}

const defaults = parsed(SMALL.join('\n'));

/** Does every value given stand in the pipeline, and every other one at its default? */
function expectGivenOrDefault(mapping: Mapping, pipeline: Mapping, otherwise: Mapping): void {
  for (const [key, value] of Object.entries(pipeline)) {
    const wanted = mapping[key] ?? otherwise[key];
    if (typeof value === 'object' && key !== 'codes') {
      expectGivenOrDefault(wanted as Mapping, value as Mapping, otherwise[key] as Mapping);
    } else {
      expect(value).toEqual(wanted);
    }
  }
}

describe('any pipeline file', () => {
  it('with a subset of the fields parses to what it gives, and to the defaults', () => {
    fc.assert(
      fc.property(file, layout, (draft, how) => {
        const { maintenance, ...pipeline } = parsed(written(draft, how));
        const { requests, keySets, source: whom, ...settings } = pipeline;
        const { retainDays = 7, seconds = 10 } = (draft['maintenance'] ?? {}) as Mapping;
        expect(maintenance.rules.retainMs).toBe(Number(retainDays) * 86_400_000);
        expect(maintenance.seconds).toBe(seconds);
        const { url, credentials, authentication, rate, ...limits } = whom;
        expectGivenOrDefault(draft, settings, { ...defaults });
        expectGivenOrDefault(draft['source'] as Mapping, limits, { ...defaults.source });
        expect((draft['source'] as Mapping)['url']).toContain(url);
        expect(rate).toMatchObject((draft['source'] as Mapping)['rate'] ?? {});
        expect(['environment', 'none', 'file']).toContain(credentials.kind);
        expect(['signature', 'key']).toContain(authentication);
        expect(Object.keys(keySets).sort()).toEqual(Object.keys(draft['keys'] as Mapping).sort());
        expect(requests.map(({ dataset }) => dataset).sort()).toEqual(
          Object.keys(draft['datasets'] as Mapping).sort(),
        );
      }),
      { seed, numRuns: 200 },
    );
  });

  it('with one unknown key anywhere is refused at the line and column of that key', () => {
    const key = fc.oneof(
      word('xyz').map((text) => `q_${text}`),
      fc.constantFrom('constructor', 'toString', 'hasOwnProperty', 'valueOf', '<<', 'no'),
    );
    const value = fc.constantFrom<unknown>(1, 'text', null, [], {}, ['a', { b: 1 }]);
    const where = fc.record({ mapping: fc.nat(), position: fc.nat() });
    fc.assert(
      fc.property(file, layout, key, value, where, (draft, how, unknown, content, at) => {
        const copy = structuredClone(draft);
        const mappings = closedMappings(copy);
        const mapping = mappings[at.mapping % mappings.length] ?? copy;
        const entries = Object.entries(mapping);
        entries.splice(at.position % (entries.length + 1), 0, [unknown, content]);
        for (const name of Object.keys(mapping)) delete mapping[name];
        Object.assign(mapping, Object.fromEntries(entries));

        const text = written(copy, how);
        const lines = text.split('\n');
        const pattern = new RegExp(`(^|[\\s{,"-])${unknown}"?:`);
        const line = lines.findIndex((one) => pattern.test(one));
        const column = lines[line]?.search(new RegExp(`"?${unknown}"?:`)) ?? -1;
        expect(refusal(text)).toMatch(
          new RegExp(
            `^p\\.yaml:${line + 1}:${column + 1}: unknown key( in [^ ]+)? \\(${unknown}\\)\\. `,
          ),
        );
      }),
      { seed, numRuns: 200 },
    );
  });
});
