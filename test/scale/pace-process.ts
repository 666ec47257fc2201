import { Redis } from 'ioredis';
import { redisCell } from '../../src/fetch/rate/cell/redis-cell.ts';
import { paceIn } from '../../src/fetch/rate/pace-record.ts';
import { Pacer } from '../../src/fetch/rate/pacer.ts';
import { RedisQuota } from '../../src/run/queue/redis-quota.ts';
import { DailyQuota } from '../../src/run/shared-key/daily-quota.ts';
import { systemEffects } from '../../src/system.ts';

/**
 * A process that sends requests by a pace in Redis until a time, or takes a quota until it is used
 * up, and then prints the number of granted requests:
 *
 *     node pace-process.mjs REDIS SERVICE SECONDS
 *     node pace-process.mjs REDIS quota PER_DAY FOLDER
 */

const [url = '', target = '', size = '', path = ''] = process.argv.slice(2);
const effects = systemEffects('warn');
const client = new Redis(url, { maxRetriesPerRequest: null });
const server = {
  run: (script: string, keys: readonly string[], args: readonly (string | number)[]) =>
    client.eval(script, keys.length, ...keys, ...args),
};
let granted = 0;

async function takeQuota(): Promise<void> {
  const local = new DailyQuota({ folder: { path, name: 'key' }, perDay: Number(size), effects });
  const quota = new RedisQuota({ server, key: 'quota', local, effects });
  while ((await quota.take()).isGranted) granted += 1;
  quota.close();
}

async function sendAll(): Promise<void> {
  const cell = await redisCell({ server, key: 'pace', read: paceIn, effects });
  const pacer = new Pacer({ effects, cell, startPerSecond: 50 });
  const endMs = performance.now() + 1000 * Number(size);
  const work = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const permit = await pacer.permit();
      const sentMs = performance.now();
      const { status } = await fetch(target);
      if (status === 200) {
        granted += 1;
        permit.succeeded(performance.now() - sentMs);
      } else permit.rejected({});
    }
  };
  await Promise.all(Array.from({ length: 40 }, work));
}

await (target === 'quota' ? takeQuota() : sendAll());
client.disconnect();
process.stdout.write(`${granted}\n`);
