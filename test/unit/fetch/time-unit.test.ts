import { expect, test } from 'vitest';
import { inMilliseconds } from '../../../src/fetch/connect.ts';

const request = { method: 'GET', target: '/', body: '', headers: {} } as const;

test.each([
  ['{"transactionTime":"1700000000"}', '{"transactionTime":"1700000000000"}'],
  ['{"blockTime" : 1700000000 }', '{"blockTime" : 1700000000000 }'],
  ['{"blockTime":"","height":"17"}', '{"blockTime":"","height":"17"}'],
  ['{"blockTime":"0"}', '{"blockTime":"0"}'],
  ['{"actionData":"{\\"blockTime\\":\\"17\\"}"}', '{"actionData":"{\\"blockTime\\":\\"17\\"}"}'],
])('times of the body %s become milliseconds', async (body, expected) => {
  const send = inMilliseconds(() => Promise.resolve({ status: 200, headers: {}, body }));
  expect((await send(request, new AbortController().signal)).body).toBe(expected);
});
