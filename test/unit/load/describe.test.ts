import { beforeAll, describe, expect, test } from 'vitest';
import { datasets, endpoints } from '../../../src/catalogue/index.ts';
import { sqlFiles } from '../../../src/curate/rule/sql-files.ts';
import { type Description, describeAll } from '../../../src/load/describe.ts';
import {
  describedAs,
  describedNames,
  entriesText,
  overviewText,
} from '../../../src/load/describe-text.ts';
import { warehouseRelations } from '../../../src/load/warehouse-relations.ts';
import { LIST } from '../../fixtures/load-lake.ts';

let all: Description;

beforeAll(async () => {
  all = await describeAll(await warehouseRelations());
});

const textOf = (name: string) => entriesText(describedAs(name, all));
const endpointAt = (path: string) => all.endpoints.find((entry) => entry.path === path);

describe('a description', () => {
  test('has every endpoint, dataset and file of sql, and is plain data', async () => {
    expect(all.endpoints.map(({ path }) => path)).toEqual(endpoints.map(({ path }) => path));
    expect(all.datasets.map(({ name }) => name)).toEqual(datasets.map(({ name }) => name));
    for (const folder of ['views', 'familiar', 'macros', 'checks', 'examples'] as const) {
      const names = (await sqlFiles(folder)).map(({ name }) => name);
      expect(all[folder].map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    }
    // Views of curated tables stand among the others.
    expect(all.views.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['transactions', 'cross_chain_journeys', 'coverage']),
    );
    // Undefined members aside, nothing is lost on the way through JSON.
    expect(JSON.parse(JSON.stringify(all))).toEqual(JSON.parse(JSON.stringify({ ...all })));
  });

  test('of an endpoint tells its parameters, limits, fields and contradictions', () => {
    const results = endpointAt(LIST.transactions);
    expect(results).toMatchObject({ method: 'GET', axis: 'primary', list: 'ranged' });
    expect(results?.params.map(({ name, required }) => [name, required])).toContainEqual([
      'startBlockHeight',
      true,
    ]);
    expect(results?.limits).toEqual([
      'Pages of at most 100 records, 20 by default.',
      'At most 10,000 blocks between the first and the last one asked.',
      'At most 20 keys a request.',
    ]);
    expect(results?.fields.find(({ wire }) => wire === 'gasPrice')).toMatchObject({
      columns: ['gas_price'],
      unit: 'wei',
      volatile: false,
    });
    expect(results?.contradictions.length).toBeGreaterThan(0);
    expect(
      endpointAt(LIST.tokens)?.params.find(({ name }) => name === 'protocolType'),
    ).toMatchObject({
      default: 'token_20',
      values: ['token_20', 'token_721', 'token_1155', 'token_10'],
    });
  });

  test('of a dataset tells its columns and what feeds it', () => {
    const results = all.datasets.find(({ name }) => name === 'internal_transactions');
    expect(results?.identity).toEqual([]);
    expect(results?.fedBy).toContain(LIST.inBlock);
    expect(results?.columns).toContainEqual({
      name: 'block_time',
      type: 'TIMESTAMPTZ',
      comment: 'Time of the block [UTC]',
      volatile: false,
    });
  });
});

describe('in words', () => {
  test('everything has a line in the overview', () => {
    const text = overviewText(all);
    for (const { path } of all.endpoints) expect(text).toContain(path);
    for (const { name } of [...all.datasets, ...all.views, ...all.macros, ...all.examples]) {
      expect(text).toMatch(new RegExp(`^${name} `, 'm'));
    }
  });

  test('every name is described, and told whole', () => {
    const names = describedNames(all);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) expect(textOf(name), name).toMatch(/^\S.*\n/);
    for (const { name, meaning } of all.views) expect(textOf(name)).toContain(meaning);
    expect(textOf('address_activity')).toContain('(from amount or tx_fee)');
  });

  test('the end of a path is enough, and a name of several things tells all of them', () => {
    expect(textOf('block-fills')).toMatch(/^Endpoint mainchain\/block\/block-fills /);
    expect(textOf('transactions')).toMatch(/^View transactions[\s\S]*\nDataset lake\./);
    expect(textOf('lake.transactions')).toMatch(/^Dataset lake\.transactions /);
    expect(textOf('transaction-list')?.match(/^Endpoint /gm)?.length).toBeGreaterThan(3);
  });

  test('an example comes with its SQL', () => {
    const text = textOf('cross_chain_latency') ?? '';
    expect(text).toMatch(/^Example cross_chain_latency\nHow long/);
    expect(text).toContain('\n\nSELECT\n  cross_type,');
  });

  test('an unknown name has no description', () => {
    expect(textOf('nothing')).toBe('');
  });
});
