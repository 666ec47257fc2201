import type { Argv } from 'yargs';
import { DEFAULT_ROOT } from '../../fault.ts';

/** Options that several verbs share, word for word. */

export const data = {
  type: 'string',
  default: DEFAULT_ROOT,
  describe: 'Data root: the folder of the lake, the warehouse and the reports',
} as const;

export const asOf = {
  'as-of': {
    type: 'string',
    describe:
      'Answer from the versions of this time, e.g. 2026-01-31 or 2026-01-31T12:00, of the end of ' +
      'this run, or of this version of a raw table, e.g. transactions@12',
  },
} as const;

export const EXIT_CODES =
  'Exit codes: 0 ok, 1 failed, 2 usage or configuration, 3 partial, 4 checks failed, 5 locked, ' +
  '130 interrupted.';

/** Every help ends with the exit codes. */
export function withExitCodes<T>(args: Argv<T>): Argv<T> {
  return args.epilogue(EXIT_CODES);
}

/** Options that replace parts of a pipeline file. */
export const overrides = {
  'source-url': { type: 'string', describe: 'Base URL of the service, instead of source.url' },
  addresses: {
    type: 'string',
    describe: 'CSV file of addresses, for all key sets of the pipeline',
  },
  blocks: {
    type: 'string',
    describe:
      'Blocks A:B of the primary chain, inclusive, as in 16M:17M, 16M:+1000, 16M: or -1000:',
  },
  'max-wait': {
    type: 'string',
    describe: 'Longest wait for a lock, a quota or the service, e.g. 90s, 15m or 2h (default 1d)',
  },
  'zone-blocks': {
    type: 'string',
    describe: 'Blocks A:B of the zone chain, inclusive, in the same forms',
  },
} as const;

export const metricsOptions = {
  'metrics-file': {
    type: 'string',
    requiresArg: true,
    describe: 'Write metrics for Prometheus to this file (*.prom) at the end of each run',
  },
  'metrics-port': {
    type: 'string',
    requiresArg: true,
    describe: 'Serve metrics for Prometheus on this port meanwhile, e.g. 9464 or 0.0.0.0:9464',
  },
} as const;

/** Bounds of one run, which replace those of the pipeline. */
export const limits = {
  'max-requests': { type: 'string', describe: 'End after this many requests; run again to go on' },
  'stop-within': {
    type: 'string',
    describe: 'Longest time for open slices after an interruption, e.g. 10s (default 30s)',
  },
  for: { type: 'string', describe: 'End after this time, e.g. 10m; run again to go on' },
} as const;

/** A pipeline, and options that replace parts of it. */
export function withPipeline<T>(args: Argv<T>) {
  return withExitCodes(args)
    .positional('pipeline', {
      type: 'string',
      demandOption: true,
      describe: 'A pipeline file',
    })
    .options({ data, ...overrides });
}

export const onlyDatasets = {
  only: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'Only these datasets, separated by commas; or repeat the option',
  },
} as const;

const LOG_FORMATS = ['text', 'json'] as const;

/** Options of every verb that has no log of its own. */
export interface LogArguments {
  readonly quiet?: boolean | undefined;
  readonly log?: string | undefined;
  readonly logFormat?: (typeof LOG_FORMATS)[number] | undefined;
}

export const logOptions = {
  quiet: {
    type: 'boolean',
    default: false,
    describe: 'Print nothing when all is well; errors and warnings still go to stderr',
  },
  log: {
    type: 'string',
    requiresArg: true,
    describe: 'Append messages to this file, with times and the run',
  },
  'log-format': {
    choices: LOG_FORMATS,
    describe: 'Form of the messages in --log, or without it on stderr',
  },
} as const;

/** Their values among those of a verb. */
export function logArguments(given: Readonly<Record<string, unknown>>): LogArguments {
  const { quiet, log, logFormat } = given;
  return {
    quiet: quiet === true,
    log: typeof log === 'string' ? log : undefined,
    logFormat: LOG_FORMATS.find((each) => each === logFormat),
  };
}
