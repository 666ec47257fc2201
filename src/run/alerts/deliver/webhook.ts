import { createHmac } from 'node:crypto';
import type { Effects } from '../../../effects.ts';
import type { Secret } from '../../../fetch/http/signature.ts';
import { TransportFailure } from '../../../fetch/transport/failures.ts';
import type { Environment } from '../../../fetch/transport/proxy.ts';
import { type HttpSource, undiciTransport } from '../../../fetch/transport/transport.ts';
import { alertDocument, type Deliver, DeliveryFailure } from './receiver.ts';

/** Opens the transport to the origin of a URL. */
export type OpenHttp = (baseUrl: string) => HttpSource;

const TIMEOUTS = { connectMs: 10_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 20_000 };
/** The answer of a receiver is not used. */
const MAX_BODY_BYTES = 256 * 1024;
const LEAST_KEY_BYTES = 16;

/** Requests go through a proxy that `env` names. */
export function openHttp(env: Environment): OpenHttp {
  const limits = { connections: 1, timeouts: TIMEOUTS, maxBodyBytes: MAX_BODY_BYTES };
  return (baseUrl) => undiciTransport({ baseUrl, ...limits, env });
}

/**
 * Signature headers of the specification Standard Webhooks: the receiver computes the HMAC-SHA256
 * of `id.timestamp.body` and refuses old timestamps.
 */
function webhookHeaders(
  id: string,
  body: string,
  nowMs: number,
  key: Buffer | undefined,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (key === undefined) return headers;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

/**
 * The bytes of a key: after the prefix `whsec_` it is base64. Refuses one that is short or not
 * base64: others could guess it, and forge signatures.
 */
function keyOf(signingKey: Secret): Buffer {
  const text = signingKey.reveal();
  const prefix = 'whsec_';
  if (!text.startsWith(prefix)) return Buffer.from(text, 'utf8');
  const base64 = text.slice(prefix.length);
  const key = Buffer.from(base64, 'base64');
  const isWhole = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  if (isWhole && key.length >= LEAST_KEY_BYTES) return key;
  const least = `base64 of at least ${LEAST_KEY_BYTES} bytes`;
  throw new DeliveryFailure(`the signing key after whsec_ is not ${least}`, { isRetryable: false });
}

/**
 * POSTs alerts to a URL. A redirect is a failure: the body must not reach another address. Throws a
 * DeliveryFailure for a key that cannot be used.
 */
export function webhook(
  url: Secret,
  signingKey: Secret | undefined,
  effects: Effects,
  open: OpenHttp,
): Deliver {
  const key = signingKey && keyOf(signingKey);
  return (alert) => {
    const body = alertDocument(alert);
    const signed = webhookHeaders(alert.id, body, effects.now(), key);
    const headers = { 'content-type': 'application/json', 'user-agent': 'windrow', ...signed };
    return request(url, { method: 'POST', headers, body }, open);
  };
}

/** Requests the heartbeat URL once. */
export function heartbeat(url: Secret, open: OpenHttp): Promise<void> {
  const headers = { 'user-agent': 'windrow' };
  return request(url, { method: 'GET', headers, body: '' }, open);
}

async function request(
  url: Secret,
  { method, headers, body }: Omit<Parameters<HttpSource['send']>[0], 'target'>,
  open: OpenHttp,
): Promise<void> {
  const { origin, pathname, search } = new URL(url.reveal());
  const http = open(origin);
  try {
    const { status, headers: answered } = await http.send(
      { method, target: pathname + search, headers, body },
      new AbortController().signal,
    );
    if (status >= 200 && status < 300) return;
    const seconds = Number(answered['retry-after'] ?? Number.NaN);
    throw new DeliveryFailure(`the receiver answered HTTP ${status}`, {
      isRetryable: status >= 500 || status === 408 || status === 429,
      retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
    });
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    // The messages of the transport name at most the origin of a redirect, which may be private.
    const isFinal = error.kind === 'redirect' || error.kind === 'too-large';
    const message = error.kind === 'redirect' ? 'the receiver redirects' : error.message;
    throw new DeliveryFailure(message, { isRetryable: !isFinal }, error);
  } finally {
    await http.close();
  }
}
