import type { Redis } from 'ioredis';
import { Fault } from '../../fault.ts';
import type { ScriptServer } from '../../fetch/rate/cell/redis-cell.ts';
import { REDIS_PASSWORD } from '../job/credentials.ts';
import type { JobQueueOptions } from './job-queue.ts';

/** A connection to Redis, which is opened again where it breaks. */
export interface RedisServer extends ScriptServer {
  readonly client: Redis;
  /** The result of a command. Rejects with a Fault where Redis is away for too long. */
  answered<T>(command: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The name of a key of Redis. The braces keep all of them on one node of a cluster. */
export function sharedKey(kind: string, name: string): string {
  return `{windrow}:${kind}:${name}`;
}

const RECONNECT_MS = 500;
const PATIENCE_MS = 60_000;

/**
 * Connects to `redis://HOST:PORT/DB`, with the password in WINDROW_REDIS_PASSWORD. Throws a Fault
 * for another address, and where Redis does not answer.
 */
export async function openRedis(options: JobQueueOptions): Promise<RedisServer> {
  const { url, effects, env } = options;
  const at = redisAddress(url);
  const { Redis } = await packageOf(() => import('ioredis'));
  const client = new Redis(at, {
    ...(env[REDIS_PASSWORD] === undefined ? {} : { password: env[REDIS_PASSWORD] }),
    maxRetriesPerRequest: null,
    retryStrategy: () => RECONNECT_MS,
  });
  let level: 'warn' | 'debug' = 'warn';
  client.on('ready', () => {
    level = 'warn';
  });
  client.on('error', (error: Error) => {
    effects.log(level, `Redis: ${error.message}`);
    level = 'debug';
  });
  const answered = <T>(command: Promise<T>): Promise<T> => within(command, options);
  try {
    await answered(client.ping());
  } catch (error) {
    client.disconnect();
    throw error instanceof Fault ? error : refusal(error, at);
  }
  return {
    client,
    answered,
    run: (script, keys, args) => answered(client.eval(script, keys.length, ...keys, ...args)),
    close: async () => client.disconnect(),
  };
}

/** The fault of a server that answers with an error, as for a wrong password. */
function refusal(cause: unknown, where: string): Fault {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Fault('configuration', `Redis refuses the connection: ${reason}`, {
    where,
    advice: `Correct --queue, and the password in the variable ${REDIS_PASSWORD}.`,
    cause,
  });
}

/** A package that is installed with windrow where it can be; loaded with a queue alone. */
export async function packageOf<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new Fault('configuration', 'The packages bullmq and ioredis are not installed.', {
      advice: 'Install them beside windrow: npm install bullmq@6 ioredis@5.',
      cause,
    });
  }
}

/** The result of a command. Throws a Fault where Redis is away for too long. */
async function within<T>(
  command: Promise<T>,
  { url, patienceMs = PATIENCE_MS, effects }: JobQueueOptions,
): Promise<T> {
  const ended = new AbortController();
  const late = effects.sleep(patienceMs, ended.signal).then(() => {
    throw new Fault('unreachable', 'Redis does not answer. Without it, no request is sent.', {
      where: redisAddress(url),
      advice: 'Start Redis and run again: the lake has the rows that landed.',
    });
  });
  try {
    return await Promise.race([command, late]);
  } finally {
    ended.abort();
    late.catch(() => undefined);
    command.catch(() => undefined);
  }
}

function redisAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRedis = ['redis:', 'rediss:'].includes(url?.protocol ?? '');
  if (url === undefined || !isRedis || !/^\/?\d*$/.test(url.pathname)) {
    throw new Fault('usage', `--queue is not an address of Redis (${JSON.stringify(text)}).`, {
      advice: 'Give an address as in redis://127.0.0.1:6379/0.',
    });
  }
  if (url.password !== '') {
    throw new Fault('usage', '--queue has a password, which every user of this machine can read.', {
      advice: `Put the password into the variable ${REDIS_PASSWORD} instead.`,
    });
  }
  return url.href;
}
