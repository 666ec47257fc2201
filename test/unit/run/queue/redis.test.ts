import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { openRedis } from '../../../../src/run/queue/redis.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { portOf } from '../../../fixtures/when-over.ts';

const effects = quietEffects({ sleep: () => new Promise<void>(() => undefined) });
const worker = 'w';

it('a wrong password is told with advice', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('-WRONGPASS invalid password\r\n'.repeat(4)));
  });
  const url = `redis://127.0.0.1:${await portOf(server)}/0`;
  const opening = openRedis({ url, patienceMs: 1000, worker, effects, env: {} });
  await expect(opening).rejects.toMatchObject({
    kind: 'configuration',
    message: 'Redis refuses the connection: WRONGPASS invalid password',
    advice: expect.stringContaining('WINDROW_REDIS_PASSWORD'),
  });
});

it('the name of a database is a number', async () => {
  const opening = openRedis({
    url: 'redis://127.0.0.1:1/x',
    patienceMs: 1,
    worker,
    effects,
    env: {},
  });
  await expect(opening).rejects.toThrow('--queue is not an address of Redis');
});

it('an absence of Redis is told at once, and once', async () => {
  const told: string[] = [];
  const sleep = () => new Promise<void>((done) => setTimeout(done, 1200));
  const log = (level: string, message: string) => void (level === 'warn' && told.push(message));
  const env = {};
  const at = { url: 'redis://127.0.0.1:1/0', worker, patienceMs: 1200, env };
  const opening = openRedis({ ...at, effects: quietEffects({ sleep, log }) });
  await expect(opening).rejects.toThrow('does not answer');
  expect(told).toEqual(['Redis: connect ECONNREFUSED 127.0.0.1:1']);
});
