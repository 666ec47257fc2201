import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

/** Goal: folders are made with all their parents, or the error says at once why not. */

let root = '';
beforeEach(async () => {
  root = await freshFolder();
});

test('a folder is made with its parents, twice at the same time as well', async () => {
  const path = join(root, 'a', 'b', 'c');
  await Promise.all([localDisk.makeFolder(path), localDisk.makeFolder(path)]);
  await localDisk.makeFolder(path);
  expect(await readdir(join(root, 'a', 'b'))).toEqual(['c']);
});

test('the name of each new folder is made durable', async () => {
  const synced: string[] = [];
  const disk = { ...localDisk, syncFolder: async (path: string) => void synced.push(path) };
  await disk.makeFolder(join(root, 'a', 'b'));
  expect(synced).toEqual([root, join(root, 'a')]);
});

test('a file in its place is an error', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(localDisk.makeFolder(join(root, 'file'))).rejects.toThrow('EEXIST');
  await expect(localDisk.makeFolder(join(root, 'file', 'below'))).rejects.toThrow('EEXIST');
});

// Only Linux has /proc, where no folder can be made.
test.skipIf(process.platform !== 'linux')('a place without folders is an error', async () => {
  await expect(localDisk.makeFolder('/proc/windrow/lake')).rejects.toThrow('ENOENT');
});
