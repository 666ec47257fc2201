import type { JobQueue, JobQueueOptions } from './job-queue.ts';
import { openRedisQueue } from './redis-queue.ts';

/** Uses the queue at an address. Queues of other servers are opened here. */
export async function withQueue<T>(
  options: JobQueueOptions,
  use: (queue: JobQueue) => Promise<T>,
): Promise<T> {
  const queue = await openRedisQueue(options);
  return use(queue).finally(() => queue.close());
}
