import type { RunHistory } from '../../land/reports/run-history.ts';
import type { RunReport } from '../../land/reports/run-reports.ts';

/** The parts of a report with figures of its run. */
export type RunFigures = Pick<RunReport, 'planned' | 'actual' | 'pace' | 'failed'>;

/** Everything that the metrics of a pipeline are made from. */
export interface PipelineFigures {
  readonly pipeline: string;
  readonly version: string;
  /** The run under way, as its report will state it, or else the last one. */
  readonly run: RunFigures | undefined;
  readonly isUnderWay: boolean;
  readonly history: Pick<RunHistory, 'last' | 'lastSuccessMs' | 'heads'>;
  readonly tables: readonly {
    readonly chain: string;
    readonly dataset: string;
    readonly rows: number;
    readonly files: number;
    readonly bytes: number;
    /** Blocks times keys, by status. */
    readonly keyBlocks: Readonly<Record<string, number>>;
  }[];
  /** Records that wait in quarantine, by chain. */
  readonly quarantine: Readonly<Record<string, number>>;
}

/** The values of the labels, and that of the figure behind them; one that is not known. */
type Sample = readonly [...labels: string[], value: number | null | undefined];

/** One metric: a gauge with its samples. All samples also have the label `pipeline`. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  samples(figures: PipelineFigures): readonly Sample[];
}

/** All metrics of a pipeline. docs/logs-and-metrics.md lists them. */
export const FAMILIES: readonly Family[] = [
  family('build_info', 'Version of windrow; the value is 1.', ['version'], ({ version }) => [
    [version, 1],
  ]),
  single('run_under_way', '1 while a run is under way.', ({ run, isUnderWay }) => {
    return run && Number(isUnderWay);
  }),
  single('last_run_exit_code', 'Exit code of the last run.', ({ history: { last } }) => {
    return last?.exitCode;
  }),
  single('last_run_start_timestamp_seconds', 'Start of the last run.', ({ history: { last } }) => {
    return seconds(Date.parse(last?.startedAt ?? ''));
  }),
  single('last_run_end_timestamp_seconds', 'End of the last run.', ({ history: { last } }) => {
    return seconds(Date.parse(last?.endedAt ?? ''));
  }),
  single(
    'last_success_timestamp_seconds',
    'End of the last run with exit code 0.',
    ({ history: { lastSuccessMs } }) => seconds(lastSuccessMs),
  ),
  family(
    'run_requests',
    'Requests of this run or the last one, by outcome.',
    ['outcome'],
    ({ run }) => {
      if (run === undefined) return [];
      const { requests = 0, replies = 0, rejections = 0 } = run.actual ?? {};
      const failed = Math.max(0, requests - replies - rejections);
      return Object.entries({ answered: replies, rejected: rejections, failed });
    },
  ),
  family(
    'run_retries',
    'Requests that were repeated in this run or the last one, by cause.',
    ['cause'],
    ({ run }) => Object.entries(run?.actual?.retries ?? {}),
  ),
  counted('run_received_bytes', 'Bytes of decoded answers.', 'bytes'),
  single('run_slices_planned', 'Slices in the plan.', ({ run }) => run?.planned?.slices),
  counted('run_slices', 'Slices that were walked.', 'slices'),
  single('run_failed_slices', 'Slices that failed.', ({ run }) => run && (run.failed ?? []).length),
  counted('run_commits', 'Commits to the lake.', 'commits'),
  counted('run_rows', 'Rows that landed.', 'rows'),
  counted('run_rows_replaced', 'Older rows that were replaced.', 'rowsReplaced'),
  counted('run_quarantined_records', 'Records that broke their contract.', 'quarantined'),
  single('request_rate_per_second', 'Requests per second that the pacer allows.', ({ run }) => {
    return run?.pace?.ratePerSecond;
  }),
  single('request_limit_per_second', 'Learned limit of the service.', ({ run }) => {
    return run?.pace?.ceilingPerSecond;
  }),
  ofHeads('head_block', 'Newest block that a run has seen.', ({ head }) => head),
  ofHeads('final_block', 'Newest final block.', ({ safe }) => safe - 1),
  ofHeads('lag_blocks', 'Blocks from the last one read to the head.', ({ lagBlocks }) => lagBlocks),
  ofHeads('head_read_timestamp_seconds', 'When the head was read.', ({ atMs }) => seconds(atMs)),
  ofTables('table_rows', 'Rows of a raw table.', 'rows'),
  ofTables('table_files', 'Data files of a raw table.', 'files'),
  ofTables('table_bytes', 'Size of a raw table.', 'bytes'),
  family(
    'coverage_key_blocks',
    'Blocks times keys of the lists of a dataset, by status.',
    ['chain', 'dataset', 'status'],
    ({ tables }) =>
      tables.flatMap(({ chain, dataset, keyBlocks }) =>
        Object.entries(keyBlocks).map(
          ([status, value]) => [chain, dataset, status, value] as const,
        ),
      ),
  ),
  family('quarantine_records', 'Records that wait in quarantine.', ['chain'], ({ quarantine }) =>
    Object.entries(quarantine),
  ),
  family(
    'check_findings',
    'Findings of the checks of the last run.',
    ['check', 'severity'],
    ({ history: { last } }) =>
      (last?.checks ?? []).map(({ check, severity, findings }) => [check, severity, findings]),
  ),
];

function family(
  name: string,
  help: string,
  labels: readonly string[],
  samples: Family['samples'],
): Family {
  return { name: `windrow_${name}`, help, labels, samples };
}

function single(
  name: string,
  help: string,
  value: (figures: PipelineFigures) => number | null | undefined,
): Family {
  return family(name, help, [], (figures) => [[value(figures)]]);
}

type Count = 'bytes' | 'slices' | 'commits' | 'rows' | 'rowsReplaced' | 'quarantined';

function counted(name: string, help: string, count: Count): Family {
  return single(name, help, ({ run }) => run && (run.actual?.[count] ?? 0));
}

function ofHeads(
  name: string,
  help: string,
  value: (head: RunHistory['heads'][string]) => number | undefined,
): Family {
  return family(name, help, ['axis'], ({ history: { heads } }) =>
    Object.entries(heads).map(([axis, head]) => [axis, value(head)]),
  );
}

function ofTables(name: string, help: string, size: 'rows' | 'files' | 'bytes'): Family {
  return family(name, help, ['chain', 'dataset'], ({ tables }) =>
    tables.map(({ chain, dataset, [size]: value }) => [chain, dataset, value]),
  );
}

function seconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined || Number.isNaN(timeMs) ? undefined : timeMs / 1000;
}

/** The metrics in the text format of Prometheus. Figures that are not known are left out. */
export async function exposition(figures: PipelineFigures): Promise<string> {
  // Loaded here because few runs have metrics.
  const { default: client } = await import('prom-client');
  const registry = new client.Registry();
  for (const { name, help, labels, samples } of FAMILIES) {
    const values = samples(figures).filter((sample) => sample.at(-1) != null);
    if (values.length === 0) continue;
    const labelNames = ['pipeline', ...labels];
    const gauge = new client.Gauge({ name, help, labelNames, registers: [registry] });
    for (const sample of values) {
      gauge.labels(figures.pipeline, ...sample.slice(0, -1).map(String)).set(Number(sample.at(-1)));
    }
  }
  return registry.metrics();
}
