import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { type Lock, removalLockOf, takeLock } from '../../../../src/land/storage/lock.ts';

const SINCE_MS = Date.UTC(2025, 2, 1, 12);
let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-lock-'));
  path = join(folder, 'lock');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const take = (): Promise<Lock> => takeLock(path, SINCE_MS);

async function refusal(): Promise<Fault> {
  const error = await take().then(
    () => new Error('the lock was taken'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Fault)) throw error;
  expect(error.kind).toBe('locked');
  expect(error.exitCode).toBe(5);
  return error;
}

/** The id of a process that has ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string;
  readonly since: string;
}

async function leave(holder: Partial<Holder>): Promise<void> {
  const full = { pid: process.pid, host: hostname(), started: '', since: 'long ago', ...holder };
  await writeFile(path, JSON.stringify(full));
}

const stateOf = async (pid: number): Promise<string[]> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** A process that has ended and that its parent never asks about, with its start time. */
async function zombie(): Promise<{ parent: ChildProcess; pid: number; started: string }> {
  const script = '(read line <&3) & echo $!; exec sleep 60';
  const stdio = ['ignore', 'pipe', 'inherit', 'pipe'] as const;
  const parent = spawn('sh', ['-c', script], { stdio: [...stdio] });
  const [printed] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(String(printed).trim());
  // A shell asks about its children; what takes its place does not.
  while ((await readFile(`/proc/${parent.pid}/comm`, 'utf8')).trim() !== 'sleep') await tick();
  (parent.stdio[3] as Writable).end('end\n');
  for (;;) {
    const [state, ...rest] = await stateOf(pid);
    if (state === 'Z') return { parent, pid, started: rest[18] ?? '' };
    await tick();
  }
}

it.skipIf(!existsSync('/proc/self/stat'))('a lock of a zombie process is free', async () => {
  const { parent, pid, started } = await zombie();
  await leave({ pid, started });
  await (await take()).release();
  parent.kill();
});

describe('a lock', () => {
  it('is taken by one, and the fault of the other names the holder and what to do', async () => {
    const lock = await take();
    const fault = await refusal();
    expect(fault.message).toContain(`process ${process.pid} on ${hostname()}`);
    expect(fault.message).toContain('since 2025-03-01T12:00:00.000Z');
    expect(fault.where).toBe(path);
    expect(fault.advice).toMatch(/Wait for it to end/);
    await lock.release();
  });

  it('is free again once it is released, and leaves no file behind', async () => {
    for (let round = 0; round < 3; round += 1) {
      const lock = await take();
      await refusal();
      await lock.release();
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it('is not taken away from its next holder by releasing it twice', async () => {
    const first = await take();
    await first.release();
    await leave({ since: 'now' });
    await first.release();
    expect((await refusal()).message).toContain('since now');
  });
});

describe('a holder that is gone', () => {
  it('has lost the lock when its process does not live', async () => {
    await leave({ pid: deadProcess() });
    const lock = await take();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual(['lock']);
    await lock.release();
  });

  it.runIf(process.platform === 'linux')(
    'has lost the lock when another process has its id now',
    async () => {
      await leave({ pid: process.pid, started: '1' });
      await (await take()).release();
    },
  );

  it('has lost the lock when a power cut left the file without its content', async () => {
    for (const text of ['', '{"pid": 1', '{"pid": "x"}']) {
      await writeFile(path, text);
      await (await take()).release();
    }
  });

  it('has lost the lock even when whoever took it from him died while doing so', async () => {
    await leave({ pid: deadProcess() });
    const text = await readFile(path, 'utf8');
    const removal = removalLockOf(path, text);
    await writeFile(removal, text);
    // And once more, by another one.
    await writeFile(removalLockOf(removal, text), text);
    await (await take()).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not removed while another run that lives is at it', async () => {
    await leave({ pid: deadProcess() });
    const text = await readFile(path, 'utf8');
    const removal = await takeLock(removalLockOf(path, text), SINCE_MS);
    expect((await refusal()).message).toContain(`process ${process.pid}`);
    expect(await readFile(path, 'utf8')).toBe(text);
    await removal.release();
    await (await take()).release();
  });
});

describe('a holder that lives', () => {
  it('keeps the lock where the system does not tell when it started', async () => {
    await leave({ pid: process.pid, started: '' });
    await refusal();
  });

  it('keeps the lock on another machine, whose processes nobody here can see', async () => {
    await leave({ pid: deadProcess(), host: 'elsewhere' });
    const fault = await refusal();
    expect(fault.message).toContain('on elsewhere');
    expect(fault.advice).toMatch(/If elsewhere is gone for good, delete this file/);
  });
});

describe('many takers at once', () => {
  /** Goal: no interleaving lets two believe that they hold the lock. */
  async function race(takers: number): Promise<Lock[]> {
    const results = await Promise.allSettled(Array.from({ length: takers }, take));
    const lost = results.filter((result) => result.status === 'rejected');
    for (const { reason } of lost) expect(reason).toBeInstanceOf(Fault);
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }

  it('of a free lock leave exactly one holder', async () => {
    for (let round = 0; round < 30; round += 1) {
      const winners = await race(12);
      expect(winners).toHaveLength(1);
      await winners[0]?.release();
    }
  });

  it('of a dead lock leave exactly one holder', async () => {
    const dead = deadProcess();
    for (let round = 0; round < 60; round += 1) {
      await leave({ pid: dead, since: String(round) });
      const winners = await race(12);
      expect(winners).toHaveLength(1);
      expect((await refusal()).message).toContain(`process ${process.pid}`);
      await winners[0]?.release();
    }
    expect(await readdir(folder)).toEqual([]);
  });
});

it('a lock whose folder was deleted is taken', async () => {
  path = join(folder, 'state', 'lock');
  const lock = await take();
  expect((await refusal()).where).toBe(path);
  await lock.release();
});
