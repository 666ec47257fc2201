import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Secret, signature } from '../../../../src/fetch/http/signature.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import type { ServiceRequest } from '../../../src/protocol/exchange.ts';
import { createService } from '../../../src/server/service.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';

const TARGET = '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN&limit=1';
const SECRET = new Secret('canary-secret');

const credentials = [
  {
    accessKey: new Secret('other-key'),
    secretKey: new Secret('other-secret'),
    passphrase: new Secret('other-words'),
  },
  { accessKey: new Secret('key'), secretKey: SECRET, passphrase: new Secret('some words') },
];

function guarded(headerPrefix = 'SVC-') {
  const clock = virtualClock();
  const source = chainSource(simulatedChain({ seed: 'guarded', head: 10 }));
  const service = createService({
    source,
    effects: clock,
    settings: { credentials, headerPrefix },
  });
  const code = async (request: ServiceRequest): Promise<string> => {
    const { status, body } = await service.answer(request);
    const envelope = JSON.parse(body) as { code: string };
    expect(status).toBe(envelope.code === '0' ? 200 : 401);
    return envelope.code;
  };
  return { clock, code, service };
}

/** A correctly signed request, changed afterwards by `more`. */
function signed(
  timestampMs: number,
  more: Readonly<Record<string, string | undefined>> = {},
  prefix = 'SVC-',
): ServiceRequest {
  const timestamp = new Date(timestampMs).toISOString();
  const parts = { timestamp, method: 'GET', target: TARGET, body: '' };
  const headers = {
    'ACCESS-KEY': 'key',
    'ACCESS-SIGN': signature(SECRET, parts),
    'ACCESS-PASSPHRASE': 'some words',
    'ACCESS-TIMESTAMP': timestamp,
    ...more,
  };
  const named = Object.entries(headers).map(([name, value]) => [prefix + name, value] as const);
  return { method: 'GET', target: TARGET, headers: Object.fromEntries(named), body: '' };
}

describe('a service with keys', () => {
  it('answers a request that is signed, whatever the case of its header names', async () => {
    const { clock, code } = guarded();
    const request = signed(clock.now());
    expect(await code(request)).toBe('0');
    const lower = signed(clock.now() + 1);
    const headers = Object.fromEntries(
      Object.entries(lower.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(await code({ ...lower, headers })).toBe('0');
  });

  it.each([
    ['ACCESS-KEY', '50103'],
    ['ACCESS-PASSPHRASE', '50104'],
    ['ACCESS-SIGN', '50106'],
    ['ACCESS-TIMESTAMP', '50107'],
  ])('misses the header %s with code %s', async (name, expected) => {
    const { clock, code } = guarded();
    expect(await code(signed(clock.now(), { [name]: undefined }))).toBe(expected);
    expect(await code(signed(clock.now(), { [name]: '' }))).toBe(expected);
  });

  it('refuses a key it does not know, a wrong passphrase and a passphrase of another', async () => {
    const { clock, code } = guarded();
    expect(await code(signed(clock.now(), { 'ACCESS-KEY': 'stranger' }))).toBe('50111');
    expect(await code(signed(clock.now(), { 'ACCESS-PASSPHRASE': 'wrong' }))).toBe('50105');
    expect(await code(signed(clock.now(), { 'ACCESS-PASSPHRASE': 'other-words' }))).toBe('50105');
  });

  it('refuses a signature over anything but the exact request', async () => {
    const { clock, code } = guarded();
    const request = signed(clock.now());
    expect(await code({ ...request, target: `${TARGET}0` })).toBe('50113');
    expect(await code({ ...request, body: ' ' })).toBe('50113');
    expect(await code(signed(clock.now(), { 'ACCESS-SIGN': 'AAAA' }))).toBe('50113');
    const later = new Date(clock.now() + 1).toISOString();
    expect(await code(signed(clock.now(), { 'ACCESS-TIMESTAMP': later }))).toBe('50113');
    expect(await code(request)).toBe('0');
  });

  it('takes timestamps up to 30 seconds off, either way', async () => {
    const { clock, code } = guarded();
    for (const skewMs of [-30_000, 30_000]) {
      expect(await code(signed(clock.now() + skewMs))).toBe('0');
    }
    for (const skewMs of [-30_001, 30_001]) {
      expect(await code(signed(clock.now() + skewMs))).toBe('50102');
    }
  });

  it.each([
    '1735787045000',
    '2025-01-02T03:04:05Z',
    '2025-01-02 03:04:05.000Z',
    '2025-13-02T03:04:05.000Z',
    'now',
  ])('refuses the timestamp %s, which is not ISO 8601 with milliseconds', async (timestamp) => {
    const { clock, code } = guarded();
    expect(await code(signed(clock.now(), { 'ACCESS-TIMESTAMP': timestamp }))).toBe('50112');
  });

  it('answers equal requests that were signed in the same millisecond', async () => {
    const { clock, code } = guarded();
    const request = signed(clock.now());
    expect(await Promise.all([code(request), code(request)])).toEqual(['0', '0']);
    await clock.pass(1_000);
    expect(await code(request)).toBe('0');
  });

  it('answers no more than ten of them', async () => {
    const { clock, code } = guarded();
    const request = signed(clock.now());
    const codes = Array.from({ length: 11 }, () => code(request));
    expect(await Promise.all(codes)).toEqual([...Array(10).fill('0'), '50113']);
  });

  it('refuses a signature that was used before, for as long as its timestamp is good', async () => {
    const { clock, code } = guarded();
    const request = signed(clock.now() + 30_000);
    expect(await code(request)).toBe('0');
    await clock.pass(1_001);
    expect(await code(request)).toBe('50113');
    await clock.pass(58_999);
    expect(await code(request)).toBe('50113');
    await clock.pass(1);
    expect(await code(request)).toBe('50102');
  });

  it('does not count a refused request as a use of its signature', async () => {
    const { clock, code } = guarded();
    expect(await code(signed(clock.now(), { 'ACCESS-PASSPHRASE': 'wrong' }))).toBe('50105');
    expect(await code(signed(clock.now()))).toBe('0');
  });

  it('may have another header prefix', async () => {
    const { clock, code } = guarded('ACME-');
    expect(await code(signed(clock.now()))).toBe('50103');
    expect(await code(signed(clock.now(), {}, 'ACME-'))).toBe('0');
  });

  it('repeats no part of the request, and none of its secrets', async () => {
    const { clock, service } = guarded();
    for (const more of [{ 'ACCESS-KEY': 'canary-key' }, { 'ACCESS-SIGN': 'canary-sign' }]) {
      const { body, headers } = await service.answer(signed(clock.now(), more));
      expect(body + JSON.stringify(headers)).not.toContain('canary');
    }
    expect(JSON.stringify(service.requests)).not.toContain('canary');
  });
});

describe('the time a check takes', () => {
  const counted = vi.spyOn(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  afterAll(() => {
    counted.mockRestore();
    syncBuiltinESMExports();
  });

  /** Lengths of the texts compared for this request. */
  const compared = async (more: Readonly<Record<string, string | undefined>>) => {
    const { clock, code } = guarded();
    counted.mockClear();
    await code(signed(clock.now(), more));
    return counted.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength]);
  };
  const digests = (count: number) => Array.from({ length: count }, () => [32, 32]);

  it('tells nothing of keys, passphrases and signatures: their digests are compared whole', async () => {
    // Every key is looked at, then the passphrase of one, then the signature.
    expect(await compared({})).toEqual(digests(4));
    expect(await compared({ 'ACCESS-SIGN': 'A' })).toEqual(digests(4));
    expect(await compared({ 'ACCESS-PASSPHRASE': 'some word' })).toEqual(digests(3));
  });

  it('does not depend on where the key stands, or on how much of it is right', async () => {
    for (const name of ['other-key', 'key', 'ke', 'nothing like it']) {
      const more = { 'ACCESS-KEY': name, 'ACCESS-PASSPHRASE': 'wrong' };
      const extra = name.endsWith('key') ? 1 : 0;
      expect(await compared(more), name).toEqual(digests(2 + extra));
    }
  });
});

describe('a service without keys', () => {
  it('answers everybody, signed or not', async () => {
    const source = chainSource(simulatedChain({ seed: 'open', head: 10 }));
    const service = createService({ source, effects: virtualClock() });
    const answer = await service.answer({ method: 'GET', target: TARGET, headers: {}, body: '' });
    expect(answer.status).toBe(200);
  });
});
