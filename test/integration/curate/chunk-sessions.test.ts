import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChunkSessions } from '../../../src/curate/chunk-sessions.ts';
import { RangeSession } from '../../../src/curate/rule/range-session.ts';
import { limitMemory } from '../../../src/land/storage/memory-limit.ts';

const open = RangeSession.open.bind(RangeSession);
let sessions = newSessions();

function newSessions(): ChunkSessions {
  return new ChunkSessions(join(tmpdir(), 'windrow-spilled'));
}

afterEach(() => {
  sessions.close();
  vi.restoreAllMocks();
  limitMemory();
  sessions = newSessions();
});

async function* numbersBelow(count: number): AsyncGenerator<number, void, void> {
  for (let number = 0; number < count; number += 1) yield number;
}

async function forEach(
  count: number,
  work: (job: number, session: RangeSession) => Promise<void>,
): Promise<void> {
  const first = await sessions.open();
  await sessions.forEach({ jobs: numbersBelow(count), count, first }, work);
}

describe('sessions that compute chunks', () => {
  it('take every job once, each on a session that no other job uses meanwhile', async () => {
    const busy = new Set<RangeSession>();
    const taken: number[] = [];
    await forEach(8, async (job, session) => {
      expect(busy.has(session)).toBe(false);
      busy.add(session);
      await session.connection.run('SELECT 1');
      taken.push(job);
      busy.delete(session);
    });
    expect(taken.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('are replaced after 8 jobs, and all are closed at the end', async () => {
    limitMemory('512MiB');
    sessions = newSessions();
    const used: RangeSession[] = [];
    await forEach(17, async (_, session) => void used.push(session));
    const perSession = [...new Set(used)].map(
      (session) => used.filter((other) => other === session).length,
    );
    expect(perSession).toEqual([8, 8, 1]);
    sessions.close();
    for (const { connection } of used) {
      await expect(connection.run('SELECT 1')).rejects.toThrow('disconnected');
    }
  });

  it('are closed at the end after one could not be opened, too', async () => {
    limitMemory('512MiB');
    sessions = newSessions();
    const used = new Set<RangeSession>();
    const opening = vi.spyOn(RangeSession, 'open').mockImplementation(async (options) => {
      if (opening.mock.calls.length === 3) throw new Error('no memory');
      return open(options);
    });
    const ended = forEach(20, async (_, session) => void used.add(session));
    await expect(ended).rejects.toThrow('no memory');
    sessions.close();
    expect(used.size).toBe(1);
    for (const { connection } of used) {
      await expect(connection.run('SELECT 1')).rejects.toThrow('disconnected');
    }
  });

  it('are as many as there are cores, while each has half a GiB of memory', () => {
    const most = (memory: string): number => {
      limitMemory(memory);
      return newSessions().most;
    };
    const cores = availableParallelism();
    expect([most('512MiB'), most('1023MiB'), most('1GiB')]).toEqual([1, 1, Math.min(cores, 2)]);
    expect(most('512GiB')).toBe(cores);
  });

  it('begin no job after a failure, and end those that were begun', async () => {
    const failure = new AbortController();
    const failed = new Promise((go) => failure.signal.addEventListener('abort', go));
    const opening = vi.spyOn(RangeSession, 'open').mockImplementation(async (options) => {
      if (opening.mock.calls.length > 3) await failed;
      return open(options);
    });
    Object.assign(sessions, { most: 3 });
    let [begun, ended] = [0, 0];
    const failing = forEach(8, async () => {
      begun += 1;
      if (begun === 2) failure.abort(new Error('the disk is full'));
      if (begun === 2) throw failure.signal.reason;
      await failed;
      ended += 1;
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect([begun, ended]).toEqual([2, 1]);
  });
});
