import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/cli/command-line.ts';
import { rootFault } from '../../../src/cli/verb.ts';
import { Fault } from '../../../src/fault.ts';
import { mount } from '../../../src/land/places/mounts.ts';
import { machineDisk } from '../../../src/land/storage/disk.ts';
import { quietConsole } from '../../fixtures/quiet-console.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/** Goal: a data root that cannot be written is named itself, and not a temporary file in it. */

let root = '';
beforeAll(async () => {
  root = await freshFolder();
  await writeFile(join(root, 'there'), '');
});

function refused(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: refused, ${syscall} '${path}'`), {
    code,
    syscall,
    path,
  });
}

describe('a refusal of the operating system', () => {
  const paragraphOf = async (error: Error) => {
    const results = await rootFault(error, root);
    return results instanceof Fault ? results.paragraph() : results;
  };

  it.each([
    ['EACCES', 'open', 'state/lock.0f'],
    ['EPERM', 'mkdir', 'state'],
    ['EACCES', 'link', 'there'],
    ['EACCES', 'mkdir', ''],
  ])('to write names the data root: %s of %s %s', async (code, syscall, file) => {
    expect(await paragraphOf(refused(code, syscall, join(root, file)))).toBe(
      `${root}: The data root cannot be written: this user lacks the permission. Allow this user ` +
        `to write to ${root} and all folders in it, or name another root with --data DIR.`,
    );
  });

  it.each([
    ['ENOTDIR', 'open', 'there/state/root.json'],
    ['EEXIST', 'mkdir', 'there'],
  ])(
    'of a path in a file that was named as the data root says so: %s',
    async (code, call, path) => {
      const file = join(root, 'there');
      const results = await rootFault(refused(code, call, join(root, path)), file);
      expect((results as Fault).paragraph()).toContain(`${file}: The data root is a file.`);
      const error = refused(code, call, join(root, path));
      expect(await rootFault(error, root)).toBe(error);
    },
  );

  it('of a file system that is read-only says so', async () => {
    expect(await paragraphOf(refused('EROFS', 'open', join(root, 'there')))).toBe(
      `${root}: The data root cannot be written: its file system is read-only. Mount it for ` +
        'writing, or name another root with --data DIR.',
    );
  });

  it.each([
    ['a file that is there, which may have been read', 'EACCES', 'open', 'there'],
    ['a folder that is listed', 'EACCES', 'scandir', 'lake'],
    ['another failure', 'EIO', 'write', 'lake'],
  ])('stays as it is for %s', async (_, code, syscall, file) => {
    const error = refused(code, syscall, join(root, file));
    expect(await rootFault(error, root)).toBe(error);
  });

  it('to write to the copies of a lake in a store names the cache folder', async () => {
    const folder = join(root, 'lake-0');
    mount({ ...machineDisk, folder, address: 's3://b/lake', move: machineDisk.rename });
    const results = await rootFault(refused('EACCES', 'mkdir', folder), folder);
    expect((results as Fault).paragraph()).toContain(`${root}: The cache folder cannot be written`);
    expect((results as Fault).advice).toContain('or name another folder in WINDROW_CACHE_DIR');
  });

  it('stays as it is outside of the data root', async () => {
    const error = refused('EACCES', 'open', join(root, 'exports', 'none.csv'));
    expect(await rootFault(error, join(root, 'data'))).toBe(error);
  });
});

const PIPELINE = `version: 1
name: nightly
source: { url: "http://127.0.0.1:1", chain: MAINCHAIN, credentials: none }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list }
`;

// The kernel lets no user make folders here, root included.
it.runIf(process.platform === 'linux')(
  'a run names a data root that is not writable',
  async () => {
    const file = join(root, 'nightly.yaml');
    await writeFile(file, PIPELINE);
    const folder = '/sys/windrow';
    const thrown = commandLine(['run', file, '--data', folder], quietConsole);
    await expect(thrown).rejects.toMatchObject({
      message: expect.stringContaining('The data root cannot be written'),
      where: folder,
    });
  },
  180_000,
);
