import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { quietEffects } from '../quiet-effects.ts';

/**
 * Goal: adding an endpoint touches its own file and no other. A copy of the sources gets one more
 * file, and everything that knows endpoints must know this one: its pipelines, slices, requests,
 * rows, columns and answers.
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const PATH = 'mainchain/address/example-list';
const ENTRY = `
import { endpoint, field, word } from '../../entry.ts';
import { count, text } from '../../kind.ts';
import { chain, limit, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';

export const exampleList = endpoint({
  path: '${PATH}',
  method: 'GET',
  axis: 'primary',
  summary: 'An example',
  dataset: 'transactions',
  list: 'ranged',
  limits: { pageSize: { max: 30, default: 10 }, blockSpan: 500 },
  params: [
    chain,
    {
      name: 'wallet',
      type: 'String',
      required: true,
      meaning: 'up to 3 wallets',
      role: 'keys',
      max: 3,
      columns: ['from_address'],
    },
    { name: 'first', type: 'String', required: true, meaning: 'start', role: 'from-block' },
    { name: 'last', type: 'String', required: true, meaning: 'end', role: 'to-block' },
    {
      name: 'mood',
      type: 'String',
      required: true,
      meaning: 'mood of the sender',
      role: 'equals',
      column: word('mood', text, 'Mood of the sender'),
      fills: true,
      values: ['good', 'bad'],
      default: 'good',
    },
    page,
    limit,
  ],
  reply: { shape: 'paged', list: 'exampleList' },
  fields: [
    field('hash', w.txHash),
    field('blockHeight', w.blockNumber, { aliases: ['heigth'] }),
    field('wallet', w.fromAddress),
    field('steps', word('steps', count, 'Steps taken')),
  ],
});
`;

type Catalogue = typeof import('../../src/catalogue/index.ts');
type Columns = typeof import('../../src/land/columns.ts');
type Decode = typeof import('../../src/land/decode.ts');
type Wire = typeof import('../../src/fetch/wire.ts');
type Pipelines = typeof import('../../src/plan/pipeline-yaml.ts');
type Slices = typeof import('../../src/plan/slices.ts');
type Coverages = typeof import('../../src/plan/coverage.ts');
type Services = typeof import('../../src/service/service.ts');
type Sources = typeof import('../../src/service/records-source.ts');

let copy = '';

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'windrow-growth-'));
  await cp(join(REPOSITORY, 'src'), join(copy, 'src'), { recursive: true });
  await cp(join(REPOSITORY, 'package.json'), join(copy, 'package.json'));
  await symlink(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
  const file = join(copy, 'src', 'catalogue', `${PATH}.ts`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, ENTRY);
});

afterAll(() => rm(copy, { recursive: true, force: true }));

/** A module of the copy. Each is loaded once, so that they share the copy's catalogue. */
async function fromCopy<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(join(copy, 'src', file)).href)) as T;
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
  const { parsePipeline } = await fromCopy<Pipelines>('plan/pipeline-yaml.ts');
  const { planSlices } = await fromCopy<Slices>('plan/slices.ts');
  const { Coverage } = await fromCopy<Coverages>('plan/coverage.ts');
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
  const heads = { head: 5_000, safe: 4_900 };
  return planSlices({ pipeline, keys, coverage: new Coverage(), heads }).slices;
}

describe('an endpoint that is added with one file', () => {
  it('is the only difference to the sources', async () => {
    const listed = async (folder: string) =>
      (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
    const before = await listed(join(REPOSITORY, 'src'));
    const added = `catalogue/${PATH}.ts`;
    expect(await listed(join(copy, 'src'))).toEqual([...before, added].sort());
    for (const file of before) {
      const theirs = await readFile(join(copy, 'src', file), 'utf8');
      expect(theirs === (await readFile(join(REPOSITORY, 'src', file), 'utf8')), file).toBe(true);
    }
  });

  it('is in the catalogue, and not in the one of this repository', async () => {
    const { findEndpoint } = await fromCopy<Catalogue>('catalogue/index.ts');
    const ours = await import('../../src/catalogue/index.ts');
    expect(findEndpoint(PATH)?.path).toBe(PATH);
    expect(ours.findEndpoint(PATH)).toBeUndefined();
  });

  it('widens the table of its dataset', async () => {
    const { tableColumns } = await fromCopy<Columns>('land/columns.ts');
    const columns = tableColumns('transactions').map(({ name, type }) => `${name} ${type}`);
    expect(columns).toEqual(expect.arrayContaining(['steps BIGINT', 'mood VARCHAR']));
  });

  it('is planned by its own limits, from a pipeline that names it', async () => {
    const slices = await plannedSlice();
    expect(slices.map(({ interval, keys }) => [interval.from, interval.to, keys.length])).toEqual([
      [0, 499, 3],
      [0, 499, 1],
      [500, 999, 3],
      [500, 999, 1],
    ]);
    expect(new Set(slices.map(({ variant }) => variant.id))).toEqual(new Set(['mood=bad']));
  });

  it('is asked, answered, and decoded into rows', async () => {
    const { endpointAt } = await fromCopy<Catalogue>('catalogue/index.ts');
    const { queryOf, heightOf, matchedKeys } = await fromCopy<Wire>('fetch/wire.ts');
    const { createService } = await fromCopy<Services>('service/service.ts');
    const { tablesSource } = await fromCopy<Sources>('service/records-source.ts');
    const { decode } = await fromCopy<Decode>('land/decode.ts');
    const { tableColumns } = await fromCopy<Columns>('land/columns.ts');
    const endpoint = endpointAt(PATH);
    const slice = (await plannedSlice())[2];
    if (slice === undefined) throw new Error('nothing was planned');

    const asked = { chain: 'MAINCHAIN', to: slice.interval.to + 1, page: 1, limit: 30 };
    const query = queryOf(endpoint, slice, asked);
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
    expect([heightOf(endpoint, wire), matchedKeys(endpoint, wire, slice)]).toEqual([
      700,
      [WALLETS[1]],
    ]);

    const { blockHeight, ...rest } = wire;
    const { rows, drift } = decode(endpoint, slice.variant, [{ ...rest, heigth: blockHeight }]);
    const names = tableColumns('transactions').map(({ name }) => name);
    const cells = Object.fromEntries(names.map((name, i) => [name, rows[0]?.cells[i]]));
    expect(cells).toMatchObject({ tx_hash: HASH, block_number: 700n, steps: 12n, mood: 'bad' });
    expect(rows[0]?.touches).toEqual([WALLETS[1]]);
    expect(drift.size).toBe(0);
  });

  it('has its limits kept by the service', async () => {
    const { createService } = await fromCopy<Services>('service/service.ts');
    const { tablesSource } = await fromCopy<Sources>('service/records-source.ts');
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
