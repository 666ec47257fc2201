import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { ENTRY, LOOK_UP, LOOK_UP_ENTRY, PATH } from '../../fixtures/catalogue-growth-entries.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/**
 * Goal: adding an endpoint touches its own file and no other. A copy of the sources gets one more
 * file for each of two endpoints, of either axis, and everything that knows endpoints must know
 * these: their pipelines, slices, requests, rows, columns and answers.
 */

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
type Catalogue = typeof import('../../../src/catalogue/index.ts');
type Columns = typeof import('../../../src/land/rows/columns.ts');
type Decode = typeof import('../../../src/land/rows/decode.ts');
type Records = typeof import('../../../src/catalogue/record-text.ts');
type Wire = typeof import('../../../src/fetch/walk/record-reader.ts');
type Pipelines = typeof import('../../../src/pipeline/read-pipeline.ts');
type Slices = typeof import('../../../src/plan/slices.ts');
type ListsOfCopy = typeof import('../../../src/coverage/list.ts');
type Tables = typeof import('../../../src/curate/rule/lists.ts');
type Coverages = typeof import('../../../src/coverage/coverage.ts');
type Services = typeof import('../../../service/src/server/service.ts');
type Sources = typeof import('../../../service/src/memory/records-source.ts');

let copy = '';

beforeAll(async () => {
  copy = await freshFolder();
  for (const root of ['src', 'service/src']) {
    await cp(join(REPOSITORY, root), join(copy, root), { recursive: true });
  }
  await cp(join(REPOSITORY, 'package.json'), join(copy, 'package.json'));
  await symlink(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
  for (const [path, entry] of [
    [PATH, ENTRY],
    [LOOK_UP, LOOK_UP_ENTRY],
  ] as const) {
    const file = join(copy, 'src', 'catalogue', `${path}.ts`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, entry);
  }
});

/** A module of the copy. Each is loaded once, so that they share the copy's catalogue. */
async function fromCopy<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(join(copy, file)).href)) as T;
}

const WALLETS = [1, 2, 3, 4].map((digit) => `0x${String(digit).repeat(40)}`);
const HASH = `0x${'5'.repeat(64)}`;
const RECORD: CanonicalRecord = {
  tx_hash: HASH,
  block_number: '700',
  from_address: WALLETS[1] ?? '',
  steps: '12',
  mood: 'bad',
};

/** The only slice a pipeline plans that asks the new endpoint about the record's window. */
async function plannedSlice() {
  const { parsePipeline } = await fromCopy<Pipelines>('src/pipeline/read-pipeline.ts');
  const { planSlices } = await fromCopy<Slices>('src/plan/slices.ts');
  const { Coverage } = await fromCopy<Coverages>('src/coverage/coverage.ts');
  const text = [
    'version: 1',
    'name: growing',
    'source: { url: "http://127.0.0.1", chain: MAINCHAIN }',
    'keys: { wallets: { file: a.csv } }',
    'blocks: { from: 0, to: 999 }',
    'datasets:',
    '  transactions:',
    `    - { endpoint: ${PATH}, keys: wallets, each: { mood: [bad] } }`,
  ].join('\n');
  const pipeline = parsePipeline({ text, file: 'growing.yaml' });
  const keys = { wallets: WALLETS };
  return planSlices({
    pipeline,
    keys,
    coverage: new Coverage(),
    heads: { primary: { head: 5_000, safe: 4_900 } },
    rowKeys: new Map(),
    densities: new Map(),
    nowMs: 0,
  }).slices;
}

describe('an endpoint that is added with one file', () => {
  it('is the only difference to the sources', async () => {
    const listed = async (folder: string) =>
      (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
    const before = await listed(join(REPOSITORY, 'src'));
    const added = [PATH, LOOK_UP].map((path) => `catalogue/${path}.ts`);
    expect(await listed(join(copy, 'src'))).toEqual([...before, ...added].sort());
    for (const file of before) {
      const theirs = await readFile(join(copy, 'src', file), 'utf8');
      expect(theirs === (await readFile(join(REPOSITORY, 'src', file), 'utf8')), file).toBe(true);
    }
  });

  it('is in the catalogue, and not in the one of this repository', async () => {
    const { findEndpoint } = await fromCopy<Catalogue>('src/catalogue/index.ts');
    const ours = await import('../../../src/catalogue/index.ts');
    for (const path of [PATH, LOOK_UP]) {
      expect(findEndpoint(path)?.path).toBe(path);
      expect(ours.findEndpoint(path)).toBeUndefined();
    }
  });

  it('widens the table of its dataset', async () => {
    const { tableColumns } = await fromCopy<Columns>('src/land/rows/columns.ts');
    const columns = tableColumns('transactions').map(({ name, type }) => `${name} ${type}`);
    expect(columns).toEqual(expect.arrayContaining(['steps BIGINT', 'mood VARCHAR']));
    const zone = tableColumns('zone_transactions').map(({ name, type }) => `${name} ${type}`);
    expect(zone).toEqual(expect.arrayContaining(['steps BIGINT', 'twin_hash VARCHAR']));
  });

  it('is planned by its own limits, from a pipeline that names it', async () => {
    const slices = await plannedSlice();
    expect(slices.map(({ interval, keys }) => [interval.from, interval.to, keys.length])).toEqual([
      [0, 499, 3],
      [0, 499, 1],
      [500, 999, 3],
      [500, 999, 1],
    ]);
    expect(new Set(slices.map(({ list }) => list.variant))).toEqual(new Set(['mood=bad']));
  });

  it('has keys of the kind that it declares, whatever its column holds', async () => {
    const { keyKindOf } = await fromCopy<Tables>('src/curate/rule/lists.ts');
    const list = { dataset: 'transactions', endpoint: PATH, variant: 'mood=bad' };
    expect(keyKindOf(list)).toBe('wallet');
  });

  it('is asked, answered, and decoded into rows', async () => {
    const { endpointAt } = await fromCopy<Catalogue>('src/catalogue/index.ts');
    const { queryOf, matchedKeys } = await fromCopy<Wire>('src/fetch/walk/record-reader.ts');
    const { createService } = await fromCopy<Services>('service/src/server/service.ts');
    const { tablesSource } = await fromCopy<Sources>('service/src/memory/records-source.ts');
    const { decode } = await fromCopy<Decode>('src/land/rows/decode.ts');
    const { tableColumns } = await fromCopy<Columns>('src/land/rows/columns.ts');
    const endpoint = endpointAt(PATH);
    const slice = (await plannedSlice())[2];
    if (slice === undefined) throw new Error('nothing was planned');

    const request = { chain: 'MAINCHAIN', page: 1, limit: 30 };
    const { from, to } = slice.interval;
    const query = queryOf(endpoint, { ...slice, interval: { from, to: to + 1 } }, request);
    expect(query).toEqual({
      chainShortName: 'MAINCHAIN',
      wallet: WALLETS.slice(0, 3).join(','),
      first: '500',
      last: '1000',
      mood: 'bad',
      page: '1',
      limit: '30',
    });

    const other = { ...RECORD, mood: 'good' };
    const source = tablesSource(new Map([['transactions', [RECORD, other]]]));
    const service = createService({ source, effects: quietEffects() });
    const target = `/api/v5/${PATH}?${new URLSearchParams(query)}`;
    const answer = await service.answer({ method: 'GET', target, headers: {}, body: '' });
    const wire = { hash: HASH, blockHeight: '700', wallet: WALLETS[1], steps: '12' };
    expect(JSON.parse(answer.body)).toEqual({
      code: '0',
      msg: '',
      data: [{ page: '1', limit: '30', totalPage: '1', exampleList: [wire] }],
    });
    const { ListedRecord } = await fromCopy<Records>('src/catalogue/record-text.ts');
    const record = ListedRecord.fromWire(endpoint, wire);
    expect([record.height, matchedKeys(record, slice)]).toEqual([700, [WALLETS[1]]]);

    const { blockHeight, ...rest } = wire;
    const { rows, drift } = decode(slice.list, [
      ListedRecord.fromWire(endpoint, { ...rest, heigth: blockHeight }),
    ]);
    const names = tableColumns('transactions').map(({ name }) => name);
    const cells = Object.fromEntries(names.map((name, i) => [name, rows[0]?.cells[i]]));
    expect(cells).toMatchObject({ tx_hash: HASH, block_number: 700n, steps: 12n, mood: 'bad' });
    expect(rows[0]?.touches).toEqual([WALLETS[1]]);
    expect(drift.size).toBe(0);
  });

  it('is asked by keys, names and bounds where it is a look-up', async () => {
    const { endpointAt } = await fromCopy<Catalogue>('src/catalogue/index.ts');
    const { createService } = await fromCopy<Services>('service/src/server/service.ts');
    const { tablesSource } = await fromCopy<Sources>('service/src/memory/records-source.ts');
    const { decode } = await fromCopy<Decode>('src/land/rows/decode.ts');
    const records = ['3', '12', '40'].map((steps, i) => ({
      tx_hash: `0x${String(i + 1).repeat(64)}`,
      block_number: '700',
      twin_hash: HASH,
      steps,
    }));
    const source = tablesSource(new Map([['zone_transactions', records]]));
    const service = createService({ source, effects: quietEffects() });
    const hashes = records.map((record) => record.tx_hash);
    const request = async (more: Record<string, string>): Promise<unknown> => {
      const query = new URLSearchParams({ chainShortName: 'ZONECHAIN', ...more });
      const target = `/api/v5/${LOOK_UP}?${query}`;
      const answer = await service.answer({ method: 'GET', target, headers: {}, body: '' });
      const { code, data } = JSON.parse(answer.body) as { code: string; data: unknown };
      return code === '0' ? data : 'refused';
    };
    const two = hashes.slice(0, 2).join(',');
    const wire = { hash: hashes[1], heigth: '700', twin: HASH, steps: '12' };
    expect(await request({ which: two, either: HASH, fewest: '4', most: '12' })).toEqual([wire]);
    expect(await request({ which: two, either: hashes[1] ?? '' })).toEqual([wire]);
    expect(await request({ which: two, fewest: '13' })).toEqual([]);
    expect(await request({ which: hashes.join(',') })).toBe('refused');

    const { listOf } = await fromCopy<ListsOfCopy>('src/coverage/list.ts');
    const { ListedRecord } = await fromCopy<Records>('src/catalogue/record-text.ts');
    const entry = endpointAt(LOOK_UP);
    const { rows } = decode(listOf(entry), [ListedRecord.fromWire(entry, wire)]);
    expect(rows.map(({ height, touches }) => [height, touches])).toEqual([[700, [hashes[1]]]]);
  });

  it('has its limits kept by the service', async () => {
    const { createService } = await fromCopy<Services>('service/src/server/service.ts');
    const { tablesSource } = await fromCopy<Sources>('service/src/memory/records-source.ts');
    const service = createService({ source: tablesSource(new Map()), effects: quietEffects() });
    const plain = { chainShortName: 'MAINCHAIN', wallet: WALLETS[0] ?? '', first: '0', last: '9' };
    const status = async (more: Record<string, string>): Promise<string> => {
      const target = `/api/v5/${PATH}?${new URLSearchParams({ ...plain, ...more })}`;
      const answer = await service.answer({ method: 'GET', target, headers: {}, body: '' });
      return (JSON.parse(answer.body) as { code: string }).code;
    };
    expect(await status({})).toBe('0');
    expect(await status({ last: '501' })).not.toBe('0');
    expect(await status({ limit: '31' })).not.toBe('0');
    expect(await status({ wallet: WALLETS.join(',') })).not.toBe('0');
    expect(await status({ mood: 'odd' })).not.toBe('0');
  });
});
