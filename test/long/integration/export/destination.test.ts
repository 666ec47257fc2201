import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { publish } from '../../../../src/export/destination.ts';
import { FORMAT_NAMES, formatNamed, formatOf } from '../../../../src/export/formats/formats.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { withSelections } from '../../../../src/load/query/stream.ts';
import { ExportRoot } from '../../../fixtures/export-setup.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

let made: ExportRoot;
let elsewhere = '';
beforeEach(async () => {
  made = await ExportRoot.make(
    'CREATE VIEW transactions AS SELECT 1 AS height',
    'CREATE VIEW lake.transactions AS SELECT 2 AS height',
    'CREATE VIEW lake.blocks AS SELECT 3 AS height',
    'CREATE VIEW wrong AS SELECT error($$no such luck$$) AS height',
  );
  elsewhere = await freshFolder();
});

const view = (name: string) => ({ name, source: { view: name } });
const fault = (kind: string, message: RegExp) =>
  expect.objectContaining({ name: 'Fault', kind, message: expect.stringMatching(message) });

/** Everything under the data root but the warehouse. */
async function files(): Promise<string[]> {
  const all = await readdir(made.root, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && entry.name !== 'warehouse.duckdb')
    .map(({ name }) => name);
}

describe.each(FORMAT_NAMES)('%s', (format) => {
  test('lies in exports by its name, with the size and digest that are told', async () => {
    const [exported] = await made.run({ wanted: [view('transactions')], format });
    expect(exported?.file).toBe(
      join(made.root, 'exports', `transactions.${formatNamed(format).extension}`),
    );
    const bytes = await readFile(exported?.file ?? '');
    expect(exported).toMatchObject({
      rows: 1,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      columns: [{ name: 'height', type: 'INTEGER' }],
    });
    expect(formatOf(exported?.file ?? '')).toBe(format);
  });

  test('is absent, and nothing of it left, where the question fails halfway', async () => {
    const sql =
      "SELECT CASE WHEN range < 50000 THEN 'a' ELSE error('halfway') END AS x FROM range(60000)";
    await expect(made.sql(sql, format)).rejects.toEqual(fault('query', /halfway/));
    expect(await files()).toEqual([]);
  });

  test('goes anywhere outside the data root, and leaves nothing in it', async () => {
    const file = join(elsewhere, 'there');
    await made.run({ wanted: [{ ...view('transactions'), file }], format });
    expect((await stat(file)).size).toBeGreaterThan(0);
    expect(await readdir(elsewhere)).toEqual(['there']);
    expect(await files()).toEqual([]);
  });

  test('is not replaced unless that is asked for', async () => {
    const file = join(elsewhere, 'there');
    await writeFile(file, 'mine');
    const wanted = [{ ...view('transactions'), file }];
    await expect(made.run({ wanted, format, mayReplace: false })).rejects.toEqual(
      fault('usage', /exists already/),
    );
    expect(await readFile(file, 'utf8')).toBe('mine');
    await made.run({ wanted, format, mayReplace: true });
    expect(await readFile(file, 'utf8')).not.toBe('mine');
  });
});

test('several views come from one opening, and a bare name prefers the joined view', async () => {
  const wanted = ['transactions', 'lake.transactions', 'blocks'].map(view);
  const exported = await made.run({ wanted, format: 'csv' });
  const texts = await Promise.all(exported.map(({ file }) => readFile(file, 'utf8')));
  expect(texts.map((text) => text.split('\r\n')[1])).toEqual(['1', '2', '3']);
});

test('all names and places are checked before the first file is written', async () => {
  const wanted = [view('transactions'), view('trasnactions')];
  await expect(made.run({ wanted })).rejects.toEqual(
    expect.objectContaining({ kind: 'query', advice: 'Did you mean transactions?' }),
  );
  const missing = { ...view('blocks'), file: join(elsewhere, 'none', 'x.csv') };
  await expect(made.run({ wanted: [view('transactions'), missing] })).rejects.toEqual(
    fault('usage', /folder .* does not exist/),
  );
  expect(await files()).toEqual([]);
});

test('a file that appears while another is written is not replaced', async () => {
  const file = join(elsewhere, 'there');
  const disk = {
    ...localDisk,
    sync: async (path: string) => {
      await writeFile(file, 'mine');
      await localDisk.sync(path);
    },
  };
  const wanted = [{ ...view('transactions'), file }];
  await expect(made.run({ wanted, disk, mayReplace: false })).rejects.toEqual(
    fault('usage', /exists already/),
  );
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('it is written beside its place, and renamed there', async () => {
  const renamed: string[] = [];
  const disk = {
    ...localDisk,
    rename: (from: string, to: string) => {
      renamed.push(from);
      return localDisk.rename(from, to);
    },
  };
  const file = join(elsewhere, 'there.csv');
  await made.run({ wanted: [{ ...view('transactions'), file }], format: 'csv', disk });
  expect(await readFile(file, 'utf8')).toBe('height\r\n1\r\n');
  expect(renamed.map(dirname)).toEqual([elsewhere]);
  expect(await readdir(elsewhere)).toEqual(['there.csv']);
});

describe('places that are refused', () => {
  test.each([
    'lake/MAINCHAIN/transactions/x.parquet',
    'x.parquet',
    'state/lock',
    'warehouse.duckdb',
  ])('%s in the data root', async (path) => {
    const file = join(made.root, path);
    await mkdir(join(file, '..'), { recursive: true });
    const wanted = [{ ...view('transactions'), file }];
    await expect(made.run({ wanted })).rejects.toEqual(fault('usage', /data root itself/));
  });

  test('the lake by another name', async () => {
    await mkdir(join(made.root, 'lake'));
    await symlink(join(made.root, 'lake'), join(elsewhere, 'link'));
    const wanted = [{ ...view('transactions'), file: join(elsewhere, 'link', 'x.parquet') }];
    await expect(made.run({ wanted })).rejects.toEqual(fault('usage', /data root itself/));
  });

  test('a folder, and a device', async () => {
    await expect(
      made.run({ wanted: [{ ...view('transactions'), file: elsewhere }] }),
    ).rejects.toEqual(fault('usage', /not a plain file/));
    await symlink('/dev/null', join(elsewhere, 'null'));
    await expect(
      made.run({ wanted: [{ ...view('transactions'), file: join(elsewhere, 'null') }] }),
    ).rejects.toEqual(fault('usage', /not a plain file/));
  });
});

describe('questions that are refused', () => {
  test.each([
    'CREATE TABLE t (a INTEGER)',
    'SELECT 1; SELECT 2',
    "COPY (SELECT 1) TO 'x.csv'",
    "SELECT 1) TO '/tmp/x.csv' --",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM query('SELECT 1')",
    'SELECT * FROM nothing',
    'SELECT * FROM windrow_selection_1',
  ])('%s', async (sql) => {
    await expect(made.sql(sql, 'csv')).rejects.toEqual(fault('query', /./));
    expect(await files()).toEqual([]);
  });

  test.each(['DESCRIBE transactions', 'SHOW ALL TABLES', 'EXPLAIN SELECT 1'])('%s', async (sql) => {
    await expect(made.sql(sql, 'csv')).rejects.toEqual(fault('query', /Only a SELECT can be writ/));
  });

  test.each([
    'SELECT 1 AS a; -- and a comment',
    'WITH t AS (SELECT 1) FROM t',
    'VALUES (1)',
    'PIVOT (SELECT 1 AS a, 2 AS b) ON a IN (1) USING sum(b)',
    'SELECT 1 AS a, 2 AS a',
  ])('but not %s', async (sql) => {
    expect((await made.sql(sql, 'parquet')).rows).toBe(1);
  });
});

const ENDLESS =
  'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range + b.range = -1';

test('a question that takes too long is stopped', async () => {
  await expect(made.sql(ENDLESS, 'parquet', { timeoutMs: 200 })).rejects.toEqual(
    fault('query', /longer than 0.2 s/),
  );
  expect(await files()).toEqual([]);
});

test.each(['parquet', 'arrow'] as const)(
  'an interrupt stops %s and leaves nothing',
  async (format) => {
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 200);
    const sql = `SELECT range, repeat('x', 1000) AS x FROM range(1000000000)`;
    await expect(made.sql(sql, format, { stop: stopping.signal })).rejects.toEqual(
      expect.objectContaining({ kind: 'interrupted', exitCode: 130 }),
    );
    expect(await files()).toEqual([]);
  },
);

test('a stream that is interrupted does not end as if it were whole', async () => {
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(), 200);
  const sql = `SELECT range, repeat('x', 1000) AS x FROM range(1000000000)`;
  const limits = { timeoutMs: 60_000, stop: stopping.signal };
  const drained = withSelections(made.layout.warehouse, limits, async (warehouse) => {
    const { chunks } = await (await warehouse.select({ sql })).read('*');
    let rows = 0;
    // Nothing else is done between two chunks, so the interrupt meets one being fetched.
    for await (const chunk of chunks) rows += chunk.rowCount;
    return rows;
  });
  await expect(drained).rejects.toEqual(expect.objectContaining({ kind: 'interrupted' }));
});

test('a full disk is told as one, and nothing is left', async () => {
  const disk = {
    ...localDisk,
    sync: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
  };
  await expect(made.run({ wanted: [view('transactions')], disk })).rejects.toEqual(
    fault('lake', /disk is full/),
  );
  expect(await files()).toEqual([]);
});

test('a folder stays where the one in its place cannot be renamed', async () => {
  const file = join(elsewhere, 'days');
  await mkdir(join(file, 'day=1'), { recursive: true });
  const broken = Object.assign(Object.create(localDisk) as typeof localDisk, {
    rename: async (from: string, to: string) => {
      if (from.endsWith('making')) throw new Error('no space');
      await localDisk.rename(from, to);
    },
  });
  const to = { file, making: join(elsewhere, 'making'), mayReplace: true, partitionBy: 'day' };
  await mkdir(to.making);
  await expect(publish(to, broken)).rejects.toThrow('no space');
  expect(await readdir(file)).toEqual(['day=1']);
});
