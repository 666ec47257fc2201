import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Cell } from '../../../../src/catalogue/column-kind.ts';
import type { Column } from '../../../../src/catalogue/entry.ts';
import { ledger } from '../../../../src/land/delta/ledger.ts';
import { StoredTable } from '../../../../src/land/delta/stored-table.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { layout } from '../../../../src/land/storage/layout.ts';
import { ParquetWriter, type RowsToWrite } from '../../../../src/land/storage/parquet.ts';
import { removeStaging } from '../../../../src/land/storage/staging.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const COLUMNS: Column[] = [
  { name: 'height', type: 'BIGINT', comment: '', volatile: false },
  { name: 'text', type: 'VARCHAR', comment: '', volatile: false },
];
const ROWS = 60_000;
const MEMORY_BYTES = 40 * 2 ** 20;

let root = '';

beforeEach(async () => {
  root = await freshFolder();
});

const rows = Array.from({ length: ROWS }, (_, i) => [BigInt(i), String(i).padStart(1_000, 'x')]);

it('rows that do not fit into memory wait in the folder that is named for them', async () => {
  const spilled = join(root, 'spilled');
  const writer = await ParquetWriter.open(spilled, MEMORY_BYTES);
  expect(await readdir(root)).toEqual([]);
  await writer.take(COLUMNS, { added: rows, kept: [] });
  const [folder = ''] = await readdir(root);
  expect(folder).toMatch(/^spilled-/);
  expect(await readdir(join(root, folder))).not.toEqual([]);
  writer.close();
  expect(await readdir(root)).toEqual([]);
});

it('a writer keeps no bytes of the files that it has read', async () => {
  const writer = await ParquetWriter.open(join(root, 'spilled'));
  const path = join(root, 'rows.parquet');
  const taken = await writer.take(COLUMNS, { added: rows, kept: [] });
  await taken.write(path, undefined, ['height']);
  await writer.inspect(path, ROWS, 'height');
  const groups = await writer.read(
    `SELECT DISTINCT row_group_num_rows FROM parquet_metadata('${path}')`,
  );
  expect(groups.map(([size]) => Number(size)).sort()).toEqual([ROWS - 40_960, 40_960]);
  await writer.take(COLUMNS, { added: [], kept: [{ path, except: 'false' }] });
  const [cached] = await writer.read(
    "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'EXTERNAL_FILE_CACHE'",
  );
  expect(Number(cached?.[0])).toBe(0);
  writer.close();
});

it('many rows of the usual widths get the memory that copying them takes', async () => {
  const writer = await ParquetWriter.open(join(root, 'spilled'));
  const [path, copy] = ['rows', 'copy'].map((name) => join(root, `${name}.parquet`)) as [
    string,
    string,
  ];
  const count = 400_000;
  await writer.read(
    `COPY (SELECT range AS height, repeat(md5(range::VARCHAR), 25) AS text
       FROM range(${count})) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  await writer.copy(copy, { paths: [path], rows: count }, COLUMNS, ['text']);
  expect((await writer.inspect(copy, count, 'height')).rows).toBe(count);
  writer.close();
});

it('a commit fails whose files lack rows that were taken', async () => {
  const writer = await ParquetWriter.open(join(root, 'spilled'));
  const folder = join(root, 'table');
  const stored = new StoredTable(
    {
      disk: localDisk,
      effects: quietEffects(),
      writer,
      folder,
      staging: join(root, 'staging'),
      run: 'test',
    },
    {
      name: 'test',
      summary: '',
      columns: COLUMNS,
      heightColumn: 'height',
      sortedBy: [],
      isBySource: false,
    },
  );
  const decoding = (condition: string): RowsToWrite => {
    const list = { endpoint: 'test', variant: '' };
    const rowsOf = (texts: string): string =>
      `SELECT id AS height, text FROM ${texts} JOIN lineages ON id = lineage WHERE ${condition}`;
    const groups = [{ list, rowsOf, texts: ['a', 'b'], lineageAt: [0, 0] }];
    return { added: [], kept: [], texts: { groups, lineages: { columns: [], rows: [[]] } } };
  };
  const commit = (rows: RowsToWrite): Promise<unknown> => {
    const counts = { rowsAdded: 2, rowsReplaced: 0 };
    const prepared = { ledger: ledger('test', {}), removed: [], counts, rows };
    return stored.publish('TEST', () => Promise.resolve(prepared));
  };
  await expect(commit(decoding("text = 'a'"))).rejects.toThrow('1 rows were written of 2');
  expect(await readdir(join(folder, '_delta_log'))).toEqual([]);
  await commit(decoding('true'));
  expect((await stored.snapshot()).files.size).toBe(1);
  writer.close();
});

/** Every type of a raw table, with values at the limits of its decimals and beside NULL. */
const TYPES = ['VARCHAR', 'VARCHAR[]', 'BIGINT', 'DECIMAL(38,0)', 'DECIMAL(38,18)'] as const;
const MOST = 10n ** 38n - 1n;

function typedRow(i: number): Cell[] {
  if (i % 7 === 0) return [BigInt(i), null, null, null, null, null, null, null];
  const sign = i % 2 === 0 ? 1n : -1n;
  const texts = [`é😀 ${i}`, '', 'x'.repeat(i % 40)].slice(0, i % 4);
  const decimals = [sign * (MOST - BigInt(i)), sign * BigInt(i) * 10n ** 17n];
  return [BigInt(i), `text ${i}`, texts, sign * BigInt(i), ...decimals, BigInt(i), i % 3 === 0];
}

it('rows that are made when they are due are written like given ones, in every type', async () => {
  const named = [...TYPES, 'TIMESTAMPTZ', 'BOOLEAN'] as const;
  const columns = ['BIGINT', ...named].map((type, i) => {
    return { name: `c${i}`, type: type as Column['type'], comment: '', volatile: false };
  });
  const input = Array.from({ length: 5000 }, (_, i) => typedRow(i));
  const made = {
    length: input.length,
    slice: (start: number, end: number) => {
      return Array.from({ length: Math.min(end, 5000) - start }, (_, i) => typedRow(start + i));
    },
  };
  const writer = await ParquetWriter.open(join(root, 'spilled'), MEMORY_BYTES);
  for (const added of [input, made]) {
    const taken = await writer.take(columns, { added, kept: [] });
    expect(taken.count).toBe(5000);
    const written = await writer.read(
      `SELECT c0, c1, to_json(c2)::VARCHAR, c3, c4::VARCHAR, c5::VARCHAR, epoch_us(c6), c7
       FROM (${taken.rowsSql()}) ORDER BY c0`,
    );
    expect(written).toEqual(input.map(shown));
    await taken.drop();
    await expect(writer.read('FROM taken')).rejects.toThrow('does not exist');
  }
  writer.close();
});

/** A row as DuckDB shows it, by rules of its own. */
function shown([height, text, list, count, whole, scaled, time, flag]: readonly Cell[]) {
  const digits = String(scaled ?? '').replace('-', '');
  const padded = digits.padStart(19, '0');
  const decimal = `${padded.slice(0, -18)}.${padded.slice(-18)}`;
  const isBelow = typeof scaled === 'bigint' && scaled < 0n;
  return [
    height,
    text,
    list === null ? null : JSON.stringify(list),
    count,
    whole === null ? null : String(whole),
    scaled === null ? null : `${isBelow ? '-' : ''}${decimal}`,
    time,
    flag,
  ];
}

it('a run that removes its own files before the writer is closed leaves none of them', async () => {
  const run = '20260102T030405Z-1f2e3d';
  const paths = layout(root);
  await localDisk.makeFolder(paths.stagingOf(run));
  const writer = await ParquetWriter.open(paths.spilledOf(run), MEMORY_BYTES);
  await writer.take(COLUMNS, { added: rows, kept: [] });
  expect(await readdir(paths.stagingOf(run))).toEqual([expect.stringMatching(/^spilled-/)]);
  await removeStaging(paths, run, localDisk);
  writer.close();
  expect(await readdir(paths.staging)).toEqual([]);
});
