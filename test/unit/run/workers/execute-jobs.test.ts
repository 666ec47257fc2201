import { join } from 'node:path';
import { expect, it } from 'vitest';
import { idOfRoot } from '../../../../src/land/data-root.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import type { JobQueue } from '../../../../src/run/queue/job-queue.ts';
import { Worker, type WorkerOptions } from '../../../../src/run/workers/execute-jobs.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

it('a worker with another data root takes no job', async () => {
  const folder = await freshFolder();
  const [parts, other] = [join(folder, 'own'), join(folder, 'other')];
  const lake = await idOfRoot(parts, '0.1.0', localDisk);
  const started: string[] = [];
  const worker = (root: string) => {
    const join = async (seen: string): Promise<void> => {
      if (seen !== lake) throw new Error('another data root');
    };
    const work = async () => void started.push(root);
    const queue = { join, work } as unknown as JobQueue;
    const stops = { softStop: AbortSignal.any([]), hardStop: AbortSignal.any([]) };
    return new Worker({ queue, root, stops, worker: 'w', env: {} } as unknown as WorkerOptions);
  };
  await worker(parts).work();
  await expect(worker(other).work()).rejects.toThrow('another data root');
  expect(started).toEqual([parts]);
});
