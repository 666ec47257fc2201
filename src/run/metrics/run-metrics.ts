import { dirname } from 'node:path';
import { grouped } from '../../coverage/grouped.ts';
import type { Effects } from '../../effects.ts';
import { wordsOf } from '../../fault.ts';
import type { Connection } from '../../fetch/connect.ts';
import type { LandedCounts } from '../../land/committer.ts';
import { type Chains, withLake } from '../../land/lake.ts';
import { readHistoryOf } from '../../land/reports/run-history.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import type { MetricsSettings } from '../../pipeline/metrics-settings.ts';
import type { LoadedPipeline } from '../job/pipeline-file.ts';
import { windrowVersion } from '../job/version.ts';
import { keptIn } from '../lake/kept-records.ts';
import { tablesOf } from '../lake/lake-status.ts';
import type { PricedPlan, Watch } from '../run-job.ts';
import { exposition, type PipelineFigures, type RunFigures } from './families.ts';
import { type MetricsPort, openMetricsPort } from './metrics-port.ts';

type Counted = Pick<Connection, 'statistics' | 'pace'>;
type Counts = Pick<LandedCounts, 'slices' | 'commits' | 'rows' | 'rowsReplaced' | 'quarantined'>;
type Facts = Pick<PipelineFigures, 'history' | 'tables' | 'quarantine'>;

interface LiveRun {
  readonly connection: Counted;
  counts: Counts | undefined;
  slicesPlanned: number | undefined;
}

export interface MetricsInput {
  readonly loaded: LoadedPipeline;
  readonly root: string;
  readonly effects: Effects;
}

/** The metrics of the runs of one process: a file after each run, and a port meanwhile. */
export class RunMetrics implements Watch {
  readonly #input: MetricsInput;
  readonly #file: string | undefined;
  #port: MetricsPort | undefined;
  #live: LiveRun | undefined;
  #facts: Facts = {
    history: { last: undefined, lastSuccessMs: undefined, heads: {} },
    tables: [],
    quarantine: {},
  };

  private constructor(context: MetricsInput, file: string | undefined) {
    this.#input = context;
    this.#file = file;
  }

  /** Opens the port. */
  static async open(context: MetricsInput, { file, listen }: MetricsSettings): Promise<RunMetrics> {
    const metrics = new RunMetrics(context, file);
    if (listen === undefined) return metrics;
    await metrics.#read();
    metrics.#port = await openMetricsPort(listen, () => metrics.text());
    return metrics;
  }

  /** The run that later figures are about. */
  began(connection: Counted): void {
    this.#live = { connection, counts: undefined, slicesPlanned: undefined };
  }

  /** Counts of a run, or of all runs of a follower. */
  progressed(committer: { counts(): Counts }): void {
    if (this.#live !== undefined) this.#live.counts = committer.counts();
  }

  planned({ plan }: PricedPlan): void {
    if (this.#live !== undefined) this.#live.slicesPlanned = plan.slices.length;
  }

  /** Reads the lake and the reports again, and writes the file. A failure is logged. */
  async written(): Promise<void> {
    const { effects } = this.#input;
    try {
      await this.#read();
      if (this.#file === undefined) return;
      await localDisk.makeFolder(dirname(this.#file));
      await localDisk.put(this.#file, await this.text());
    } catch (error) {
      const reason = wordsOf(error);
      effects.log('warn', `The metrics were not written: ${reason}`);
    }
  }

  /** The run has ended, and its report is closed. */
  async ended(): Promise<void> {
    this.#live = undefined;
    await this.written();
  }

  async close(): Promise<void> {
    await this.#port?.close();
  }

  text(): Promise<string> {
    const { pipeline } = this.#input.loaded;
    const live = this.#live && liveFigures(this.#live);
    return exposition({
      pipeline: pipeline.name,
      version: windrowVersion(),
      run: live ?? this.#facts.history.last,
      isUnderWay: live !== undefined,
      ...this.#facts,
    });
  }

  async #read(): Promise<void> {
    const { loaded, root, effects } = this.#input;
    const { name, source } = loaded.pipeline;
    const chains = { primary: source.chain, zone: source.zoneChain };
    this.#facts = {
      history: await readHistoryOf(layout(root), localDisk, name, effects.now()),
      tables: await tableFigures(root, chains, effects),
      quarantine: await quarantineFacts(root, effects),
    };
  }
}

/** The figures of a run so far. Requests without an answer yet do not count. */
function liveFigures({ connection, counts, slicesPlanned }: LiveRun): RunFigures {
  const { requests, retries, ...traffic } = connection.statistics();
  const pace = connection.pace();
  return {
    planned: { slices: slicesPlanned },
    actual: { ...traffic, retries: { ...retries }, ...counts, requests: requests - pace.inFlight },
    pace: { ...pace },
    failed: undefined,
  };
}

/** Rows, files and coverage of the tables of these chains; none before their first commit. */
function tableFigures(
  root: string,
  chains: Chains,
  effects: Effects,
): Promise<PipelineFigures['tables']> {
  return withLake({ root, chains, run: 'metrics', effects }, async (lake) => {
    const tables = await tablesOf(lake, chains);
    return tables.map(({ coverage, ...table }) => {
      const statuses = grouped(coverage, ({ status }) => status);
      const keyBlocks = [...statuses].map(([status, lists]) => {
        return [status, lists.reduce((sum, list) => sum + list.keyBlocks, 0)] as const;
      });
      return { ...table, keyBlocks: Object.fromEntries(keyBlocks) };
    });
  });
}

/** Records that wait in quarantine, by chain. */
async function quarantineFacts(root: string, effects: Effects): Promise<Record<string, number>> {
  const waiting: Record<string, number> = {};
  for (const { chain, isWaiting } of await keptIn(root, effects)) {
    waiting[chain] = (waiting[chain] ?? 0) + (isWaiting ? 1 : 0);
  }
  return waiting;
}
