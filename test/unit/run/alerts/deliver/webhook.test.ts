import { expect, test } from 'vitest';
import { Secret } from '../../../../../src/fetch/http/signature.ts';
import { attempts } from '../../../../../src/run/alerts/deliver/receiver.ts';
import { heartbeat, openHttp, webhook } from '../../../../../src/run/alerts/deliver/webhook.ts';
import { ALERT } from '../../../../fixtures/alert-rules.ts';
import { virtualClock } from '../../../../fixtures/virtual-clock.ts';
import {
  isSigned,
  type WebhookReceiver,
  webhookReceiver,
} from '../../../../fixtures/webhook-receiver.ts';
import { whenOver } from '../../../../fixtures/when-over.ts';

/** Goal: a receiver can verify each alert, and nothing but the receiver learns its URL. */

const openDirect = openHttp({});

async function receiver(...input: Parameters<typeof webhookReceiver>): Promise<WebhookReceiver> {
  const made = await webhookReceiver(...input);
  whenOver(() => made.close());
  return made;
}

test('a receiver that fails twice accepts the alert once, with a valid signature', async () => {
  const clock = virtualClock();
  const to = await receiver((count) => (count < 2 ? 503 : 200));
  const url = new Secret(`${to.url}/hooks/token-1?a=b`);
  const target = webhook(url, new Secret('key'), clock, openDirect);
  const started = clock.now();
  const sent = attempts(() => target(ALERT), clock, started + 60_000);
  expect(await clock.run(sent)).toBeUndefined();
  expect(to.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
  for (const entry of to.requests) {
    expect(isSigned(entry, 'key')).toBe(true);
    expect(isSigned(entry, 'other')).toBe(false);
    expect(entry).toMatchObject({ method: 'POST', path: '/hooks/token-1?a=b' });
  }
  const timestamps = to.requests.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(timestamps[2]).toBeGreaterThan(timestamps[0] ?? 0);
  expect(to.accepted()).toEqual([
    {
      schemaVersion: 1,
      text: 'nightly: run 1 failed.',
      id: 'alert_1',
      on: 'failed',
      rule: 'failed',
      pipeline: 'nightly',
      at: '2026-01-02T00:00:00.000Z',
      since: null,
      run: '1',
      exitCode: 1,
      details: {},
    },
  ]);
});

test('a key with the prefix whsec_ is base64; without a key there is no signature', async () => {
  const to = await receiver();
  const base64 = Buffer.from('a key of 19 letters').toString('base64');
  const url = new Secret(to.url);
  await webhook(url, new Secret(`whsec_${base64}`), virtualClock(), openDirect)(ALERT);
  await webhook(url, undefined, virtualClock(), openDirect)(ALERT);
  const [signed, unsigned] = to.requests;
  expect(signed && isSigned(signed, 'a key of 19 letters')).toBe(true);
  expect(unsigned?.headers['webhook-signature']).toBeUndefined();
});

test('a redirect is not followed, and is not tried again', async () => {
  const clock = virtualClock();
  const to = await receiver(() => 302);
  const target = webhook(new Secret(`${to.url}/secret-token`), undefined, clock, openDirect);
  const reason = await attempts(() => target(ALERT), clock, clock.now() + 60_000);
  expect(reason).toBe('the receiver redirects');
  expect(to.requests).toHaveLength(1);
});

test.each([
  [400, 1],
  [404, 1],
  [429, 5],
  [500, 5],
])('HTTP %i is tried %i times, and the message does not show the URL', async (status, tries) => {
  const clock = virtualClock();
  const to = await receiver(() => status);
  const target = webhook(new Secret(`${to.url}/secret-token`), undefined, clock, openDirect);
  const sent = attempts(() => target(ALERT), clock, clock.now() + 60_000);
  expect(await clock.run(sent)).toBe(`the receiver answered HTTP ${status}`);
  expect(to.requests).toHaveLength(tries);
});

test('attempts end at the deadline', async () => {
  const clock = virtualClock();
  const to = await receiver(() => 500);
  const target = webhook(new Secret(to.url), undefined, clock, openDirect);
  const sent = attempts(() => target(ALERT), clock, clock.now() + 2500);
  await clock.run(sent);
  expect(to.requests).toHaveLength(2);
});

test('a receiver that is down is named without its address', async () => {
  const to = await webhookReceiver();
  await to.close();
  const target = webhook(
    new Secret(`${to.url}/secret-token`),
    undefined,
    virtualClock(),
    openDirect,
  );
  await expect(target(ALERT)).rejects.toThrow(/^the connection was refused$/);
});

test('the heartbeat is a GET without a body', async () => {
  const to = await receiver();
  await heartbeat(new Secret(`${to.url}/ping/token`), openDirect);
  expect(to.requests).toMatchObject([{ method: 'GET', path: '/ping/token', body: '' }]);
});

test.each(['', '!!!notb64', 'c2hvcnQ='])('the key whsec_%s signs nothing', (key) => {
  const input = new Secret('http://127.0.0.1:9/hook');
  const open = () => webhook(input, new Secret(`whsec_${key}`), virtualClock(), openDirect);
  expect(open).toThrow('the signing key after whsec_ is not base64 of at least 16 bytes');
});
