import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from '../../src/alerts/rules/outcome.ts';
import { type AlertJob, sendAlerts } from '../../src/alerts/send-alerts.ts';
import { exitCodeOf } from '../../src/cli/terminal/report.ts';
import type { Effects } from '../../src/effects.ts';
import { Fault } from '../../src/fault.ts';
import { connect } from '../../src/fetch/connect.ts';
import { RequestLimits } from '../../src/fetch/limits/request-limits.ts';
import { type Lake, openLake } from '../../src/land/lake.ts';
import { closeReport, openReport, runReport } from '../../src/land/reports/run-reports.ts';
import { type Disk, localDisk } from '../../src/land/storage/disk.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { thisProcess } from '../../src/land/storage/lock.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { run } from '../../src/run/run.ts';
import { chainSource } from '../../src/service/memory/chain-source.ts';
import type { ServiceRequest, ServiceResponse } from '../../src/service/protocol/exchange.ts';
import { createService } from '../../src/service/server/service.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { HOUR, ruleOf } from '../fixtures/alert-rules.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { jumpingClock } from '../fixtures/jumping-clock.ts';
import { dyingDisk } from './dying-disk.ts';

/** A growing chain, its service and a data root, for hourly runs under a virtual clock. */

export const HEAD = 300;
export const FROM = 200;
export const EVERY_MS = 2 * HOUR;
const EVERY = { everyMs: EVERY_MS };
const RULES = [ruleOf('failed', EVERY), ruleOf('partial', EVERY), ruleOf('recovered', EVERY)];

export type Event = 'outage' | 'expired key' | 'throttled' | 'full disk' | 'killed' | 'none';

export interface Hour {
  readonly atMs: number;
  readonly event: Event;
  /** The operation of the disk that fails, for a full disk and a killed run. */
  readonly failsAt: number;
}

/** Exit code of a run; undefined for one that was killed. */
export type Ended = number | undefined;

const KILLED = new Error('killed');
const FULL = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });

const REFUSALS: Partial<Record<Event, ServiceResponse>> = {
  outage: { status: 503, headers: {}, body: '{}' },
  'expired key': refusal(401, '50111'),
  throttled: refusal(429, '50011'),
};

function refusal(status: number, code: string): ServiceResponse {
  return { status, headers: {}, body: JSON.stringify({ code, msg: code, data: [] }) };
}

export async function monthWorld(seed: string) {
  const root = await mkdtemp(join(tmpdir(), 'windrow-whole-month-'));
  const paths = layout(root);
  const chain = simulatedChain({ seed, head: HEAD });
  const source = chainSource(chain);
  const addresses = chain.addresses(4);
  const text = `version: 1
name: nightly
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 10
  rate: { startPerSecond: 5000, maxPerSecond: 5000 }
keys:
  addresses: { list: [${addresses.map((each) => `"${each}"`).join(', ')}] }
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

  const alertJob = (effects: Effects, at: number): AlertJob => ({
    pipeline: { name: 'nightly', alerts: { destinations: {}, rules: RULES } },
    layout: paths,
    disk: localDisk,
    effects,
    destinations: new Map([
      [
        'team',
        {
          deliver: async (alert) => {
            lines.push(`${at}: ${alert.rule}`);
            ids.push(alert.id);
          },
        },
      ],
    ]),
  });

  const once = async (effects: Effects, name: string, disk: Disk): Promise<number> => {
    const service = createService({
      source,
      effects,
      settings: { before: () => REFUSALS[event] },
    });
    const transport = {
      basePath: '',
      close: async () => undefined,
      send: async ({ method, target, headers, body }: ServiceRequest) =>
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
    const nothing = (): void => undefined;
    const watch = { planned: nothing, found: nothing, progressed: nothing, loading: nothing };
    try {
      limits.start(effects);
      const stops = { softStop: never, hardStop: never };
      const of = { pipeline, keys: { addresses }, connection, lake, disk, effects, run: name };
      return exitCodeOf(await run({ ...of, ...stops, version: 'test', isLocked: true, watch }));
    } finally {
      await connection.close();
      lake.close();
      limits.close();
    }
  };

  const play = async (hour: Hour): Promise<Ended> => {
    const { atMs, failsAt } = hour;
    const nth = count;
    count += 1;
    event = hour.event;
    const effects = jumpingClock(atMs);
    const startedAt = new Date(atMs).toISOString();
    const stamp = startedAt.replace(/[-:]|\.\d+/g, '');
    const name = `${stamp}-${String(nth).padStart(6, '0')}`;
    const own = { run: name, pipeline: 'nightly', startedAt, isWhole: true };
    const dead = { ...thisProcess(atMs), started: '1' };
    await openReport(paths, localDisk, name, JSON.stringify({ ...own, process: dead }));
    const broken = { 'full disk': FULL, killed: KILLED }[String(event)];
    const disk = broken === undefined ? localDisk : dyingDisk(localDisk, failsAt, broken);
    let exitCode: number;
    try {
      exitCode = await once(effects, name, disk);
    } catch (error) {
      if (event === 'killed') return undefined;
      if (!(error instanceof Fault)) throw error;
      exitCode = error.exitCode;
    }
    const ended = JSON.stringify({ ...own, endedAt: startedAt, exitCode });
    await closeReport(paths, localDisk, name, ended);
    const report = runReport(ended);
    await sendAlerts(alertJob(effects, nth), report && outcomeOf(report));
    return exitCode;
  };

  const opened = async <T>(work: (lake: Lake) => Promise<T>): Promise<T> => {
    const effects = jumpingClock();
    const of = { root, chains: CHAINS, run: 'truth', effects, disk: localDisk };
    const lake = await openLake(of);
    try {
      return await work(lake);
    } finally {
      lake.close();
    }
  };

  await sendAlerts(alertJob(jumpingClock(Date.UTC(2025, 2, 1) - HOUR), -1));
  const close = () => rm(root, { recursive: true, force: true });
  return { source, addresses, play, lines, ids, opened, close };
}
