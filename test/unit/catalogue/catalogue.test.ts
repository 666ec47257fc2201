import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ColumnWord, Dataset, Endpoint } from '../../../src/catalogue/entry.ts';
import { columnsOf } from '../../../src/catalogue/entry.ts';
import {
  datasetNamed,
  datasets,
  datasetsOf,
  endpointAt,
  endpoints,
  equalsParams,
  fieldFor,
  findDataset,
  findEndpoint,
  recordColumns,
  wordsOfDataset,
} from '../../../src/catalogue/index.ts';
import { listOf } from '../../../src/coverage/list.ts';
import { tableColumns } from '../../../src/land/rows/columns.ts';
import { rowShape } from '../../../src/land/rows/row-shape.ts';

const CATALOGUE = new URL('../../../src/catalogue/', import.meta.url);

/** What the file at a place of the tree exports. */
async function exportsOf(file: string): Promise<unknown[]> {
  return Object.values((await import(new URL(file, CATALOGUE).href)) as Record<string, unknown>);
}

async function filesUnder(folder: string): Promise<string[]> {
  const files = await readdir(new URL(folder, CATALOGUE), { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('.ts')).map((file) => `${folder}/${file}`);
}

/** The words an endpoint brings to a dataset: fields, and what windrow itself fills in. */
function wordsOf(entry: Endpoint, dataset: string): ColumnWord[] {
  const filling = equalsParams(entry).filter(({ fills, datasets: selected = {} }) =>
    fills === true ? true : fills?.some((value) => selected[value] === dataset) === true,
  );
  const handedIn = entry.params.flatMap((param) =>
    param.role === 'body' && param.column !== undefined ? [param.column] : [],
  );
  const answered = entry.reply.shape === 'single' ? [entry.reply.column] : [];
  return [...entry.fields, ...filling.map(({ column }) => column), ...handedIn, ...answered];
}

const datasetCases = datasets.map((entry): [string, Dataset] => [entry.name, entry]);

describe('the tree', () => {
  it('holds every endpoint at its own path, one a file', async () => {
    const files = [...(await filesUnder('mainchain')), ...(await filesUnder('zone'))];
    expect(files.length).toBeGreaterThan(0);
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
    expect(files.length).toBe(9);
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
  const feeding = endpoints.filter((feed) => datasetsOf(feed).includes(name));
  const columns = recordColumns(name).map((column) => column.name);
  const ownColumns = (entry.words ?? []).map((word) => word.column);

  it('is fed by an endpoint of its own axis', () => {
    expect(feeding.map(({ axis }) => axis)).toEqual(feeding.map(() => entry.axis));
    expect(feeding).not.toEqual([]);
    expect(feeding.some((feed) => feed.dataset === name)).toBe(true);
  });

  it('has one type, unit and meaning for every column, whichever endpoint fills it', () => {
    // One list of several datasets has no unit of its own for what differs between them.
    const words = feeding.flatMap((feed) =>
      wordsOf(feed, name).map((word) => ({ ...word, shared: datasetsOf(feed).length > 1 })),
    );
    for (const { column, kind, unit, volatile, shared } of words) {
      const same = words.filter((word) => word.column === column);
      for (const word of same) expect(word, column).toMatchObject({ kind });
      expect(new Set(same.map((word) => word.volatile)), column).toEqual(new Set([volatile]));
      const units = same.filter((word) => !word.shared).map((word) => word.unit);
      if (!shared) expect(new Set(units), column).toEqual(new Set([unit]));
      const published = wordsOfDataset(name).filter((word) => word.column === column);
      expect(published, column).toHaveLength(1);
      if (!shared) expect(published[0]?.unit, column).toBe(unit);
    }
    const all = new Set([...ownColumns, ...words.map(({ column }) => column)]);
    expect(
      wordsOfDataset(name)
        .map(({ column }) => column)
        .sort(),
    ).toEqual([...all].sort());
  });

  it('has no column twice, with its lineage or without', () => {
    const all = tableColumns(name).map((column) => column.name);
    expect(new Set(all).size).toBe(all.length);
    expect(columns.filter((column) => column.startsWith('_') || column === 'extra')).toEqual([]);
  });

  it('has words of its own only for what no record carries', () => {
    const carried = feeding.flatMap((feed) => wordsOf(feed, name)).map(({ column }) => column);
    for (const column of ownColumns) expect(carried).not.toContain(column);
  });

  it('has the columns it is identified and sorted by, and a height in every endpoint', () => {
    for (const column of [...entry.identity, ...entry.sortedBy, entry.heightColumn]) {
      expect(columns).toContain(column);
    }
    for (const feed of feeding) {
      const words = [...(entry.words ?? []), ...wordsOf(feed, name)];
      const wordFor = (column: string) => words.find((word) => word.column === column);
      expect(wordFor(entry.heightColumn)?.kind.name, feed.path).toBe('height');
      for (const column of entry.identity) expect(wordFor(column), feed.path).toBeDefined();
    }
    const stable = wordsOfDataset(name).filter((word) => word.volatile !== true);
    const stableColumns = stable.flatMap(columnsOf).map((column) => column.name);
    for (const column of entry.identity) expect(stableColumns).toContain(column);
  });
});

describe('quirks of the interface', () => {
  it('keep what the interface calls in wei apart from native amounts', () => {
    const multi = endpointAt('mainchain/address/normal-transaction-list-multi');
    expect(fieldFor(multi, 'gas_price')?.unit).toBe('wei');
    expect(fieldFor(multi, 'tx_fee')?.unit).toBe('native token');
    expect(fieldFor(multi, 'tx_status')).toBeUndefined();
  });

  it('let exactly one endpoint of each axis tell the head of its chain', () => {
    const heads = endpoints.filter((entry) => entry.servesHead === true);
    expect(heads.map(({ axis }) => axis).sort()).toEqual(['primary', 'zone']);
    for (const entry of heads) {
      expect(entry.list).toBe('positional');
      expect(fieldFor(entry, datasetNamed(entry.dataset).heightColumn)).toBeDefined();
    }
  });

  it('give an endpoint a summary that no other has', () => {
    const summaries = endpoints.map((entry) => entry.summary);
    expect(new Set(summaries).size).toBe(summaries.length);
  });
});

it('has stable key columns in every list, so that equal records have equal keys', () => {
  for (const endpoint of endpoints) {
    const { keysAt = [], stableAt } = rowShape(listOf(endpoint));
    expect(stableAt, endpoint.path).toEqual(expect.arrayContaining([...keysAt]));
  }
});

it('has a stable height in every list whose records have one, so equal records share it', () => {
  for (const endpoint of endpoints) {
    if (endpoint.list === 'snapshot' || endpoint.list === 'submission') continue;
    const { heightAt, stableAt } = rowShape(listOf(endpoint));
    expect(stableAt, endpoint.path).toContain(heightAt);
  }
});
