import { describe, expect, it } from 'vitest';
import { openWitnessNodes } from '../../../../src/run/job/witness-nodes.ts';

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
