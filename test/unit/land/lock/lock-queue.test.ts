import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { takeLock } from '../../../../src/land/lock/lock.ts';
import { waitForLock } from '../../../../src/land/lock/lock-queue.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await freshFolder();
  path = join(folder, 'lock');
});

/** A clock that only sleeps move; a sleep takes as long as the disk needs for a look. */
function sleepyClock() {
  let nowMs = 1_000_000;
  const logged: string[] = [];
  const effects = quietEffects({
    now: () => nowMs,
    sleep: async (delayMs, signal) => {
      signal?.throwIfAborted();
      nowMs += delayMs;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
    log: (_, message) => void logged.push(message),
  });
  return { ...effects, logged };
}

const never = new AbortController().signal;
const options = { priority: 5, maxWaitMs: 60_000, signal: never };

it('a free lock is taken at once, and no place in the queue is left', async () => {
  const clock = sleepyClock();
  const lock = await waitForLock(path, { ...options, effects: clock });
  expect(clock.logged).toEqual([]);
  expect(await readdir(`${path}.queue`)).toEqual([]);
  await lock.release();
});

it('waiters get the lock by priority, then in the order in which they came', async () => {
  const clock = sleepyClock();
  const held = await takeLock(path, clock);
  const order: string[] = [];
  const patient = { ...options, maxWaitMs: Number.MAX_SAFE_INTEGER, effects: clock };
  const waiter = async (name: string, priority: number): Promise<void> => {
    const lock = await waitForLock(path, { ...patient, priority });
    order.push(name);
    await lock.release();
  };
  const waiting: Promise<void>[] = [];
  for (const [name, priority] of [
    ['first', 5],
    ['second', 5],
    ['urgent', 9],
  ] as const) {
    waiting.push(waiter(name, priority));
    // The next one comes when this one has its place.
    while (clock.logged.length < waiting.length) await clock.sleep(1);
  }
  await held.release();
  await Promise.all(waiting);
  expect(order).toEqual(['urgent', 'first', 'second']);
  expect(clock.logged.filter((line) => line.includes('The run waits for it.'))).toHaveLength(3);
});

it('the wait ends with the fault of the lock after the longest wait', async () => {
  const clock = sleepyClock();
  const held = await takeLock(path, clock);
  const startMs = clock.now();
  const waiting = waitForLock(path, { ...options, effects: clock });
  await expect(waiting).rejects.toMatchObject({ kind: 'locked', exitCode: 5 });
  expect(clock.now() - startMs).toBe(60_000);
  expect(await readdir(`${path}.queue`)).toEqual([]);
  await held.release();
});

it('waiters that were killed are passed over', async () => {
  const clock = sleepyClock();
  const dead = { pid: 2 ** 22, host: hostname(), started: '1', since: '2026-01-01T00:00:00.000Z' };
  await mkdir(`${path}.queue`);
  await writeFile(join(`${path}.queue`, '0-000000000000001-x'), JSON.stringify(dead));
  const lock = await waitForLock(path, { ...options, effects: clock });
  expect(await readdir(`${path}.queue`)).toEqual([]);
  await lock.release();
});

it('waiters of another machine are passed over once they are silent for a minute', async () => {
  const clock = sleepyClock();
  const other = { pid: 1, host: 'elsewhere', started: '1', since: '2026-01-01T00:00:00.000Z' };
  await mkdir(`${path}.queue`);
  await writeFile(join(`${path}.queue`, '0-000000000000001-x'), JSON.stringify(other));
  const startMs = clock.now();
  const lock = await waitForLock(path, { ...options, maxWaitMs: 0, effects: clock });
  expect(clock.now() - startMs).toBe(60_000);
  expect(await readdir(`${path}.queue`)).toEqual([]);
  await lock.release();
});

it('an interruption ends the wait', async () => {
  const clock = sleepyClock();
  const held = await takeLock(path, clock);
  const stop = new AbortController();
  const waiting = waitForLock(path, { ...options, effects: clock, signal: stop.signal });
  stop.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
  await held.release();
});
