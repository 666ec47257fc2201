import { setMaxListeners } from 'node:events';
import { createPacer, type Pacer } from '../../src/fetch/pacer.ts';
import { seededRandom, type VirtualClock, virtualClock } from '../virtual-clock.ts';

/** Servers with a hidden rate limit, and a pacer let loose on one of them in virtual time. */

/** Milliseconds to stay away for, or undefined where the request is granted. */
export interface Verdict {
  readonly granted: boolean;
  readonly retryAfterMs?: number;
}

export interface Server {
  setLimit(perSecond: number): void;
  receive(nowMs: number): Verdict;
}

const GRANTED: Verdict = { granted: true };
const REJECTED: Verdict = { granted: false };

/** Refills steadily and holds at most `capacitySeconds` worth of requests, and at least one. */
function bucket(capacitySeconds: number): (perSecond: number) => Server {
  return (limit) => {
    let perSecond = limit;
    let tokens = Number.POSITIVE_INFINITY;
    let atMs = 0;
    return {
      setLimit: (next) => {
        perSecond = next;
      },
      receive: (nowMs) => {
        const capacity = Math.max(1, perSecond * capacitySeconds);
        tokens = Math.min(capacity, tokens + ((nowMs - atMs) * perSecond) / 1000);
        atMs = nowMs;
        if (tokens < 1) return REJECTED;
        tokens -= 1;
        return GRANTED;
      },
    };
  };
}

/** Counts anew at every multiple of `windowMs`. */
function fixedWindow(windowMs: number, says: 'nothing' | 'when'): (perSecond: number) => Server {
  return (limit) => {
    let perSecond = limit;
    let window = -1;
    let count = 0;
    return {
      setLimit: (next) => {
        perSecond = next;
      },
      receive: (nowMs) => {
        const current = Math.floor(nowMs / windowMs);
        if (current !== window) count = 0;
        window = current;
        if (count + 1 <= (perSecond * windowMs) / 1000) {
          count += 1;
          return GRANTED;
        }
        if (says === 'nothing') return REJECTED;
        return { granted: false, retryAfterMs: 1000 * Math.ceil(((window + 1) * windowMs - nowMs) / 1000) };
      },
    };
  };
}

/** Never more than the limit in any stretch of `windowMs`. */
function slidingLog(windowMs: number): (perSecond: number) => Server {
  return (limit) => {
    let perSecond = limit;
    const log: number[] = [];
    let head = 0;
    return {
      setLimit: (next) => {
        perSecond = next;
      },
      receive: (nowMs) => {
        while (head < log.length && (log[head] ?? 0) <= nowMs - windowMs) head += 1;
        if (head > 4096) log.splice(0, head), (head = 0);
        if (log.length - head + 1 > (perSecond * windowMs) / 1000) return REJECTED;
        log.push(nowMs);
        return GRANTED;
      },
    };
  };
}

/** The count of this window plus the part of the last one that a sliding window still covers. */
function slidingCounter(windowMs: number): (perSecond: number) => Server {
  return (limit) => {
    let perSecond = limit;
    let window = -1;
    let count = 0;
    let before = 0;
    return {
      setLimit: (next) => {
        perSecond = next;
      },
      receive: (nowMs) => {
        const current = Math.floor(nowMs / windowMs);
        if (current !== window) {
          before = current === window + 1 ? count : 0;
          count = 0;
          window = current;
        }
        const share = 1 - (nowMs - current * windowMs) / windowMs;
        if (before * share + count + 1 > (perSecond * windowMs) / 1000) return REJECTED;
        count += 1;
        return GRANTED;
      },
    };
  };
}

export interface Kind {
  readonly make: (perSecond: number) => Server;
  readonly minRatio: number;
  readonly perMinute: boolean;
}

const kind = (make: Kind['make'], minRatio: number, perMinute = false): Kind => ({
  make,
  minRatio,
  perMinute,
});

export const KINDS: Readonly<Record<string, Kind>> = {
  bucket: kind(bucket(1), 0.95),
  'tight bucket': kind(bucket(0.2), 0.95),
  fixed: kind(fixedWindow(1000, 'nothing'), 0.95),
  'fixed, Retry-After': kind(fixedWindow(1000, 'when'), 0.95),
  'sliding log': kind(slidingLog(1000), 0.9),
  'sliding counter': kind(slidingCounter(1000), 0.9),
  'fixed minute': kind(fixedWindow(60_000, 'nothing'), 0.9, true),
  'sliding minute': kind(slidingLog(60_000), 0.9, true),
};

export interface Scenario {
  readonly kind: string;
  readonly limitPerSecond: number;
  readonly seed: number;
  /** Simulated time in all, and how much of its beginning is not measured. */
  readonly durationMs: number;
  readonly warmUpMs: number;
  /** The limit is this share of itself between the two times, if any. */
  readonly drop?: { readonly share: number; readonly fromMs: number; readonly toMs: number };
}

export interface Result {
  /** Granted per second after the warm-up, over the limit. */
  readonly ratio: number;
  /** Over the whole run. */
  readonly wholeRatio: number;
  /** Rejected requests after the warm-up, over all requests after it. */
  readonly rejections: number;
  /** Requests sent although a Retry-After had not passed. */
  readonly violations: number;
  /** From the end of the drop until ten seconds in a row reached 90 % of the limit. */
  readonly restoredMs: number;
  readonly pacer: Pacer;
}

const WORKERS = 400;

export async function simulate(scenario: Scenario, trace = false): Promise<Result> {
  const clock = virtualClock(scenario.seed);
  const random = seededRandom(scenario.seed * 7919 + 1);
  const startMs = clock.now() + Math.floor(60_000 * random());
  await clock.pass(startMs - clock.now());
  const kindOf = KINDS[scenario.kind];
  if (kindOf === undefined) throw new Error(`no kind ${scenario.kind}`);
  const server = kindOf.make(scenario.limitPerSecond);
  const pacer = createPacer({ effects: clock });
  const grantedPerSecond = new Float64Array(Math.ceil(scenario.durationMs / 1000) + 1);
  const rejectedPerSecond = new Float64Array(grantedPerSecond.length);
  const oneWayMs = 10 + 50 * random();
  let keepAwayUntilMs = 0;
  let violations = 0;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);

  const request = async (): Promise<void> => {
    const permit = await pacer.permit(stop.signal);
    const sentMs = clock.now();
    if (sentMs < keepAwayUntilMs) violations += 1;
    await clock.sleep(oneWayMs - 4 * Math.log(1 - random()));
    const arrivedMs = clock.now();
    const verdict = server.receive(arrivedMs);
    const second = Math.floor((arrivedMs - startMs) / 1000);
    const tally = verdict.granted ? grantedPerSecond : rejectedPerSecond;
    if (second < tally.length) tally[second] = (tally[second] ?? 0) + 1;
    await clock.sleep(oneWayMs - 4 * Math.log(1 - random()));
    if (verdict.granted) permit.succeeded(clock.now() - sentMs);
    else {
      const { retryAfterMs } = verdict;
      if (retryAfterMs !== undefined) {
        keepAwayUntilMs = Math.max(keepAwayUntilMs, clock.now() + retryAfterMs);
      }
      permit.rejected(retryAfterMs === undefined ? {} : { retryAfterMs });
    }
  };
  const worker = async (): Promise<void> => {
    while (!stop.signal.aborted) await request();
  };
  const workers = Array.from({ length: WORKERS }, () => worker().catch(() => {}));
  await drive(clock, server, scenario, pacer, trace ? grantedPerSecond : undefined, rejectedPerSecond);
  stop.abort();
  await clock.run(Promise.all(workers));
  return {
    ...measure(scenario, grantedPerSecond, rejectedPerSecond),
    violations,
    pacer,
  };
}

async function drive(
  clock: VirtualClock,
  server: Server,
  scenario: Scenario,
  pacer: Pacer,
  granted: Float64Array | undefined,
  rejected: Float64Array,
): Promise<void> {
  for (let atMs = 0; atMs < scenario.durationMs; atMs += 1000) {
    if (atMs === scenario.drop?.fromMs) {
      server.setLimit(scenario.limitPerSecond * scenario.drop.share);
    }
    if (atMs === scenario.drop?.toMs) server.setLimit(scenario.limitPerSecond);
    await clock.pass(1000);
    if (granted !== undefined) {
      const e = pacer.explain();
      console.log(atMs / 1000, granted[atMs / 1000], rejected[atMs / 1000], e.state, e.ratePerSecond.toFixed(2), e.ceilingPerSecond?.toFixed(2));
    }
  }
}

function measure(scenario: Scenario, granted: Float64Array, rejected: Float64Array) {
  const from = scenario.warmUpMs / 1000;
  const to = scenario.durationMs / 1000;
  const sum = (of: Float64Array, start: number): number =>
    of.slice(start, to).reduce((total, each) => total + each, 0);
  const limit = scenario.limitPerSecond;
  const steady = sum(granted, from);
  return {
    ratio: steady / (limit * (to - from)),
    wholeRatio: sum(granted, 0) / (limit * to),
    rejections: sum(rejected, from) / (steady + sum(rejected, from)),
    restoredMs: restored(scenario, granted),
  };
}

function restored(scenario: Scenario, granted: Float64Array): number {
  const from = (scenario.drop?.toMs ?? scenario.durationMs) / 1000;
  for (let at = from; at + 10 <= granted.length; at += 1) {
    const sum = granted.slice(at, at + 10).reduce((total, each) => total + each, 0);
    if (sum >= 9 * scenario.limitPerSecond) return (at + 10 - from) * 1000;
  }
  return Number.POSITIVE_INFINITY;
}
