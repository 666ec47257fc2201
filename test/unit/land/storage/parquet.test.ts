import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Column } from '../../../../src/catalogue/entry.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { layout } from '../../../../src/land/storage/layout.ts';
import { ParquetWriter } from '../../../../src/land/storage/parquet.ts';
import { removeStaging } from '../../../../src/land/storage/staging.ts';

const COLUMNS: Column[] = [
  { name: 'height', type: 'BIGINT', comment: '', volatile: false },
  { name: 'text', type: 'VARCHAR', comment: '', volatile: false },
];
const ROWS = 60_000;
const MEMORY_BYTES = 40 * 2 ** 20;

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'windrow-bench-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

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
