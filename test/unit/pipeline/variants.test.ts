import { describe, expect, it } from 'vitest';
import { endpoint } from '../../../src/catalogue/entry.ts';
import {
  datasetOf,
  datasetsOf,
  endpointAt,
  endpoints,
  keyColumns,
} from '../../../src/catalogue/index.ts';
import { alternativesTo } from '../../../src/pipeline/alternatives.ts';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { filtersOf } from '../../../src/pipeline/requests.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { added, refusal, SMALL } from '../../fixtures/pipeline-small.ts';

const E9 = 'mainchain/address/normal-transaction-list';
const E11 = 'mainchain/block/transaction-list';
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E3 = 'mainchain/zone/cross/transaction-list';

/** The ids of all variants of this endpoint, request by request. */
function variantsOf(path: string, ...lines: string[]): string[][] {
  const text = [...SMALL.slice(0, 5), ...lines].join('\n');
  return parsePipeline({ text, file: 'p.yaml' })
    .requests.filter(({ entry }) => entry.path === path)
    .map(({ lists }) => lists.map(({ variant }) => variant));
}

describe('a parameter that selects the dataset', () => {
  const under = (dataset: string, ...more: string[]) =>
    variantsOf(E11, `  ${dataset}:`, `    - endpoint: ${E11}`, ...more);

  it('need not be written where one value is left, and is sent all the same', () => {
    expect(under('transactions')).toEqual([['protocolType=transaction']]);
    expect(under('internal_transactions')).toEqual([['protocolType=internal']]);
  });

  it('may be written with that value', () => {
    expect(under('internal_transactions', '      where: { protocolType: internal }')).toEqual([
      ['protocolType=internal'],
    ]);
  });

  it('is required where several values feed the dataset', () => {
    expect(refusal(added(`    - endpoint: ${E11}`))).toBe(
      'p.yaml:12:17: datasets.token_transfers[1].endpoint needs a value for protocolType ' +
        `(${E11}). Give one under where, or several under each. ` +
        'Allowed: token_20, token_721, token_1155, token_10.',
    );
    const line = '      each: { protocolType: [token_10, token_20] }';
    expect(under('token_transfers', line)).toEqual([
      ['protocolType=token_10', 'protocolType=token_20'],
    ]);
  });

  it('is refused with the value of another dataset', () => {
    const text = added(`    - endpoint: ${E11}`, '      where: { protocolType: internal }');
    expect(refusal(text)).toBe(
      'p.yaml:13:30: datasets.token_transfers[1].where.protocolType is not one of the allowed ' +
        'values (internal). Allowed here: token_20, token_721, token_1155, token_10.',
    );
    const normal = [
      ...SMALL.slice(0, 5),
      '  transactions:',
      `    - { endpoint: ${E11}, where: { protocolType: token_20 } }`,
    ];
    expect(refusal(normal.join('\n'))).toContain('(token_20). Allowed here: transaction.');
  });

  it('sends records to the dataset under which it was asked, whichever endpoint it is', () => {
    let tried = 0;
    for (const entry of endpoints) {
      for (const dataset of datasetsOf(entry)) {
        for (const filter of filtersOf(entry, dataset)) {
          if (filter.role !== 'equals' || filter.datasets === undefined) continue;
          for (const value of filter.values ?? []) {
            expect(datasetOf(entry, { [filter.name]: value })).toBe(dataset);
            tried += 1;
          }
        }
      }
    }
    expect(tried).toBe(6);
  });
});

describe('keys that can be left out', () => {
  const lists = [
    '  cross_chain_transfers:',
    `    - endpoint: ${E3}`,
    `    - { endpoint: ${E3}, keys: addresses }`,
  ];

  it('make another variant where they are given', () => {
    expect(variantsOf(E3, ...lists)).toEqual([[''], ['address=*']]);
    expect(keyColumns(endpointAt(E3), {})).toBeUndefined();
    expect(keyColumns(endpointAt(E3), { address: '*' })).toHaveLength(4);
  });

  it('make another variant beside filters too', () => {
    const where = `where: { from: "0x${'A'.repeat(40)}" }`;
    const filtered = [
      '  cross_chain_transfers:',
      `    - { endpoint: ${E3}, ${where} }`,
      `    - { endpoint: ${E3}, keys: addresses, ${where} }`,
    ];
    expect(variantsOf(E3, ...filtered)).toEqual([
      [`from=0x${'a'.repeat(40)}`],
      [`address=*&from=0x${'a'.repeat(40)}`],
    ]);
  });

  it('are refused twice, like any request that repeats another', () => {
    const text = [...SMALL.slice(0, 5), ...lists, `    - { endpoint: ${E3}, keys: addresses }`];
    expect(refusal(text.join('\n'))).toContain('requests the same records as a request above');
  });

  it('filter by addresses, and by nothing that is none', () => {
    const wrong = [
      '  cross_chain_transfers:',
      `    - { endpoint: ${E3}, where: { to: somebody } }`,
    ];
    expect(refusal([...SMALL.slice(0, 5), ...wrong].join('\n'))).toContain(
      'where.to is not an address (somebody). Write 0x and 40 hexadecimal digits, in quotes.',
    );
  });
});

describe('alternatives', () => {
  it('are these, over the whole catalogue', () => {
    const pairs = endpoints.flatMap((entry) =>
      datasetsOf(entry).flatMap((dataset) =>
        alternativesTo(entry, dataset).map((other) => `${dataset}: ${entry.path} or ${other}`),
      ),
    );
    const [fills, list] = ['block-fills', 'block-list'].map((name) => `mainchain/block/${name}`);
    const [range, block] = ['transaction-list-multi', 'transaction-list'].map(
      (name) => `mainchain/zone/block/${name}`,
    );
    expect(pairs.sort()).toEqual([
      `blocks: ${fills} or ${list}`,
      `blocks: ${list} or ${fills}`,
      `transactions: ${E9} or ${E12}`,
      `transactions: ${E12} or ${E9}`,
      `zone_transactions: ${block} or ${range}`,
      `zone_transactions: ${range} or ${block}`,
    ]);
  });

  it('have the same filters, or they would list more than was asked', () => {
    const e12 = endpointAt(E12);
    const without = (role: string) =>
      endpoint({
        ...e12,
        path: 'mainchain/made/up',
        params: e12.params.filter((p) => p.role !== role),
      });
    expect(alternativesTo(without('limit'), 'transactions')).toEqual([E12, E9]);
    expect(alternativesTo(without('side'), 'transactions')).toEqual([]);
  });

  it('are asked by the same columns, and need keys alike', () => {
    const e12 = endpointAt(E12);
    const keyedBy = (columns: string[], required = true) => {
      const params = e12.params.map((param) =>
        param.role === 'keys' ? { ...param, columns, required } : param,
      );
      return alternativesTo(
        endpoint({ ...e12, path: 'mainchain/made/up', params }),
        'transactions',
      );
    };
    const parties = ['from_address', 'to_address'];
    expect(keyedBy(parties)).toEqual([E12, E9]);
    expect(keyedBy(['from_address'])).toEqual([]);
    expect(keyedBy(parties, false)).toEqual([]);
  });

  it('take over the variants one to one, and their own page size', () => {
    const text = [
      ...SMALL.slice(0, 5),
      '  transactions:',
      `    - endpoint: ${E12}`,
      '      keys: addresses',
      '      pageSize: 30',
      '      each: { isFromOrTo: [to, from] }',
      `      alternatives: [${E9}]`,
    ].join('\n');
    const [request] = parsePipeline({ text, file: 'p.yaml' }).requests;
    expect(request?.pageSize).toBe(30);
    expect(request?.alternatives).toEqual([
      {
        entry: endpointAt(E9),
        pageSize: 50,
        lists: request?.lists.map(({ filters }) => listNamed(E9, filters)),
      },
    ]);
    expect(request?.lists.map(({ variant }) => variant)).toEqual([
      'isFromOrTo=to',
      'isFromOrTo=from',
    ]);
  });
});
