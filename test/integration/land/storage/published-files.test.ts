import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { dyingDisk } from '../../../model/dying-disk.ts';
import { publishedFilesContract } from '../../../model/published-files.ts';

/**
 * Goal: every place for a lake keeps the same promises. test/integration/land/places tries object
 * stores.
 */

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

publishedFilesContract({
  name: 'a local folder',
  files: localDisk,
  dying: (killAt, error) => dyingDisk(localDisk, killAt, error),
  folder: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'windrow-published-'));
    folders.push(folder);
    return folder;
  },
});
