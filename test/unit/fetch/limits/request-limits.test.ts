import { expect, it } from 'vitest';
import { CallFailure, LIMIT_REACHED } from '../../../../src/fetch/http/call-failure.ts';
import { faultOfCall } from '../../../../src/fetch/http/call-fault.ts';
import { RequestLimits } from '../../../../src/fetch/limits/request-limits.ts';
import { pageOf, refused, setUp } from '../../../fixtures/fetch-client-setup.ts';

it('no slice is started when a twentieth of the requests is left', () => {
  const limits = new RequestLimits({ maxRequests: 200 });
  for (let sent = 0; sent < 189; sent += 1) limits.sent();
  expect(limits.ending.aborted).toBe(false);
  limits.sent();
  expect(limits.ending.aborted).toBe(true);
  expect(limits.refusal()).toBeUndefined();
  for (let sent = 190; sent < 200; sent += 1) limits.sent();
  expect(limits.refusal()).toMatchObject({ limit: 'requests' });
});

it('retries count as requests, and a request beyond the limit is not sent', async () => {
  const limits = new RequestLimits({ maxRequests: 3 });
  const { fails, requests, client } = setUp(() => refused('50011', 'no', 429), { limits });
  const failure = await fails();
  expect(failure).toMatchObject({ outcome: 'stop', code: LIMIT_REACHED });
  expect(requests).toHaveLength(3);
  expect(client.statistics().requests).toBe(3);
  expect(faultOfCall(failure)).toMatchObject({ kind: 'limited', exitCode: 3 });
});

it('the end of the time ends calls that wait for the service', async () => {
  const limits = new RequestLimits({ forMs: 60_000 });
  const askHour = () => refused('50011', 'no', 429, { 'retry-after': '3600' });
  const { clock, fails, call } = setUp(askHour, { limits });
  const startMs = clock.now();
  limits.start(clock);
  expect(await fails()).toMatchObject({ code: LIMIT_REACHED });
  expect(clock.now() - startMs).toBe(60_000);
  await expect(call()).rejects.toThrow(CallFailure);
});

it('a run within its time is not ended', async () => {
  const limits = new RequestLimits({ forMs: 60_000 });
  const { clock, call } = setUp(() => pageOf(), { limits });
  limits.start(clock);
  await clock.run(call());
  limits.close();
  await clock.pass(120_000);
  expect([limits.reached, limits.ending.aborted]).toEqual([undefined, false]);
});
