import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import type { ServiceRequest, ServiceResponse } from '../../service/src/protocol/exchange.ts';
import { createService } from '../../service/src/server/service.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import type { Effects } from '../../src/effects.ts';
import { Fault } from '../../src/fault.ts';
import { connect } from '../../src/fetch/connect.ts';
import { RequestLimits } from '../../src/fetch/limits/request-limits.ts';
import { type Lake, openLake } from '../../src/land/lake.ts';
import { thisProcess } from '../../src/land/lock/holder.ts';
import { closeReport, openReport, runReport } from '../../src/land/reports/run-reports.ts';
import { type Disk, localDisk } from '../../src/land/storage/disk.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { outcomeOf } from '../../src/run/alerts/rules/outcome.ts';
import { type AlertJob, sendAlerts } from '../../src/run/alerts/send-alerts.ts';
import { run } from '../../src/run/run.ts';
import { exitCodeOf } from '../../src/run/shell/run-document.ts';
import { HOUR, ruleOf } from '../fixtures/alert-rules.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { jumpingClock } from '../fixtures/jumping-clock.ts';
import { pipelineHead } from '../fixtures/pipeline-head.ts';
import { virtualClock } from '../fixtures/virtual-clock.ts';
import { dyingDisk } from './dying-disk.ts';
import type { Event } from './month-plan.ts';

/** A growing chain, its service and a data root, for hourly runs under a virtual clock. */

export const HEAD = 300;
export const FROM = 200;
/** A power cut is not part of the month, and every sync would take a millisecond. */
const quickDisk: Disk = { ...localDisk, sync: async () => {}, syncFolder: async () => {} };
/** Intervals of the alert rules. */
export const ALERT_HOURS = { every: 2.25, staleAfter: 2.75 };
const EVERY = { everyMs: ALERT_HOURS.every * HOUR };
const RULES = [
  ruleOf('failed', EVERY),
  ruleOf('partial', EVERY),
  ruleOf('stale', { ...EVERY, afterMs: ALERT_HOURS.staleAfter * HOUR }),
  ruleOf('recovered', EVERY),
];

export interface PlayedRun {
  readonly effects: Effects;
  readonly event: Event;
  /** The operation of the disk that fails, for a full disk and a killed run. */
  readonly failsAt: number;
}

export interface Ended {
  /** Undefined for a run that was killed. */
  readonly exitCode: number | undefined;
  /** The end of the run, or its begin if it was killed. */
  readonly atMs: number;
}

const KILLED = new Error('killed');
const FULL = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
/** A throttled service accepts one request in this time. */
const THROTTLED_MS = 1000;
const DOWN: ServiceResponse = { status: 503, headers: {}, body: '{}' };

function refusal(status: number, code: string): ServiceResponse {
  return { status, headers: {}, body: JSON.stringify({ code, msg: code, data: [] }) };
}

export async function monthWorld(seed: string, startMs: number) {
  const root = await mkdtemp(join(tmpdir(), 'windrow-whole-month-'));
  const paths = layout(root);
  const chain = simulatedChain({ seed, head: HEAD });
  const source = chainSource(chain);
  const addresses = chain.addresses(8);
  const text = `${pipelineHead('nightly', 10)}keys:
  addresses: { list: [${addresses.map((address) => `"${address}"`).join(', ')}] }
blocks: { from: ${FROM}, to: head }
limits: { maxWait: 5m }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
`;
  const pipeline = parsePipeline({ text, file: 'nightly.yaml' });
  const lines: string[] = [];
  const ids: string[] = [];
  let event: Event = 'none';
  let count = 0;
  let throttled = 0;
  let acceptedMs = 0;

  /** The answer to a request in trouble; undefined for the usual one. */
  const refused = (target: string, nowMs: number): ServiceResponse | undefined => {
    if (event === 'outage') return DOWN;
    if (event === 'half outage' && target.includes('internal-transaction')) return DOWN;
    if (event === 'expired key') return refusal(401, '50111');
    if (event !== 'throttled') return undefined;
    if (Math.abs(nowMs - acceptedMs) < THROTTLED_MS) {
      throttled += 1;
      return refusal(429, '50011');
    }
    acceptedMs = nowMs;
    return undefined;
  };

  const alertJob = (effects: Effects, at: number): AlertJob => ({
    pipeline: { name: 'nightly', alerts: { destinations: {}, rules: RULES } },
    file: 'nightly.yaml',
    layout: paths,
    disk: quickDisk,
    effects,
    destinations: new Map([
      [
        'team',
        async (alert) => {
          lines.push(`${at}: ${alert.rule}`);
          ids.push(alert.id);
        },
      ],
    ]),
  });

  const once = async (effects: Effects, name: string, disk: Disk): Promise<number> => {
    const service = createService({ source, effects });
    const transport = {
      basePath: '',
      close: async () => undefined,
      send: async ({ method, target, headers, body }: ServiceRequest) =>
        refused(target, effects.now()) ??
        service.answer({ method, target, headers: { host: 'x', ...headers }, body }),
    };
    const { maxWaitMs } = pipeline.limits;
    const limits = new RequestLimits(pipeline.limits);
    const connection = connect(pipeline.source, undefined, undefined, effects, {
      transport: transport as never,
      limits,
      maxWaitMs,
    });
    const lake = await openLake({ root, chains: CHAINS, run: name, effects, disk });
    const never = new AbortController().signal;
    try {
      limits.start(effects);
      const stops = { softStop: never, hardStop: never };
      const job = { pipeline, keys: { addresses }, connection, lake, disk, effects, run: name };
      return exitCodeOf(await run({ ...job, ...stops, version: 'test', isLocked: true }));
    } finally {
      await connection.close();
      lake.close();
      limits.close();
    }
  };

  const play = async ({ effects, event: trouble, failsAt }: PlayedRun): Promise<Ended> => {
    const nth = count;
    count += 1;
    event = trouble;
    const startedMs = effects.now();
    const startedAt = new Date(startedMs).toISOString();
    const stamp = startedAt.replace(/[-:]|\.\d+/g, '');
    const name = `${stamp}-${String(nth).padStart(6, '0')}`;
    const base = { run: name, pipeline: 'nightly', startedAt, isWhole: true };
    const dead = { ...thisProcess(startedMs), started: '1' };
    await openReport(paths, quickDisk, name, JSON.stringify({ ...base, process: dead }));
    const broken = { 'full disk': FULL, killed: KILLED }[String(event)];
    const disk = broken === undefined ? quickDisk : dyingDisk(quickDisk, failsAt, broken);
    // Its sleeps end in the order of their times, whatever the disk does.
    const during = virtualClock(nth, startedMs, true);
    const whole = { ...during, now: () => Math.floor(during.now()) };
    let exitCode: number;
    try {
      exitCode = await during.run(() => once(whole, name, disk));
    } catch (error) {
      if (!(error instanceof Fault) && event !== 'killed') throw error;
      exitCode = error instanceof Fault ? error.exitCode : 1;
    }
    await effects.sleep(whole.now() - startedMs);
    // A run that did not reach the operation is killed between its end and its report.
    if (event === 'killed') return { exitCode: undefined, atMs: startedMs };
    const atMs = effects.now();
    const endedAt = new Date(atMs).toISOString();
    const ended = JSON.stringify({ ...base, endedAt, exitCode });
    await closeReport(paths, quickDisk, name, ended);
    const report = runReport(ended);
    await sendAlerts(alertJob(effects, nth), report && outcomeOf(report));
    return { exitCode, atMs };
  };

  const opened = async <T>(work: (lake: Lake) => Promise<T>): Promise<T> => {
    const effects = jumpingClock();
    const options = { root, chains: CHAINS, run: 'truth', effects, disk: quickDisk };
    const lake = await openLake(options);
    try {
      return await work(lake);
    } finally {
      lake.close();
    }
  };

  await sendAlerts(alertJob(jumpingClock(startMs - HOUR), -1));
  const close = () => rm(root, { recursive: true, force: true });
  return { source, addresses, play, lines, ids, opened, close, throttled: () => throttled };
}
