import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { endpointAt } from '../../../../../src/catalogue/index.ts';
import { listOf } from '../../../../../src/coverage/list.ts';
import { markRoot } from '../../../../../src/land/data-root.ts';
import { keepNames } from '../../../../../src/land/names.ts';
import type { QuarantineRecord } from '../../../../../src/land/quarantine/quarantine-record.ts';
import { decodePending, pendingRows } from '../../../../../src/land/rows/pending-rows.ts';
import { localDisk } from '../../../../../src/land/storage/disk.ts';
import type { Pipeline } from '../../../../../src/pipeline/pipeline.ts';
import { executeForget } from '../../../../../src/run/maintain/forget.ts';
import { type ForgetPlan, planForget } from '../../../../../src/run/maintain/forget-plan.ts';
import { freshLake } from '../../../../fixtures/fresh-lake.ts';
import { listed } from '../../../../fixtures/listed.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { inBlock, internal, LIST, NORMAL, transaction } from '../../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../../fixtures/quiet-effects.ts';
import { lengthened, shortened } from '../../../../fixtures/short-addresses.ts';
import { asking } from '../../../../model/plan-input.ts';

/**
 * Goal: a lake that forgets an address is the lake for which it was never requested: its rows that
 * no other key explains, its coverage, the look-ups that it caused, and its label are gone.
 */

const small = freshLake(beforeEach);
const plan = (address: string, ...pipelines: Pipeline[]): Promise<ForgetPlan> =>
  planForget(small.lake, lengthened(address), pipelines);

async function forget(address: string): Promise<number> {
  const job = { lake: small.lake, disk: localDisk, effects: quietEffects() };
  return executeForget(job, await plan(address));
}

const goneOf = ({ hashes }: ForgetPlan, endpoint: string): string[] => [
  ...(hashes.get(endpoint) ?? []),
];

/** Hashes and endpoints of all rows of the warehouse. */
const rowsOf = (table: string) =>
  small.published(`SELECT tx_hash, _endpoint FROM lake.${table} ORDER BY ALL`);

async function coveredKeys(table: string): Promise<string[]> {
  const { coverage } = await small.lake.table(table).snapshot();
  return coverage.entries().map(({ key }) => shortened(key));
}

const BETWEEN = transaction({ txId: '0x01', from: '0xa', to: '0xb' });
const OWN = transaction({ txId: '0x02', from: '0xa', to: '0xc' });

describe('rows of an address', () => {
  test('go unless they name another covered key at a height that it covers', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [BETWEEN, OWN] });
    await small.land(LIST.transactions, { keys: ['0xb'], to: 10, records: [BETWEEN] });
    await small.land(LIST.transactions, { keys: ['0xc'], from: 11 });
    const [list] = (await plan('0xa')).lists;
    expect(shortened(list)).toMatchObject({
      rows: 1,
      heirs: [
        { key: '0xb', from: 0, to: 10 },
        { key: '0xc', from: 11, to: 99 },
      ],
    });
    expect(await forget('0xa')).toBe(1);
    expect(await rowsOf('transactions')).toEqual([['0x01', LIST.transactions]]);
    expect(await coveredKeys('transactions')).toEqual(['0xb', '0xc']);
    expect((await plan('0xa')).lists).toEqual([]);
  });

  test('stay in lists of blocks, which explain them', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [OWN] });
    const records = [inBlock({ txid: '0x02', from: '0xa', to: '0xc' })];
    await small.land(LIST.inBlock, { keys: [''], params: NORMAL, from: 10, to: 10, records });
    await forget('0xa');
    expect(await rowsOf('transactions')).toEqual([['0x02', LIST.inBlock]]);
  });

  test('go from all tables', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [OWN] });
    await small.land(LIST.internal, {
      keys: ['0xa'],
      records: [internal({ from: '0xa', to: '0xc' })],
    });
    expect(await forget('0xa')).toBe(2);
    expect(await rowsOf('internal_transactions')).toEqual([]);
    expect(await coveredKeys('internal_transactions')).toEqual([]);
  });
});

describe('look-ups of hashes', () => {
  beforeEach(async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [BETWEEN, OWN] });
    await small.land(LIST.transactions, { keys: ['0xb'], records: [BETWEEN] });
    for (const record of [BETWEEN, OWN]) {
      const keys = [String(record['txId'])];
      await small.land(LIST.transactionsByHash, { keys, records: [record] });
      const calls = [internal({ txId: keys[0] ?? '', from: '0x5', to: '0x6' })];
      await small.land(LIST.internalByHash, { keys, records: calls });
    }
  });

  test('go if only rows of the address name the hash', async () => {
    const planned = await plan('0xa');
    for (const endpoint of [LIST.transactionsByHash, LIST.internalByHash]) {
      expect(goneOf(planned, endpoint)).toEqual(['0x02']);
    }
    expect(planned.lookUps.map(({ rows }) => rows)).toEqual([1, 1]);
    expect(await forget('0xa')).toBe(3);
    expect(await rowsOf('transactions')).toEqual([
      ['0x01', LIST.transactions],
      ['0x01', LIST.transactionsByHash],
    ]);
    expect(await rowsOf('internal_transactions')).toEqual([['0x01', LIST.internalByHash]]);
  });

  test('stay while a row of another table names the hash', async () => {
    const record = internal({ txId: '0x02', from: '0xc', to: '0xd' });
    await small.land(LIST.internal, { keys: ['0xc'], records: [record] });
    const planned = await plan('0xa');
    expect(goneOf(planned, LIST.transactionsByHash)).toEqual([]);
    const list = { dataset: 'transactions', endpoint: LIST.transactionsByHash, variant: '' };
    expect(planned.kept).toContainEqual({ ...list, keys: 1 });
    expect(await forget('0xa')).toBe(1);
    expect(await rowsOf('internal_transactions')).toEqual([
      ['0x01', LIST.internalByHash],
      ['0x02', LIST.internal],
      ['0x02', LIST.internalByHash],
    ]);
  });

  test('go unless a pipeline takes the hash from a remaining row', async () => {
    const record = internal({ txId: '0x02', from: '0xc', to: '0xd' });
    await small.land(LIST.internal, { keys: ['0xc'], records: [record] });
    const sets = 'found: { from: [transactions] }, calls: { from: [internal_transactions] }';
    const lines = [
      '  transactions:',
      `    - { endpoint: ${LIST.transactions}, keys: addresses }`,
      `    - { endpoint: ${LIST.transactionsByHash}, keys: found }`,
      '  internal_transactions:',
      `    - { endpoint: ${LIST.internal}, keys: addresses }`,
    ];
    // No key set takes keys for the look-ups of internal transactions: any row explains these.
    const planned = await plan('0xa', asking(lines, {}, sets));
    expect(goneOf(planned, LIST.transactionsByHash)).toEqual(['0x02']);
    expect(goneOf(planned, LIST.internalByHash)).toEqual([]);
    // Of several pipelines, one that takes the hash explains the look-up.
    const calls = lines.map((line) => line.replace('keys: found', 'keys: calls'));
    const both = [asking(lines, {}, sets), asking(calls, {}, sets)];
    expect(goneOf(await plan('0xa', ...both), LIST.transactionsByHash)).toEqual([]);
  });
});

test('the label goes, and labels of other addresses stay', async () => {
  await markRoot(small.root, '0.1.0', localDisk);
  const labels = [
    [lengthened('0xa'), 'mine'],
    [lengthened('0xb'), 'yours'],
  ] as const;
  await keepNames(small.lake, { labels: new Map(labels) });
  expect((await plan('0xa')).label).toBe('mine');
  await forget('0xa');
  expect(await small.lake.names.get('labels')?.rows()).toEqual([[lengthened('0xb'), 'yours']]);
});

describe('beside the tables', () => {
  const claim = (keys: readonly string[], endpoint = LIST.transactions) => ({
    list: listNamed(endpoint),
    keys: keys.map(lengthened),
    interval: { from: 0, to: 99 },
    status: 'complete' as const,
    reason: '',
    head: 99,
    readAtMs: 1,
    generation: 0,
  });

  test('broken records go that name no other requested key', async () => {
    const quarantine = small.lake.quarantineOf('transactions');
    const record = (id: string, keys: readonly string[], raw: object): QuarantineRecord => {
      const base = { walk: 'walk', run: 'run', slice: 'slice', dataset: 'transactions' };
      const more = { reason: '', atMs: 1, axis: 'primary' as const, occurrence: 1 };
      return {
        id,
        ...base,
        ...more,
        raw: lengthened(JSON.stringify(raw)),
        claim: { ...claim(keys).list, ...claim(keys) },
      };
    };
    await quarantine.add([
      record('own', ['0xa'], {}),
      record('named', ['0xa', '0xb'], { from: '0xA' }),
      record('both', ['0xa', '0xb'], { from: '0xa', to: '0xb' }),
      record('unknown', ['0xa', '0xb'], {}),
      record('other', ['0xb'], { from: '0xa' }),
    ]);
    expect([...(await plan('0xa')).quarantined].sort()).toEqual(['named', 'own']);
    await forget('0xa');
    const left = (await quarantine.records()).map(({ id }) => id);
    expect(left.sort()).toEqual(['both', 'other', 'unknown']);
  });

  test('pending records of its requests go', async () => {
    const list = listOf(endpointAt(LIST.transactions));
    const pending = small.lake.pending.get('transactions');
    const record = transaction({ height: '', from: lengthened('0xa'), to: lengthened('0xb') });
    const decoded = decodePending(list, listed(list.entry, [record]), 99);
    const readings = ['0xa', '0xb'].map((key) => {
      const rows = pendingRows('transactions', decoded, claim([key]), { slice: '', run: '' });
      return { claim: claim([key]), rows };
    });
    await pending?.add(readings);
    expect((await plan('0xa')).pending).toEqual(new Map([['transactions', 1]]));
    await forget('0xa');
    expect((await pending?.rows())?.map(({ key }) => shortened(key))).toEqual(['0xb']);
    expect((await plan('0xa')).pending.size).toBe(0);
  });
});

test('a checkpoint after it does not have the coverage of the address', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [OWN] });
  await small.land(LIST.transactions, { keys: ['0xb'] });
  await forget('0xa');
  const { stored } = small.lake.table('transactions');
  await stored.renewCheckpoint();
  const names = await readdir(join(stored.folder, '_delta_log'));
  const [state = ''] = names.filter((name) => name.endsWith('.windrow'));
  const covered = (await readFile(join(stored.folder, '_delta_log', state), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('{"coverage"'));
  expect(covered.join()).toContain(lengthened('"0xb"'));
  expect(covered.join()).not.toContain(lengthened('"0xa"'));
});

test('curated tables follow', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [BETWEEN, OWN] });
  await small.land(LIST.transactions, { keys: ['0xb'], records: [BETWEEN] });
  await small.publish();
  expect(await small.rows('SELECT tx_hash FROM transactions ORDER BY 1')).toEqual([
    ['0x01'],
    ['0x02'],
  ]);
  await forget('0xa');
  await small.publish();
  expect(await small.rows('SELECT tx_hash FROM transactions')).toEqual([['0x01']]);
  expect(
    await small.rows(`SELECT 1 FROM address_activity WHERE address = '0xa' AND followed`),
  ).toEqual([]);
});

test('an address that nothing names changes nothing', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [OWN] });
  const { version } = await small.lake.table('transactions').snapshot();
  expect(await forget('0xc')).toBe(0);
  expect((await small.lake.table('transactions').snapshot()).version).toBe(version);
});
