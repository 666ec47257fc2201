import { createHash, timingSafeEqual } from 'node:crypto';
import type { Effects } from '../../../src/effects.ts';
import type { Secret, SigningKey } from '../../../src/fetch/http/signature.ts';
import { isSigning, signature } from '../../../src/fetch/http/signature.ts';
import { Refusal } from '../protocol/errors.ts';
import type { ServiceRequest } from '../protocol/exchange.ts';
import type { FullSettings, KeyHolder } from '../settings/settings.ts';

/** Largest difference between a request's clock and the service's, in either direction. */
const TIMESTAMP_WINDOW_MS = 30_000;
/** Equal requests signed in the same millisecond are accepted for this long after the first one. */
const REUSE_WINDOW_MS = 1_000;
const MOST_USES = 10;
const ISO_WITH_MS = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;

/**
 * Returns the key holder, or undefined if the service needs no key. Throws a Refusal if the request
 * must not be answered.
 */
export type Authentication = (request: ServiceRequest) => KeyHolder | undefined;

/**
 * Checks the four headers (Authentication part of the interface): a known key, its passphrase, a
 * timestamp at most 30 s off, and a signature over the exact request. A signature may be used again
 * only for equal requests sent at the same time. A holder without a secret key is known by the key
 * alone. Without credentials in the settings, every request is accepted.
 */
export function authentication(settings: FullSettings, effects: Effects): Authentication {
  const { credentials, headerPrefix } = settings;
  if (credentials.length === 0) return () => undefined;
  const used = usedSignatures();
  const isSigned = credentials.some(isSigning);
  return (request) => {
    const header = headersOf(request, headerPrefix);
    const key = header('ACCESS-KEY') ?? missing('key-missing');
    const holder = holderOf(credentials, key);
    if (holder !== undefined && !isSigning(holder)) return holder;
    if (holder === undefined && !isSigned) throw unknownKey();
    const sign = header('ACCESS-SIGN') ?? missing('signature-missing');
    const passphrase = header('ACCESS-PASSPHRASE') ?? missing('passphrase-missing');
    const timestamp = header('ACCESS-TIMESTAMP') ?? missing('timestamp-missing');
    checkTimestamp(timestamp, effects.now());
    if (holder === undefined) throw unknownKey();
    checkHolder(holder, passphrase);
    checkSignature(holder.secretKey, sign, timestamp, request);
    if (!used.mayBeUsed(sign, effects.now())) {
      throw new Refusal('wrong-signature', 'the signature was used before');
    }
    return holder;
  };
}

/** Compares all keys, so that the time taken does not depend on the position of the right one. */
function holderOf(credentials: readonly KeyHolder[], key: string): KeyHolder | undefined {
  let holder: KeyHolder | undefined;
  for (const credential of credentials) {
    if (isSame(credential.accessKey.reveal(), key)) holder = credential;
  }
  return holder;
}

function unknownKey(): Refusal {
  return new Refusal('unknown-key', 'the key is not known');
}

function missing(
  kind: 'key-missing' | 'signature-missing' | 'passphrase-missing' | 'timestamp-missing',
): never {
  throw new Refusal(kind, 'an authentication header is missing');
}

function checkTimestamp(timestamp: string, nowMs: number): void {
  const sentMs = ISO_WITH_MS.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(sentMs)) {
    throw new Refusal('malformed-timestamp', 'the timestamp is not ISO 8601 UTC with milliseconds');
  }
  if (Math.abs(nowMs - sentMs) > TIMESTAMP_WINDOW_MS) {
    throw new Refusal('timestamp-expired', 'the timestamp is more than 30 seconds off');
  }
}

function checkHolder(holder: SigningKey, passphrase: string): void {
  if (isSame(holder.passphrase.reveal(), passphrase)) return;
  throw new Refusal('wrong-passphrase', 'the passphrase does not belong to the key');
}

function checkSignature(
  secretKey: Secret,
  sign: string,
  timestamp: string,
  request: ServiceRequest,
): void {
  const { method, target, body } = request;
  if (isSame(signature(secretKey, { timestamp, method, target, body }), sign)) return;
  throw new Refusal('wrong-signature', 'the signature does not match the request');
}

/**
 * Compares digests of equal length, so that the time taken does not depend on the first difference.
 */
function isSame(expected: string, candidate: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(candidate));
}

/**
 * Accepted signatures, kept until their timestamps have expired. Only valid signatures are stored,
 * so clients without a key cannot fill the memory.
 *
 * Equal requests that a client signs in one millisecond have equal signatures and are sent at about
 * the same time. A signature is therefore valid for a few requests that arrive close together, and
 * a signature that is intercepted and sent later is refused.
 */
function usedSignatures(): { mayBeUsed(sign: string, nowMs: number): boolean } {
  const signatures = new Map<string, { readonly firstMs: number; uses: number }>();
  return {
    mayBeUsed: (sign, nowMs) => {
      // A timestamp may lie one window ahead, so it is good for two windows from now.
      for (const [old, { firstMs }] of signatures) {
        if (nowMs - firstMs <= 2 * TIMESTAMP_WINDOW_MS) break;
        signatures.delete(old);
      }
      const used = signatures.get(sign) ?? { firstMs: nowMs, uses: 0 };
      if (used.uses >= MOST_USES || nowMs - used.firstMs > REUSE_WINDOW_MS) return false;
      used.uses += 1;
      signatures.set(sign, used);
      return true;
    },
  };
}

function headersOf(request: ServiceRequest, prefix: string): (name: string) => string | undefined {
  const byName = new Map<string, string>();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && value !== '') byName.set(name.toLowerCase(), value);
  }
  return (name) => byName.get((prefix + name).toLowerCase());
}
