import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as tick } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { holderOf, isRunning } from '../../../../src/land/lock/holder.ts';
import { type Lock, removalLockOf, takeLock, underLock } from '../../../../src/land/lock/lock.ts';
import { processesAt } from '../../../../src/land/lock/lock-queue.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const effects = quietEffects({ now: () => Date.UTC(2025, 2, 1, 12) });
let folder = '';
let path = '';

beforeEach(async () => {
  folder = await freshFolder();
  path = join(folder, 'lock');
});

const take = (): Promise<Lock> => takeLock(path, effects);

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
    const removal = await takeLock(removalLockOf(path, text), effects);
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
});

/** Goal: only a change of the file shows that a process of another machine lives. */
describe('a holder on another machine', () => {
  const elsewhere = { pid: 1, host: 'elsewhere', started: '7' };

  /** Effects whose clock runs backwards, so that only sleeps measure time. */
  function watcher(atLook: (look: number) => Promise<void> | void = () => undefined) {
    const seen = { looks: 0, sleptMs: 0, logged: [] as string[] };
    let nowMs = 1e12;
    const watching = quietEffects({
      now: () => (nowMs -= 3_600_000),
      sleep: async (delayMs) => {
        seen.sleptMs += delayMs;
        seen.looks += 1;
        await atLook(seen.looks);
      },
      log: (_, message) => void seen.logged.push(message),
    });
    return { ...watching, seen };
  }

  it('loses the lock after a minute without a change', async () => {
    await leave(elsewhere);
    const effects = watcher();
    const lock = await takeLock(path, effects);
    expect(effects.seen.sleptMs).toBe(60_000);
    expect(effects.seen.logged).toEqual([
      expect.stringContaining('Process 1 on elsewhere gives no sign of life'),
    ]);
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps the lock if it renews it, even in the last second', async () => {
    await leave(elsewhere);
    const effects = watcher((look) => (look === 60 ? appendFile(path, ' ') : undefined));
    await expect(takeLock(path, effects)).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringContaining('process 1 on elsewhere'),
    });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject(elsewhere);
  });

  it('leaves the lock to the next one at once if it releases it', async () => {
    await leave(elsewhere);
    const effects = watcher((look) => (look === 3 ? rm(path) : undefined));
    await (await takeLock(path, effects)).release();
    expect(effects.seen.sleptMs).toBe(3_000);
  });

  it('is reported as ended after 15 seconds, and counts as alive where nothing watches', async () => {
    await leave(elsewhere);
    const [holder] = await processesAt(path);
    expect(holder).toMatchObject(elsewhere);
    const effects = watcher();
    expect(await holderOf(path, effects)).toBeUndefined();
    expect(await processesAt(path, effects)).toEqual([]);
    expect(effects.seen.sleptMs).toBe(30_000);
    const other = { ...elsewhere, since: '' };
    expect([isRunning(other, holder ? [holder] : []), isRunning(other, [])]).toEqual([true, false]);
    const later = { ...other, started: '8' };
    expect(isRunning(later, holder ? [holder] : [])).toBe(false);
  });
});

describe('a renewed lock', () => {
  /** Effects whose renewals happen when the test calls `renew`. */
  function renewing() {
    const renewals = new Set<() => void>();
    const logged: string[] = [];
    const effects = quietEffects({
      every: (periodMs, work) => {
        expect(periodMs).toBe(5_000);
        renewals.add(work);
        return () => void renewals.delete(work);
      },
      log: (_, message) => void logged.push(message),
    });
    const renew = async (): Promise<void> => {
      const before = await readFile(path, 'utf8');
      while ((await readFile(path, 'utf8')) === before) {
        // A renewal under way is not joined by another one.
        for (const work of renewals) work();
        await tick();
      }
    };
    return { effects, renew, renewals, logged };
  }

  it('differs after each renewal, names its holder throughout, and ends with it', async () => {
    const { effects, renew, renewals } = renewing();
    const lock = await takeLock(path, effects);
    const texts: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      texts.push(await readFile(path, 'utf8'));
      expect(await holderOf(path, effects)).toMatchObject({ pid: process.pid, host: hostname() });
      await renew();
    }
    for (const [i, text] of texts.entries()) if (i > 0) expect(text).not.toBe(texts[i - 1]);
    await lock.release();
    expect(renewals.size).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a process that stood still changes and removes nothing of its successor', async () => {
    const { effects, renewals, logged } = renewing();
    const zombie = await takeLock(path, effects);
    const disk = underLock(localDisk, zombie);
    const file = join(folder, 'data');
    await writeFile(file, '');
    await disk.rename(file, `${file}2`);
    await rm(path);
    await leave({ since: 'after the lease' });
    const text = await readFile(path, 'utf8');
    for (const work of renewals) work();
    while (renewals.size > 0) await tick();
    expect(logged).toEqual([expect.stringContaining('Another process has replaced this one')]);
    const refused = { kind: 'locked', exitCode: 5 };
    await expect(disk.remove(`${file}2`)).rejects.toMatchObject(refused);
    await expect(disk.rename(`${file}2`, file)).rejects.toMatchObject(refused);
    await zombie.release();
    expect(await readFile(path, 'utf8')).toBe(text);
    expect((await readdir(folder)).sort()).toEqual(['data2', 'lock']);
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
