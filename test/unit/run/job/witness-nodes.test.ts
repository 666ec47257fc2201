import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { newestBlock } from '../../../../src/fetch/witness/question.ts';
import { openWitnessNodes } from '../../../../src/run/job/witness-nodes.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { portOf } from '../../../fixtures/when-over.ts';

/** Goal: a node is asked at the whole address that a variable holds, or not at all. */

const node = { url: { env: 'NODE_URL' }, maxPerSecond: 1, perDay: undefined };

function opened(url: string | undefined): Promise<unknown> {
  const pipeline = { source: {}, pending: undefined, reconcile: { witnesses: [node] } };
  const env = url === undefined ? {} : { NODE_URL: url };
  return openWitnessNodes({ pipeline, resolve: String } as never, {} as never, env);
}

describe('the address of a witness in a variable', () => {
  it.each([
    ['https://node.example/?key=hidden', 'has a query'],
    ['https://name:hidden@node.example', 'holds a user name or password'],
    ['ftp://hidden', 'is not an http or https address'],
    [undefined, 'is not an http or https address'],
  ])('%s is refused, and not quoted', async (url, problem) => {
    const fault = await opened(url).catch(String);
    expect(fault).toContain(`The address of a witness in NODE_URL ${problem}`);
    expect(fault).not.toContain('hidden');
  });
});

it('a node that is silent for 30 seconds is not asked a second time', async () => {
  let requests = 0;
  let nowMs = 0;
  const server = createServer((request) => {
    requests += 1;
    nowMs += 30_000;
    request.socket.destroy();
  });
  const port = await portOf(server);
  const timeouts = { connectMs: 1000, headersMs: 1000, bodyMs: 1000, totalMs: 1000 };
  const witnesses = [{ ...node, url: `http://127.0.0.1:${port}` }];
  const pipeline = { source: { concurrency: 1, timeouts }, reconcile: { witnesses } };
  const sleep = async (delayMs: number) => {
    nowMs += delayMs;
  };
  const effects = quietEffects({ now: () => nowMs, sleep });
  const opened = await openWitnessNodes({ pipeline, resolve: String } as never, effects, {});
  const { signal } = new AbortController();
  const calls = opened.nodes.map(({ client }) => client.call([newestBlock.call], signal));
  await expect(Promise.all(calls)).rejects.toThrow('does not answer');
  expect(requests).toBe(1);
  await opened.close();
});
