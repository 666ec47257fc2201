import { describe, expect, it } from 'vitest';
import { Secret, type SigningKey, signature } from '../../../../src/fetch/http/signature.ts';
import { faultyService, LIST } from '../../../../test/fixtures/service-faults-setup.ts';
import { seededRandom } from '../../../../test/fixtures/virtual-clock.ts';
import type { Limiter } from '../../../src/faults/rate-limits.ts';
import { createLimiter } from '../../../src/faults/rate-limits.ts';
import type { RateLimit } from '../../../src/settings/rate-limits-schema.ts';
import { rateLimitSchema } from '../../../src/settings/rate-limits-schema.ts';
import type { KeyHolder } from '../../../src/settings/settings.ts';

const START_MS = 1_700_000_000_000;

function limited(limit: unknown): Limiter & { ask(nowMs: number): number } {
  const limiter = createLimiter(rateLimitSchema.parse(limit), START_MS);
  /** 0 when it is granted, and how long to wait when not. */
  const ask = (atMs: number): number => {
    const nowMs = START_MS + atMs;
    const waitMs = limiter.waitMs(nowMs);
    if (waitMs === 0) limiter.granted(nowMs);
    else limiter.rejected(nowMs);
    return waitMs;
  };
  return { ...limiter, ask };
}

const grantedAt = (limiter: ReturnType<typeof limited>, times: readonly number[]): number[] =>
  times.filter((atMs) => limiter.ask(atMs) === 0);

const RULES = [
  { rule: 'token-bucket', requests: 7, seconds: 2 },
  { rule: 'token-bucket', requests: 7, seconds: 2, burst: 2 },
  { rule: 'fixed-window', requests: 7, seconds: 2 },
  { rule: 'sliding-window', requests: 7, seconds: 2 },
  { rule: 'per-minute', requests: 7 },
] as const;

/** Two hundred requests, most of them too many. */
function rush(seed: number): number[] {
  const random = seededRandom(seed);
  let atMs = 0;
  return Array.from({ length: 200 }, () => {
    atMs += Math.floor(random() * random() * 600);
    return atMs;
  });
}

function mostWithin(times: readonly number[], stretchMs: number): number {
  return Math.max(
    ...times.map((start) => times.filter((t) => t >= start && t < start + stretchMs).length),
  );
}

describe('every rule', () => {
  it.each(RULES)('$rule grants what waited as long as it was told, and nothing before', (rule) => {
    const limiter = limited(rule);
    for (const atMs of rush(1)) {
      const waitMs = limiter.waitMs(START_MS + atMs);
      if (waitMs > 0) {
        expect(limiter.waitMs(START_MS + atMs + waitMs)).toBe(0);
        expect(limiter.waitMs(START_MS + atMs + waitMs - 1)).toBe(1);
      }
      limiter.ask(atMs);
    }
  });

  it.each(RULES)('$rule locks nobody out when the clock is set back', (rule) => {
    const limiter = limited(rule);
    for (let nth = 0; nth < 7; nth += 1) limiter.ask(100_000_000);
    const longest = 1000 * ('seconds' in rule ? rule.seconds : 60);
    expect(limiter.ask(0)).toBeLessThanOrEqual(longest);
    expect(limiter.ask(longest + 1)).toBe(0);
  });

  it.each(RULES)('$rule comes nowhere near the hour that a clock is set forward', (rule) => {
    const limiter = limited(rule);
    const granted = grantedAt(
      limiter,
      Array.from({ length: 100 }, () => 3_600_000),
    );
    expect(granted).toHaveLength('burst' in rule ? rule.burst : rule.requests);
  });
});

describe('a token bucket', () => {
  it('grants its burst at once, and then as many as come in', () => {
    const limiter = limited({ rule: 'token-bucket', requests: 2, seconds: 1, burst: 5 });
    expect(grantedAt(limiter, [0, 0, 0, 0, 0, 0])).toHaveLength(5);
    expect(limiter.ask(0)).toBe(500);
    const steady = Array.from({ length: 100 }, (_, nth) => nth * 100);
    expect(grantedAt(limiter, steady)).toHaveLength(19);
    expect(
      grantedAt(
        limiter,
        Array.from({ length: 20 }, () => 60_000),
      ),
    ).toHaveLength(5);
  });
});

describe('a fixed window', () => {
  it('restarts at multiples of its length, so two windows meet', () => {
    const limiter = limited({ rule: 'fixed-window', requests: 3, seconds: 1 });
    expect(grantedAt(limiter, [900, 950, 999, 999, 1000, 1001, 1002, 1003])).toEqual([
      900, 950, 999, 1000, 1001, 1002,
    ]);
  });
});

describe('a sliding window', () => {
  it('holds in every stretch of its length', () => {
    const limiter = limited({ rule: 'sliding-window', requests: 3, seconds: 1 });
    expect(grantedAt(limiter, [900, 950, 999, 999, 1000, 1899, 1900, 1949, 1950])).toEqual([
      900, 950, 999, 1900, 1950,
    ]);
    for (let seed = 1; seed < 20; seed += 1) {
      const limit = limited({ rule: 'sliding-window', requests: 3, seconds: 1 });
      const granted = grantedAt(limit, rush(seed));
      expect(mostWithin(granted, 1000)).toBe(3);
    }
  });
});

describe('a limit per minute', () => {
  it('takes its requests at once and then waits for the next minute', () => {
    const limiter = limited({ rule: 'per-minute', requests: 2 });
    const minuteMs = 60_000 - (START_MS % 60_000);
    expect(grantedAt(limiter, [0, 0, 0, minuteMs - 1, minuteMs, minuteMs, minuteMs])).toEqual([
      0,
      0,
      minuteMs,
      minuteMs,
    ]);
  });
});

describe('a ban', () => {
  const ban = { rejections: 3, withinSeconds: 2, seconds: 30 };
  const rule = { rule: 'fixed-window', requests: 1, seconds: 1, ban };

  it('begins after enough rejections within the time, and ends', () => {
    const limiter = limited(rule);
    expect([0, 100, 200].map(limiter.ask)).toEqual([0, 900, 800]);
    expect(limiter.ask(1000)).toBe(0);
    expect(limiter.ask(1100)).toBe(900);
    expect(limiter.ask(2000)).toBe(29_100);
    expect(limiter.ask(31_099)).toBe(1);
    expect(limiter.ask(31_100)).toBe(0);
  });

  it('does not begin with as many that are further apart', () => {
    const limiter = limited(rule);
    const twice = [0, 100, 1000, 1100, 2200, 2300, 3300, 3400].map(limiter.ask);
    expect(twice.filter((waitMs) => waitMs > 1000)).toEqual([]);
  });

  it('is not made longer by who asks in it', () => {
    const limiter = limited(rule);
    for (const atMs of [0, 1, 2, 3]) limiter.ask(atMs);
    for (let atMs = 4; atMs < 30_000; atMs += 100) expect(limiter.ask(atMs)).toBe(30_003 - atMs);
    expect(limiter.ask(30_003)).toBe(0);
  });
});

describe('limits that change', () => {
  it.each(RULES)('$rule grants another number from then on', ({ rule }) => {
    const seconds = rule === 'per-minute' ? {} : { seconds: 60 };
    const changes = [
      { afterSeconds: 120, requests: 2 },
      { afterSeconds: 240, requests: 9 },
    ];
    const limiter = limited({ rule, requests: 5, ...seconds, changes });
    const many = Array.from({ length: 20 }, () => 0);
    const granted = (atMs: number) =>
      grantedAt(
        limiter,
        many.map(() => atMs),
      ).length;
    expect([0, 119_000, 180_000, 300_000].map(granted)).toEqual([5, 5, 2, 9]);
  });

  it('are refused out of order', () => {
    const changes = [60, 60].map((afterSeconds) => ({ afterSeconds, requests: 1 }));
    const limit = { rule: 'per-minute', requests: 5, changes };
    expect(rateLimitSchema.safeParse(limit).success).toBe(false);
  });
});

type SigningHolder = KeyHolder & SigningKey;

function holder(name: string, limit?: RateLimit): SigningHolder {
  const [accessKey, secretKey, passphrase] = [name, `${name} secret`, `${name} words`].map(
    (text) => new Secret(text),
  ) as [Secret, Secret, Secret];
  return { accessKey, secretKey, passphrase, ...(limit === undefined ? {} : { limit }) };
}

/** The HTTP status of a signed request, each with a timestamp of its own. */
function asking(yaml: string, credentials: readonly KeyHolder[]) {
  const { get, clock, service } = faultyService(yaml, { credentials });
  let nth = 0;
  const status = async (signer: SigningHolder, sign?: string): Promise<number> => {
    nth += 1;
    const timestamp = new Date(clock.now() + nth).toISOString();
    const parts = { timestamp, method: 'GET', target: LIST, body: '' };
    const answer = await get(LIST, {
      'SVC-ACCESS-KEY': signer.accessKey.reveal(),
      'SVC-ACCESS-SIGN': sign ?? signature(signer.secretKey, parts),
      'SVC-ACCESS-PASSPHRASE': signer.passphrase.reveal(),
      'SVC-ACCESS-TIMESTAMP': timestamp,
    });
    return answer.status;
  };
  return { status, clock, service };
}

const twoPerMinute = rateLimitSchema.parse({ rule: 'per-minute', requests: 2 });
const onePerMinute = rateLimitSchema.parse({ rule: 'per-minute', requests: 1 });

describe('keys with limits of their own', () => {
  it('never use up the limit of another key', async () => {
    const [first, second, free] = [
      holder('first', twoPerMinute),
      holder('second', onePerMinute),
      holder('free'),
    ];
    const { status, clock } = asking('{}', [first, second, free]);
    const statuses = async (...holders: SigningHolder[]) => {
      const all: number[] = [];
      for (const signer of holders) all.push(await status(signer));
      return all;
    };
    expect(await statuses(first, first, first, first)).toEqual([200, 200, 429, 429]);
    expect(await statuses(second, second)).toEqual([200, 429]);
    expect(await statuses(free, free, free, free)).toEqual([200, 200, 200, 200]);
    await clock.pass(60_000);
    expect(await statuses(second, first, first, first)).toEqual([200, 200, 200, 429]);
  });

  it('are not used up by strangers who name them', async () => {
    const mine = holder('mine', onePerMinute);
    const { status } = asking('{}', [mine]);
    for (let nth = 0; nth < 5; nth += 1) expect(await status(mine, 'forged')).toBe(401);
    expect(await status(mine)).toBe(200);
    expect(await status(mine)).toBe(429);
  });

  it('are counted apart where a plan says so, and together where not', async () => {
    const keys = [holder('first'), holder('second')] as const;
    const plan = (scope: string) => `limits: [{ rule: per-minute, requests: 1, each: ${scope} }]`;
    const apart = asking(plan('key'), keys);
    expect(await apart.status(keys[0])).toBe(200);
    expect(await apart.status(keys[1])).toBe(200);
    expect(await apart.status(keys[0])).toBe(429);
    const together = asking(plan('service'), keys);
    expect(await together.status(keys[0])).toBe(200);
    expect(await together.status(keys[1])).toBe(429);
    expect(together.service.faults.rejected).toBe(1);
  });

  it('pay nothing where another limit rejects them', async () => {
    const mine = holder('mine', twoPerMinute);
    const limits = 'limits: [{ rule: fixed-window, requests: 1, seconds: 10 }]';
    const { status, clock } = asking(limits, [mine]);
    expect([await status(mine), await status(mine), await status(mine)]).toEqual([200, 429, 429]);
    await clock.pass(10_000);
    expect(await status(mine)).toBe(200);
    await clock.pass(10_000);
    expect(await status(mine)).toBe(429);
  });
});

describe('rejections', () => {
  const rejection = async (reject: string) => {
    const { get } = faultyService(
      `limits: [{ rule: fixed-window, requests: 1, seconds: 90, reject: ${reject} }]`,
    );
    await get();
    const { status, headers, body } = await get();
    return { status, after: headers['retry-after'], body: JSON.parse(body) as unknown };
  };

  it.each([
    ['{}', 429, undefined, { code: '50011', msg: 'Too Many Requests', data: [] }],
    ['{ status: 200, data: none }', 200, undefined, { code: '50011', msg: 'Too Many Requests' }],
    [
      '{ code: 50061, message: slow down }',
      429,
      undefined,
      { code: '50061', msg: 'slow down', data: [] },
    ],
    ['{ status: 200, code: "0", message: "" }', 200, undefined, { code: '0', msg: '', data: [] }],
  ])('look as %s says', async (reject, status, after, body) => {
    expect(await rejection(reject)).toEqual({ status, after, body });
  });

  it('say when to come again, and keep their word', async () => {
    const limits = (requests: number) =>
      `limits: [{ rule: fixed-window, requests: ${requests}, seconds: 90, reject: { retryAfter: true } }]`;
    const { get, clock } = faultyService(limits(1));
    await get();
    const seconds = Number((await get()).headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    await clock.pass(1000 * seconds);
    expect((await get()).status).toBe(200);
  });
});
