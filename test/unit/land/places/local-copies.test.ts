import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LocalCopies } from '../../../../src/land/places/local-copies.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

test('a copy that cannot be kept leaves no file behind', async () => {
  const folder = await freshFolder();
  const full = Object.assign(Object.create(localDisk) as typeof localDisk, {
    rename: () => Promise.reject(new Error('no space')),
  });
  const copies = new LocalCopies(folder, full, 1, { now: () => 0 });
  await expect(copies.keep(join(folder, 'a.parquet'), Buffer.from('a'))).rejects.toThrow('space');
  expect(await readdir(folder)).toEqual([]);
});
