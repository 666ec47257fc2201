import { expect, test } from 'vitest';
import { Secret } from '../../../../../src/fetch/http/signature.ts';
import { email } from '../../../../../src/run/alerts/deliver/email.ts';
import { ALERT } from '../../../../fixtures/alert-rules.ts';
import { type MailServer, mailServer } from '../../../../fixtures/mail-server.ts';
import { whenOver } from '../../../../fixtures/when-over.ts';

/** Goal: an SMTP server receives the alert, and its refusals show no password. */

async function server(login?: readonly [string, string]): Promise<MailServer> {
  const made = await mailServer(login);
  whenOver(() => made.close());
  return made;
}

const settings = (port: number) => ({
  kind: 'email' as const,
  host: '127.0.0.1',
  port,
  security: 'none' as const,
  from: 'windrow@example.org',
  to: ['data@example.org', 'second@example.org'],
});

test('an alert arrives once, with its id as Message-ID', async () => {
  const { port, messages } = await server();
  await email(settings(port), undefined)(ALERT);
  expect(messages).toHaveLength(1);
  expect(messages[0]?.to).toEqual(['data@example.org', 'second@example.org']);
  expect(messages[0]?.text).toContain('Subject: [windrow] nightly: failed');
  expect(messages[0]?.text).toContain('Message-ID: <alert_1@windrow>');
  expect(messages[0]?.text).toContain('nightly: run 1 failed.');
});

test('a wrong password is final, and neither it nor the answer of the server is shown', async () => {
  const { port, messages } = await server(['user', 'right']);
  const login = { user: new Secret('user'), password: new Secret('canary-password') };
  const failure = await email(settings(port), login)(ALERT).catch((error: unknown) => error);
  expect(failure).toMatchObject({ isRetryable: false });
  expect(String(failure)).toContain('EAUTH, SMTP 535');
  expect(String(failure)).not.toContain('canary');
  expect(messages).toEqual([]);
  const right = { user: new Secret('user'), password: new Secret('right') };
  await email(settings(port), right)(ALERT);
  expect(messages).toHaveLength(1);
});

test('starttls refuses a server without TLS', async () => {
  const { port, messages } = await server();
  const strict = { ...settings(port), security: 'starttls' as const };
  await expect(email(strict, undefined)(ALERT)).rejects.toThrow(/did not take it/);
  expect(messages).toEqual([]);
});
