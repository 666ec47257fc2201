import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkDisk } from '../../../../src/cli/verbs/doctor/root-checks.ts';
import { Fault } from '../../../../src/fault.ts';
import { mount } from '../../../../src/land/places/mounts.ts';
import { type Disk, localDisk, machineDisk } from '../../../../src/land/storage/disk.ts';
import { diskFault, isDiskError, systemFault } from '../../../../src/land/storage/disk-fault.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const refused = (code: string, syscall: string) =>
  Object.assign(new Error(`${code}: refused, ${syscall}`), { code, syscall, errno: -1 });

describe('an error of a disk operation', () => {
  it.each([
    ['ENOSPC', 'write', 'The disk is full.'],
    ['EDQUOT', 'write', 'The disk is full: the quota of this user is used up.'],
    ['EIO', 'fsync', 'The disk failed.'],
    ['EXDEV', 'rename', 'Folders of the data root lie on different file systems.'],
    ['EMFILE', 'open', 'This process has too many open files.'],
    ['ENOTCONN', 'open', 'The file system is no longer connected.'],
    ['ESTALE', 'read', 'The file system was replaced or restarted.'],
    ['EBUSY', 'unlink', 'The operating system reports: EBUSY: refused, unlink.'],
    ['ENEVER', 'fsync', 'The operating system reports: ENEVER: refused, fsync.'],
  ])('with the code %s of %s is a fault with its place and advice', (code, call, message) => {
    const fault = diskFault(refused(code, call), '/lake/a');
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: 'lake', message, where: '/lake/a' });
    expect((fault as Fault).advice).not.toBe('');
    // Alerts need no lock where the disk refuses it, and no other fault lets them do without.
    expect(isDiskError(fault)).toBe(true);
    expect(isDiskError(new Fault('locked', message, { advice: '' }))).toBe(false);
  });

  it('about a lake in a store names the file on this machine', () => {
    mount({ ...machineDisk, folder: '/copies', address: 's3://b', move: machineDisk.rename });
    const error = Object.assign(refused('ENOSPC', 'write'), { path: '/copies/staging/a' });
    const fault = diskFault(error, '/copies/lake/a');
    expect(fault).toMatchObject({ message: 'The disk is full.', where: '/copies/staging/a' });
  });

  it('that DuckDB reports is a fault, too, unless a command explains it', () => {
    const error = (text: string) => new Error(`IO Error: Could not write file "/lake/a": ${text}`);
    for (const text of ['No space left on device', 'Disk quota exceeded']) {
      expect(diskFault(error(text), '/lake')).toMatchObject({ message: 'The disk is full.' });
    }
    const other = error('Input/output error');
    expect(diskFault(other, '/lake')).toBe(other);
    expect(systemFault(other)).toMatchObject({ kind: 'lake', message: /Input\/output error/ });
  });

  it('about a path is left to the command; one of the network is no error of a disk', () => {
    for (const code of ['EACCES', 'ENOENT', 'EROFS']) {
      const error = refused(code, 'open');
      expect(diskFault(error, '/lake/a')).toBe(error);
      expect(systemFault(error)).toMatchObject({ kind: 'lake', advice: /permissions/ });
    }
    for (const [code, call] of [
      ['ECONNRESET', 'read'],
      ['ETIMEDOUT', 'connect'],
      ['EPIPE', 'write'],
    ] as const) {
      const error = refused(code, call);
      expect(systemFault(error)).toBe(error);
    }
  });
});

describe('the check of the disk by windrow doctor', () => {
  let root = '';
  beforeEach(async () => {
    root = await freshFolder();
  });
  const failing = (call: keyof Disk, code: string): Disk => ({
    ...localDisk,
    [call]: () => Promise.reject(refused(code, call === 'sync' ? 'fsync' : call)),
  });

  it('finds nothing on a disk that works, and leaves nothing behind', async () => {
    expect(await checkDisk(root)).toMatchObject({ check: 'disk', verdict: 'ok' });
    expect(await readdir(root)).toEqual([]);
  });

  it.each([
    ['makeFolder', 'EMLINK', 'mkdir'],
    ['makeFolder', 'EACCES', 'EACCES'],
    ['makeFolder', 'EROFS', 'EROFS'],
    ['write', 'ENOSPC', 'The disk is full'],
    ['write', 'EDQUOT', 'quota'],
    ['write', 'EFBIG', 'larger'],
    ['sync', 'ENOSYS', 'fsync'],
    ['rename', 'EXDEV', 'different file systems'],
    ['rename', 'EPERM', 'EPERM'],
    ['readBytes', 'EIO', 'The disk failed'],
  ] as const)('fails where %s does with %s', async (call, code, finding) => {
    const disk = failing(call, code);
    if (call === 'makeFolder') disk.makeFolder = () => Promise.reject(refused(code, 'mkdir'));
    const diagnosis = await checkDisk(root, disk);
    expect(diagnosis).toMatchObject({ verdict: 'fail', kind: 'lake' });
    expect(diagnosis.finding).toContain(finding);
    expect(diagnosis.remedy).not.toBe('');
    expect(await readdir(root)).toEqual([]);
  });

  it('fails where bytes change, and where a link replaces a file', async () => {
    const changed = { ...localDisk, readBytes: async () => Buffer.from('other') };
    expect((await checkDisk(root, changed)).finding).toContain('does not return the bytes');
    const replacing = { ...localDisk, linkIfAbsent: async () => true };
    expect((await checkDisk(root, replacing)).finding).toContain('gives a name to two files');
  });
});
