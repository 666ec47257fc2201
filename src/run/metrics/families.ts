import type { KnownHead } from '../../land/reports/run-history.ts';
import type { RunReport } from '../../land/reports/run-reports.ts';
import type { PipelineFigures, RunFigures, TableFigures } from './figures.ts';

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** One metric: a gauge with its samples. All samples also have the label `pipeline`. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  samples(of: PipelineFigures): readonly Sample[];
}

/** All metrics of a pipeline. docs/logs-and-metrics.md lists them. */
export const FAMILIES: readonly Family[] = [
  {
    name: 'windrow_build_info',
    help: 'Version of windrow; the value is 1.',
    labels: ['version'],
    samples: ({ version }) => [{ labels: { version }, value: 1 }],
  },
  single('windrow_run_under_way', '1 while a run is under way.', ({ run, isUnderWay }) => {
    return run && Number(isUnderWay);
  }),
  ofLast('windrow_last_run_exit_code', 'Exit code of the last run.', ({ exitCode }) => {
    return exitCode ?? undefined;
  }),
  ofLast('windrow_last_run_start_timestamp_seconds', 'Start of the last run.', (last) => {
    return seconds(Date.parse(last.startedAt));
  }),
  ofLast('windrow_last_run_end_timestamp_seconds', 'End of the last run.', ({ endedAt = '' }) => {
    return seconds(Date.parse(endedAt));
  }),
  single(
    'windrow_last_success_timestamp_seconds',
    'End of the last run with exit code 0.',
    ({ history }) => seconds(history.lastSuccessMs),
  ),
  {
    name: 'windrow_run_requests',
    help: 'Requests of this run or the last one, by outcome.',
    labels: ['outcome'],
    samples: ({ run }) => (run === undefined ? [] : labelled('outcome', requestsOf(run))),
  },
  {
    name: 'windrow_run_retries',
    help: 'Requests that were repeated in this run or the last one, by cause.',
    labels: ['cause'],
    samples: ({ run }) => labelled('cause', run?.actual?.retries ?? {}),
  },
  counted('windrow_run_received_bytes', 'Bytes of decoded answers.', 'bytes'),
  ofRun('windrow_run_slices_planned', 'Slices in the plan.', ({ planned }) => planned?.slices),
  counted('windrow_run_slices', 'Slices that were walked.', 'slices'),
  ofRun('windrow_run_failed_slices', 'Slices that failed.', ({ failed = [] }) => failed.length),
  counted('windrow_run_commits', 'Commits to the lake.', 'commits'),
  counted('windrow_run_rows', 'Rows that landed.', 'rows'),
  counted('windrow_run_rows_replaced', 'Older rows that were replaced.', 'rowsReplaced'),
  counted('windrow_run_quarantined_records', 'Records that broke their contract.', 'quarantined'),
  ofRun('windrow_request_rate_per_second', 'Requests per second that the pacer allows.', (run) => {
    return run.pace?.ratePerSecond;
  }),
  ofRun('windrow_request_limit_per_second', 'Learned limit of the service.', ({ pace }) => {
    return pace?.ceilingPerSecond ?? undefined;
  }),
  ofHeads('windrow_head_block', 'Newest block that a run has seen.', ({ head }) => head),
  ofHeads('windrow_final_block', 'Newest final block.', ({ safe }) => safe - 1),
  ofHeads('windrow_lag_blocks', 'Blocks from the last one read to the head.', ({ lagBlocks }) => {
    return lagBlocks;
  }),
  ofHeads('windrow_head_read_timestamp_seconds', 'When the head was read.', ({ atMs }) => {
    return seconds(atMs);
  }),
  ofTables('windrow_table_rows', 'Rows of a raw table.', ({ rows }) => rows),
  ofTables('windrow_table_files', 'Data files of a raw table.', ({ files }) => files),
  ofTables('windrow_table_bytes', 'Size of a raw table.', ({ bytes }) => bytes),
  {
    name: 'windrow_coverage_key_blocks',
    help: 'Blocks times keys of the lists of a dataset, by status.',
    labels: ['chain', 'dataset', 'status'],
    samples: ({ tables }) =>
      tables.flatMap(({ chain, dataset, keyBlocks }) =>
        Object.entries(keyBlocks).map(([status, value]) => ({
          labels: { chain, dataset, status },
          value,
        })),
      ),
  },
  {
    name: 'windrow_quarantine_records',
    help: 'Records that wait in quarantine.',
    labels: ['chain'],
    samples: ({ quarantine }) => labelled('chain', quarantine),
  },
  {
    name: 'windrow_check_findings',
    help: 'Findings of the checks of the last run.',
    labels: ['check', 'severity'],
    samples: ({ history }) =>
      (history.last?.checks ?? []).map(({ check, severity, findings }) => ({
        labels: { check, severity },
        value: findings,
      })),
  },
];

function single(
  name: string,
  help: string,
  value: (of: PipelineFigures) => number | undefined,
): Family {
  return { name, help, labels: [], samples: (of) => sampled({}, value(of)) };
}

function ofRun(name: string, help: string, value: (run: RunFigures) => number | undefined): Family {
  return single(name, help, ({ run }) => run && value(run));
}

function ofLast(
  name: string,
  help: string,
  value: (last: RunReport) => number | undefined,
): Family {
  return single(name, help, ({ history: { last } }) => last && value(last));
}

type Count = 'bytes' | 'slices' | 'commits' | 'rows' | 'rowsReplaced' | 'quarantined';

function counted(name: string, help: string, count: Count): Family {
  return ofRun(name, help, ({ actual }) => actual?.[count] ?? 0);
}

/** Requests by outcome. */
function requestsOf({ actual }: RunFigures): Record<string, number> {
  const { requests = 0, replies = 0, rejections = 0 } = actual ?? {};
  const failed = Math.max(0, requests - replies - rejections);
  return { answered: replies, rejected: rejections, failed };
}

function ofHeads(
  name: string,
  help: string,
  value: (head: KnownHead) => number | undefined,
): Family {
  const samples = ({ history }: PipelineFigures): Sample[] =>
    Object.entries(history.heads).flatMap(([axis, head]) => sampled({ axis }, value(head)));
  return { name, help, labels: ['axis'], samples };
}

function ofTables(name: string, help: string, value: (table: TableFigures) => number): Family {
  const samples = ({ tables }: PipelineFigures): Sample[] =>
    tables.map((table) => {
      const { chain, dataset } = table;
      return { labels: { chain, dataset }, value: value(table) };
    });
  return { name, help, labels: ['chain', 'dataset'], samples };
}

function labelled(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function sampled(labels: Labels, value: number | undefined): Sample[] {
  return value === undefined || Number.isNaN(value) ? [] : [{ labels, value }];
}

function seconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : timeMs / 1000;
}
