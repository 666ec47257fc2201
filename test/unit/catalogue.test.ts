import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Dataset, Endpoint, Param } from '../../src/catalogue/entry.ts';
import { columnsOf } from '../../src/catalogue/entry.ts';
import {
  datasetNamed,
  datasets,
  endpointAt,
  endpoints,
  equalsParams,
  fieldFor,
  findDataset,
  findEndpoint,
  paramOf,
  recordColumns,
  wordsOf,
  wordsOfDataset,
} from '../../src/catalogue/index.ts';
import { tableColumns } from '../../src/land/columns.ts';

const CATALOGUE = new URL('../../src/catalogue/', import.meta.url);

/** What the file at a place of the tree exports. */
async function exportsOf(file: string): Promise<unknown[]> {
  return Object.values((await import(new URL(file, CATALOGUE).href)) as Record<string, unknown>);
}

async function filesUnder(folder: string): Promise<string[]> {
  const files = await readdir(new URL(folder, CATALOGUE), { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('.ts')).map((file) => `${folder}/${file}`);
}

const endpointCases = endpoints.map((entry): [string, Endpoint] => [entry.path, entry]);
const datasetCases = datasets.map((entry): [string, Dataset] => [entry.name, entry]);

describe('the tree', () => {
  it('holds every endpoint at its own path, one a file', async () => {
    const files = [...(await filesUnder('mainchain')), ...(await filesUnder('zone'))];
    expect(files.length).toBeGreaterThanOrEqual(5);
    expect(endpoints).toHaveLength(files.length);
    for (const file of files) {
      const [entry, ...more] = (await exportsOf(file)) as Endpoint[];
      expect(more, file).toEqual([]);
      expect(`${entry?.path}.ts`).toBe(file);
      expect(findEndpoint(entry?.path ?? '')).toBe(entry);
    }
  });

  it('holds every dataset under its own name, one a file', async () => {
    const files = await filesUnder('datasets');
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(datasets).toHaveLength(files.length);
    for (const file of files) {
      const [entry, ...more] = (await exportsOf(file)) as Dataset[];
      expect(more, file).toEqual([]);
      expect(`datasets/${entry?.name.replaceAll('_', '-')}.ts`).toBe(file);
      expect(findDataset(entry?.name ?? '')).toBe(entry);
    }
  });

  it('knows no other names', () => {
    expect(findEndpoint('mainchain/none')).toBeUndefined();
    expect(findDataset('none')).toBeUndefined();
    expect(() => endpointAt('mainchain/none')).toThrow('no endpoint mainchain/none');
    expect(() => datasetNamed('none')).toThrow('no dataset none');
  });
});

describe.each(datasetCases)('the dataset %s', (name, entry) => {
  const feeding = endpoints.filter((each) => each.dataset === name);
  const columns = recordColumns(name).map((column) => column.name);

  it('is fed by an endpoint of its own axis', () => {
    expect(feeding.map(({ axis }) => axis)).toEqual(feeding.map(() => entry.axis));
    expect(feeding).not.toEqual([]);
  });

  it('has one type, unit and meaning for every column, whichever endpoint fills it', () => {
    const words = feeding.flatMap(wordsOf);
    for (const word of words) {
      const same = words.filter((each) => each.column === word.column);
      const { kind, unit, volatile } = word;
      for (const each of same) expect(each, word.column).toMatchObject({ kind });
      expect(new Set(same.map((each) => each.unit)), word.column).toEqual(new Set([unit]));
      expect(new Set(same.map((each) => each.volatile)), word.column).toEqual(new Set([volatile]));
    }
    expect(wordsOfDataset(name).length).toBe(new Set(words.map(({ column }) => column)).size);
  });

  it('has no column twice, with its lineage or without', () => {
    const all = tableColumns(name).map((column) => column.name);
    expect(new Set(all).size).toBe(all.length);
    expect(columns.filter((column) => column.startsWith('_') || column === 'extra')).toEqual([]);
  });

  it('has the columns it is identified and sorted by, and a height in every endpoint', () => {
    for (const column of [...entry.identity, ...entry.sortedBy, entry.heightColumn]) {
      expect(columns).toContain(column);
    }
    for (const each of feeding) {
      expect(fieldFor(each, entry.heightColumn)?.kind.name, each.path).toBe('height');
      for (const column of entry.identity) expect(fieldFor(each, column)).toBeDefined();
    }
    const stable = wordsOfDataset(name).filter((word) => word.volatile !== true);
    const stableColumns = stable.flatMap(columnsOf).map((column) => column.name);
    for (const column of entry.identity) expect(stableColumns).toContain(column);
  });
});

describe.each(endpointCases)('the endpoint %s', (_path, entry) => {
  const words = wordsOf(entry).map(({ column }) => column);

  /** The columns a parameter stands for. */
  function columnsNamed(param: Param): readonly string[] {
    switch (param.role) {
      case 'keys':
        return param.columns;
      case 'side':
        return [param.from, param.to];
      case 'equals':
        return [param.column.column];
      default:
        return [];
    }
  }

  it('feeds a dataset', () => {
    expect(datasetNamed(entry.dataset).axis).toBe(entry.axis);
  });

  it('has every column that its parameters speak of', () => {
    for (const param of entry.params) {
      for (const column of columnsNamed(param)) expect(words, param.name).toContain(column);
    }
  });

  it('fills in by parameter only what its records do not carry', () => {
    const fields = entry.fields.map(({ column }) => column);
    for (const param of equalsParams(entry)) {
      expect(fields.includes(param.column.column), param.name).toBe(param.fills !== true);
      if (param.fills === true) expect(param.required || param.default !== undefined).toBe(true);
    }
  });

  it('has each column, field name, alias and parameter once', () => {
    const names = entry.fields.flatMap(({ wire, aliases }) => [wire, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(words).size).toBe(words.length);
    const params = entry.params.map(({ name }) => name);
    expect(new Set(params).size).toBe(params.length);
  });

  it('has each role once, but for filters', () => {
    const roles = entry.params.map(({ role }) => role).filter((role) => role !== 'equals');
    expect(new Set(roles).size).toBe(roles.length);
    expect(roles).toContain('chain');
  });

  it('has limits that its parameters and its reply bear out', () => {
    const { pageSize, blockSpan } = entry.limits;
    const has = (role: Param['role']): boolean => paramOf(entry, role) !== undefined;
    if (entry.reply.shape === 'paged' || pageSize !== undefined) {
      expect([has('page'), has('limit')]).toEqual([true, true]);
    }
    expect(pageSize?.default ?? 0).toBeLessThanOrEqual(pageSize?.max ?? 0);
    if (entry.list === 'ranged') expect([has('from-block'), has('to-block')]).toEqual([true, true]);
    if (blockSpan !== undefined) {
      expect(blockSpan).toBeGreaterThan(0);
      expect(paramOf(entry, 'from-block')?.required).toBe(true);
      expect(paramOf(entry, 'to-block')?.required).toBe(true);
    }
    expect(paramOf(entry, 'keys')?.max ?? 1).toBeGreaterThanOrEqual(1);
  });

  it('has defaults among the values it allows', () => {
    for (const { name, values, default: assumed } of entry.params) {
      if (values !== undefined && assumed !== undefined) expect(values, name).toContain(assumed);
    }
  });
});

describe('quirks of the interface', () => {
  it('are aliases of the documented name', () => {
    const details = endpointAt('mainchain/block/block-fills');
    expect(fieldFor(details, 'difficulty')).toMatchObject({
      wire: 'difficulty',
      aliases: ['difficuity'],
    });
  });

  it('keep what the interface calls in wei apart from native amounts', () => {
    const multi = endpointAt('mainchain/address/normal-transaction-list-multi');
    expect(fieldFor(multi, 'gas_price')?.unit).toBe('wei');
    expect(fieldFor(multi, 'tx_fee')?.unit).toBe('native token');
    expect(fieldFor(multi, 'state')).toBeUndefined();
  });

  it('let exactly one endpoint tell the head of the primary chain', () => {
    const heads = endpoints.filter((entry) => entry.servesHead === true);
    expect(heads.map(({ axis }) => axis)).toEqual(['primary']);
  });
});
