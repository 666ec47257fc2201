import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { IS_THOROUGH } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { MAIN, windrowProcess } from './command-line.ts';
import { digestsOf } from './harness.ts';
import { type ExportedLake, exportedLake, MANY_COMMITS } from './repairing.ts';

/** Goal: file systems and streams that are not the usual ones end in a sentence or do no harm. */

/** Fails one operation of the disk with the code in DISK_FAULT, as `link:ENOSYS`. */
const FAULTY = `
const [call, code] = process.env.DISK_FAULT.split(':');
const disk = require('node:fs/promises');
const refused = (syscall) => Object.assign(new Error(code + ': refused, ' + syscall),
  { code, syscall, errno: -1 });
const { open } = disk;
if (call === 'folder') {
  disk.open = async (path, ...rest) => {
    const file = await open(path, ...rest);
    if ((await file.stat()).isDirectory()) file.sync = async () => { throw refused('fsync'); };
    return file;
  };
} else disk[call] = async () => { throw refused(call); };
require('node:module').syncBuiltinESMExports();
`;

const chain = simulatedChain({ seed: 'disks', head: 200 });
let lake: ExportedLake;
let faulty = '';
beforeAll(async () => {
  lake = await exportedLake(chainSource(chain), chain.addresses(3), MANY_COMMITS);
  faulty = join(lake.original, '..', 'faulty.cjs');
  await writeFile(faulty, FAULTY);
});

const runAt = (root: string) => {
  return ['run', lake.pipeline, '--data', root, '--source-url', lake.served.url];
};

describe('a file system', () => {
  test.each(['EINVAL', ...(IS_THOROUGH ? ['ENOTSUP', 'ENOSYS'] : [])])(
    'that refuses fsync of folders with %s does no harm',
    async (code) => {
      const root = await freshFolder();
      const env = { NODE_OPTIONS: `--require ${faulty}`, DISK_FAULT: `folder:${code}` };
      const ran = await windrowProcess(runAt(root), { env });
      expect(ran.code, ran.stderr).toBe(0);
      expect(await digestsOf(root)).toEqual(await digestsOf(lake.original));
    },
  );

  const noLinks = 'This file system has no hard links.';
  test.each([
    ['link:ENOSYS', noLinks],
    ...(IS_THOROUGH ? [['link:EPERM', noLinks]] : []),
    ['rename:EXDEV', 'Folders of the data root lie on different file systems.'],
  ])('with the fault %s is named by run and by doctor', async (fault = '', message = '') => {
    const root = await freshFolder();
    const env = { NODE_OPTIONS: `--require ${faulty}`, DISK_FAULT: fault };
    const ran = await windrowProcess(runAt(root), { env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain('    at ');
    const at = ['--data', root, '--source-url', lake.served.url];
    const doctor = await windrowProcess(['doctor', lake.pipeline, ...at], { env });
    expect(doctor.code, doctor.stderr).toBe(1);
    expect(doctor.stdout).toMatch(/fail +disk/);
    expect(doctor.stdout).toContain(message);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full device', () => {
  /** Exit code and output of windrow with one stream on a full device. */
  async function full(args: readonly string[], at: 'stdout' | 'stderr') {
    const device = openSync('/dev/full', 'w');
    const [out, err] = at === 'stdout' ? [device, 'pipe' as const] : ['pipe' as const, device];
    const { code, stdout, stderr } = await windrowProcess(args, { stdio: ['ignore', out, err] });
    return { code, printed: stdout + stderr };
  }
  const LOST = 'The results cannot be written to stdout: ENOSPC';

  test.each(['stdout', 'stderr'] as const)('as %s of a run does no harm', async (stream) => {
    const root = await freshFolder();
    const { code, printed } = await full([...runAt(root), '--verbose'], stream);
    expect(code, printed).toBe(0);
    expect(printed.includes(LOST)).toBe(stream === 'stdout');
    expect(printed).not.toContain('    at ');
    expect(await digestsOf(root)).toEqual(await digestsOf(lake.original));
  });

  test.each([
    ['query', 'FROM lake.transactions'],
    ['status'],
    ['export', 'transactions', '--out', '-', '--format', 'csv'],
  ])('as stdout of %s ends it with one line and exit code 1', async (...args) => {
    const at = [...args, '--data', lake.original];
    const { code, printed } = await full(at, 'stdout');
    expect(code, printed).toBe(1);
    expect(printed).toMatch(/cannot be written to stdout: ENOSPC|The disk is full/);
    expect(printed).not.toContain('    at ');
  });
});

test('SIGHUP ends a run like SIGTERM', async () => {
  const root = await freshFolder();
  // One slice after the other, so that some are left when the signal comes.
  const text = await readFile(lake.pipeline, 'utf8');
  const slow = join(lake.original, '..', 'slow.yaml');
  await writeFile(slow, text.replace('source:\n', 'source:\n  concurrency: 1\n'));
  const args = runAt(root).map((word) => (word === lake.pipeline ? slow : word));
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, WINDROW_TRACE_STEPS: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (part) => {
    if (printed.includes('log entry published')) child.kill('SIGHUP');
    printed += String(part);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, printed).toBe(130);
  expect(printed).toContain('Finishing the open slices');
  expect((await windrowProcess(runAt(root))).code).toBe(0);
  expect(await digestsOf(root)).toEqual(await digestsOf(lake.original));
});
