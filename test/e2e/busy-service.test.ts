import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { MAIN } from './command-line.ts';

/**
 * Goal: questions that take minutes block neither other requests nor the end of the service. The
 * chain is so long that no machine answers them before this test is over.
 */

const HEAD = '20000000';

test('a service that computes answers others, and ends when it is told to', async () => {
  const verb = ['serve', '--chain', 'demo', '--head', HEAD, '--port', '0', '--json', '--no-auth'];
  const child = spawn(process.execPath, [MAIN, ...verb], { stdio: ['ignore', 'pipe', 'pipe'] });
  let noise = '';
  child.stderr.on('data', (part) => {
    noise += String(part);
  });
  const closed = once(child, 'close');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(String(line)) as { url: string };
  const ask = async (path: string, query: Readonly<Record<string, string>>) => {
    const search = new URLSearchParams({ chainShortName: 'MAINCHAIN', ...query });
    const response = await fetch(`${url}/api/v5/mainchain/${path}?${search}`);
    return `${response.status} ${((await response.json()) as { code: string }).code}`;
  };
  let answered = 0;
  const replies = [
    ask('address/native-token-position-list', {}),
    ask('address/normal-transaction-list', { address: `0x${'12'.repeat(20)}` }),
    ask('transaction/transaction-multi', { txId: `0x${'12'.repeat(32)}` }),
  ].map((reply) =>
    reply.finally(() => {
      answered += 1;
    }),
  );
  for (const page of ['/healthz', '/openapi.json', '/docs', '/healthz']) {
    expect((await fetch(`${url}${page}`)).status).toBe(200);
  }
  const blocks = await fetch(
    `${url}/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN&limit=1`,
  );
  expect(await blocks.text()).toContain(`"height":"${HEAD}"`);
  expect(answered).toBe(0);
  child.kill('SIGTERM');
  expect(await Promise.all(replies)).toEqual(replies.map(() => '503 50001'));
  expect(await closed).toEqual([0, null]);
  expect(noise).toBe('');
});
