import type { Secret } from '../../../fetch/http/signature.ts';
import type { ChannelSettings } from '../../../pipeline/alert-channels.ts';
import { type Deliver, DeliveryFailure } from './receiver.ts';

export interface Login {
  readonly user: Secret;
  readonly password: Secret;
}

const TIMEOUT_MS = 20_000;
const PORTS = { tls: 465, starttls: 587, none: 25 } as const;

/** Sends alerts through an SMTP server. The Message-ID is that of the alert in every attempt. */
export function email(settings: ChannelSettings<'email'>, login: Login | undefined): Deliver {
  const { host, security, port = PORTS[security], from, to } = settings;
  return async (alert) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(login === undefined
        ? {}
        : { auth: { user: login.user.reveal(), pass: login.password.reveal() } }),
    });
    try {
      await transport.sendMail({
        from,
        to: [...to],
        subject: `[windrow] ${alert.pipeline}: ${alert.rule}`,
        text: `${alert.text}\n\nRun: ${alert.run ?? 'none'}\nId: ${alert.id}\n`,
        messageId: `<${alert.id}@windrow>`,
        date: new Date(alert.atMs),
      });
    } catch (error) {
      throw failureOf(error);
    } finally {
      transport.close();
    }
  };
}

/** The answer of a server may repeat the login, so only its code is kept. */
function failureOf(error: unknown): DeliveryFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const answer =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined;
  const answered = answer === undefined ? '' : `, SMTP ${answer}`;
  const isFinal = code === 'EAUTH' || (answer !== undefined && answer >= 500);
  return new DeliveryFailure(`the mail server did not take it (${code}${answered})`, {
    isRetryable: !isFinal,
  });
}
