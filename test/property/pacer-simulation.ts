import { setMaxListeners } from 'node:events';
import { memoryCell } from '../../src/fetch/rate/cell/memory-cell.ts';
import type { PaceRecord } from '../../src/fetch/rate/pace-record.ts';
import { Pacer } from '../../src/fetch/rate/pacer.ts';
import { seededRandom, type VirtualClock, virtualClock } from '../fixtures/virtual-clock.ts';
import type { Kind, Server } from './pacer-servers.ts';

export interface Scenario {
  readonly kind: Kind;
  readonly limitPerSecond: number;
  readonly seed: number;
  /** Simulated time in all, and how much of its beginning is not measured; whole seconds. */
  readonly durationMs: number;
  readonly warmUpMs: number;
  /** Processes that share the pace; 1 by default. */
  readonly processes?: number;
  /** Most requests under way; by default more than any rate needs, so that the pacer decides. */
  readonly concurrency?: number;
  /** The limit of the user; by default none. */
  readonly maxPerSecond?: number;
  /** Latency without jitter; by default from 20 to 120 ms, by the seed. */
  readonly latencyMs?: number;
  /** The limit is this share of itself between the two times; whole seconds. */
  readonly drop?: { readonly share: number; readonly fromMs: number; readonly toMs: number };
}

export interface Result {
  /** Granted after the warm-up, over what the limit allows. */
  readonly ratio: number;
  /** Rejected after the warm-up, over all requests after it. */
  readonly rejections: number;
  /** Requests that left before a Retry-After had passed. */
  readonly violations: number;
  /** Requests of the fullest second after the warm-up, over the limit. */
  readonly fullest: number;
  /** From the end of the drop until a stretch of time reached 90 % of the limit. */
  readonly restoredMs: number;
}

const WORKERS = 400;
/** Like that of a file. */
const VISIT_MS = 50;
/** Mean of the exponential jitter that each way of a request takes on top. */
const JITTER_MS = 4;

/** Lets a pacer loose on one server, with a queue that is never empty, in virtual time. */
export async function simulate(scenario: Scenario): Promise<Result> {
  const clock = virtualClock(scenario.seed);
  const random = seededRandom(scenario.seed * 7919 + 1);
  // The windows of a server do not begin when we do.
  await clock.pass(Math.floor(60_000 * random()));
  const startMs = clock.now();
  const server = scenario.kind.make(scenario.limitPerSecond);
  const { limitPerSecond, processes = 1, maxPerSecond = Number.POSITIVE_INFINITY } = scenario;
  const cell = memoryCell<PaceRecord>(processes === 1 ? 0 : VISIT_MS);
  const pacers = Array.from(
    { length: processes },
    () => new Pacer({ effects: clock, maxPerSecond, cell }),
  );
  const seconds = scenario.durationMs / 1000;
  const granted = new Float64Array(seconds);
  const rejected = new Float64Array(seconds);
  const oneWayMs = (scenario.latencyMs ?? 20 + 100 * random()) / 2;
  let keepAwayUntilMs = 0;
  let violations = 0;
  const lately: number[] = [];
  let most = 0;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);

  const travel = (): Promise<void> => clock.sleep(oneWayMs - JITTER_MS * Math.log(1 - random()));
  const request = async (pacer: Pacer): Promise<void> => {
    const permit = await pacer.permit(stop.signal);
    const sentMs = clock.now();
    if (sentMs < keepAwayUntilMs) violations += 1;
    await travel();
    const second = Math.floor((clock.now() - startMs) / 1000);
    lately.push(clock.now());
    while ((lately[0] ?? 0) <= clock.now() - 1000) lately.shift();
    if (second >= scenario.warmUpMs / 1000) most = Math.max(most, lately.length);
    const verdict = server.receive(clock.now());
    const tally = verdict.granted ? granted : rejected;
    if (second < seconds) tally[second] = (tally[second] ?? 0) + 1;
    await travel();
    if (verdict.granted) permit.succeeded(clock.now() - sentMs);
    else {
      const { retryAfterMs } = verdict;
      keepAwayUntilMs = Math.max(keepAwayUntilMs, clock.now() + (retryAfterMs ?? 0));
      permit.rejected(retryAfterMs === undefined ? {} : { retryAfterMs });
    }
  };
  const work = async (pacer: Pacer): Promise<void> => {
    while (!stop.signal.aborted) await request(pacer);
  };
  const workers = pacers.flatMap((pacer) =>
    Array.from({ length: scenario.concurrency ?? WORKERS }, () => work(pacer).catch(() => {})),
  );
  await drive(clock, server, scenario);
  stop.abort();
  await clock.run(Promise.all(workers));
  return { ...measured(scenario, granted, rejected), violations, fullest: most / limitPerSecond };
}

async function drive(clock: VirtualClock, server: Server, scenario: Scenario): Promise<void> {
  const { limitPerSecond, drop, durationMs } = scenario;
  if (drop === undefined) return clock.pass(durationMs);
  await clock.pass(drop.fromMs);
  server.setLimit(limitPerSecond * drop.share);
  await clock.pass(drop.toMs - drop.fromMs);
  server.setLimit(limitPerSecond);
  await clock.pass(durationMs - drop.toMs);
}

function measured(
  { limitPerSecond, warmUpMs, durationMs, drop }: Scenario,
  granted: Float64Array,
  rejected: Float64Array,
): Omit<Result, 'violations' | 'fullest'> {
  const from = warmUpMs / 1000;
  const steady = sum(granted.slice(from));
  const lost = sum(rejected.slice(from));
  return {
    ratio: steady / (limitPerSecond * (granted.length - from)),
    rejections: lost / (steady + lost),
    restoredMs: restoredAfter(granted, limitPerSecond, (drop?.toMs ?? durationMs) / 1000),
  };
}

function restoredAfter(granted: Float64Array, limit: number, from: number): number {
  // Ten seconds, or as long as it takes to tell 90 % of the limit from 80 %.
  const span = Math.max(10, Math.ceil(40 / limit));
  for (let at = from; at + span <= granted.length; at += 1) {
    if (sum(granted.slice(at, at + span)) >= 0.9 * span * limit) return (at + span - from) * 1000;
  }
  return Number.POSITIVE_INFINITY;
}

function sum(values: Float64Array): number {
  return values.reduce((total, number) => total + number, 0);
}

export function mean(values: readonly number[]): number {
  return values.reduce((total, number) => total + number, 0) / values.length;
}
