import type { Effects } from '../../../effects.ts';
import { withQueue } from '../../../run/queue/open-queue.ts';
import { type Diagnosis, failureOfFault, fine, warning } from './diagnosis.ts';

const PATIENCE_MS = 5000;

/** Whether Redis answers, and keeps its jobs over a restart and under a full memory. */
export async function checkQueue(url: string, effects: Effects): Promise<Diagnosis> {
  try {
    const options = { url, worker: 'doctor', patienceMs: PATIENCE_MS, effects, env: process.env };
    const settings = await withQueue(options, (queue) => queue.settings());
    const { appendOnly, evictionPolicy } = settings;
    if (appendOnly === 'yes' && evictionPolicy === 'noeviction') {
      return fine('queue', 'Redis keeps its jobs.');
    }
    const found = `appendonly ${appendOnly}, maxmemory-policy ${evictionPolicy}`;
    const remedy = 'Set appendonly yes and maxmemory-policy noeviction in redis.conf.';
    return warning('queue', `Redis may lose jobs (${found}).`, remedy);
  } catch (error) {
    return failureOfFault('queue', error);
  }
}
