import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { logFile } from '../../../../src/cli/log/log-file.ts';
import { Fault } from '../../../../src/fault.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

let folder = '';
beforeEach(async () => {
  folder = await freshFolder();
});
const never = (reason: string): void => {
  throw new Error(reason);
};

describe('a log file', () => {
  it('is appended to, and only its owner can read a new one', async () => {
    const path = join(folder, 'run.log');
    logFile(path, never)('one\n');
    logFile(path, never)('two\n');
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps the mode of an existing file', async () => {
    const path = join(folder, 'run.log');
    await writeFile(path, '', { mode: 0o640 });
    logFile(path, never)('one\n');
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  it('goes on under its name after another program has moved or replaced it', async () => {
    const path = join(folder, 'run.log');
    const log = logFile(path, never);
    log('one\n');
    await rename(path, `${path}.1`);
    log('two\n');
    await rename(path, `${path}.2`);
    await writeFile(path, '');
    log('three\n');
    expect(await readFile(`${path}.1`, 'utf8')).toBe('one\n');
    expect(await readFile(`${path}.2`, 'utf8')).toBe('two\n');
    expect(await readFile(path, 'utf8')).toBe('three\n');
    expect((await stat(`${path}.2`)).mode & 0o777).toBe(0o600);
  });

  it('stays open where it is a named pipe, whose reader would end with the first line', () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const log = logFile(path, never);
    log('one\n');
    log('two\n');
    const bytes = Buffer.alloc(100);
    expect(bytes.toString('utf8', 0, readSync(reader, bytes))).toBe('one\ntwo\n');
    expect(() => readSync(reader, bytes)).toThrow('EAGAIN');
    closeSync(reader);
  });

  it('is refused with advice where it cannot be opened', () => {
    const path = join(folder, 'gone', 'run.log');
    expect(() => logFile(path, never)).toThrow(Fault);
    expect(() => logFile(path, never)).toThrow('The log file cannot be opened');
  });

  it('reports the first line that cannot be written, and no other', () => {
    const reasons: string[] = [];
    const log = logFile('/dev/full', (reason) => reasons.push(reason));
    log('one\n');
    log('two\n');
    expect(reasons).toEqual([expect.stringContaining('ENOSPC')]);
  });
});
