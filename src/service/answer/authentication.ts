import { createHash, timingSafeEqual } from 'node:crypto';
import type { Effects } from '../../effects.ts';
import type { Credentials, Secret } from '../../fetch/http/signature.ts';
import { signature } from '../../fetch/http/signature.ts';
import { Refusal } from '../protocol/errors.ts';
import type { ServiceRequest } from '../protocol/exchange.ts';
import type { FullSettings, KeyHolder } from '../settings/settings.ts';

/** How far a request's clock may be off, either way. */
const TIMESTAMP_WINDOW_MS = 30_000;
/** Equal requests of one millisecond come within this time of the first one, and not more often. */
const REUSE_WINDOW_MS = 1_000;
const MOST_USES = 10;
const ISO_WITH_MS = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;

/**
 * Who asks; undefined where nobody has to say so. Throws a Refusal unless the request may be
 * answered.
 */
export type Authentication = (request: ServiceRequest) => KeyHolder | undefined;

/**
 * The check of the four headers (Authentication part of the interface): known key, its passphrase,
 * a timestamp at most 30 s off, and a signature over the exact request that was not used before,
 * but for equal requests at the same time.
 * Without credentials in the settings everybody may ask.
 */
export function authentication(settings: FullSettings, effects: Effects): Authentication {
  const { credentials, headerPrefix } = settings;
  if (credentials.length === 0) return () => undefined;
  const used = usedSignatures();
  return (request) => {
    const header = headersOf(request, headerPrefix);
    const key = header('ACCESS-KEY') ?? missing('key-missing');
    const sign = header('ACCESS-SIGN') ?? missing('signature-missing');
    const passphrase = header('ACCESS-PASSPHRASE') ?? missing('passphrase-missing');
    const timestamp = header('ACCESS-TIMESTAMP') ?? missing('timestamp-missing');
    checkTimestamp(timestamp, effects.now());

    const holder = holderOf(credentials, key);
    if (holder === undefined) throw new Refusal('unknown-key', 'the key is not known');
    checkHolder(holder, passphrase);
    checkSignature(holder.secretKey, sign, timestamp, request);
    if (!used.mayBeUsed(sign, effects.now())) {
      throw new Refusal('wrong-signature', 'the signature was used before');
    }
    return holder;
  };
}

/** Looks at all keys, wherever the right one stands. */
function holderOf(credentials: readonly KeyHolder[], key: string): KeyHolder | undefined {
  let found: KeyHolder | undefined;
  for (const each of credentials) {
    if (isSame(each.accessKey.reveal(), key)) found = each;
  }
  return found;
}

function missing(
  kind: 'key-missing' | 'signature-missing' | 'passphrase-missing' | 'timestamp-missing',
): never {
  throw new Refusal(kind, 'a header of the authentication is missing');
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

function checkHolder(holder: Credentials, passphrase: string): void {
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

/** Takes the same time wherever two texts differ: digests have one length and tell nothing. */
function isSame(expected: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}

/**
 * Signatures that were accepted, kept until their timestamp must have expired. Only valid ones come
 * in, so strangers cannot fill the memory.
 *
 * Equal requests that a client signs in one millisecond have equal signatures, and are sent at
 * about the same time: a signature is good for a few requests that come close together. Whoever
 * overhears one later can repeat nothing with it.
 */
function usedSignatures(): { mayBeUsed(sign: string, nowMs: number): boolean } {
  const known = new Map<string, { readonly firstMs: number; uses: number }>();
  return {
    mayBeUsed: (sign, nowMs) => {
      // A timestamp may lie one window ahead, so it is good for two windows from now.
      for (const [old, { firstMs }] of known) {
        if (nowMs - firstMs <= 2 * TIMESTAMP_WINDOW_MS) break;
        known.delete(old);
      }
      const used = known.get(sign) ?? { firstMs: nowMs, uses: 0 };
      if (used.uses >= MOST_USES || nowMs - used.firstMs > REUSE_WINDOW_MS) return false;
      used.uses += 1;
      known.set(sign, used);
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
