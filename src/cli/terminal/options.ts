import type { InferredOptionType, Options } from 'yargs';
import { DEFAULT_ROOT } from '../../fault.ts';

/** Options and positional arguments of a verb, by their names in camel case. */
export type OptionTable = Readonly<Record<string, Options>>;

/**
 * The options of a verb. The parser, the type of its arguments, its help, the completion and the
 * refusals of other options are made from this table.
 */
export interface VerbOptions<T extends OptionTable = OptionTable> {
  readonly options: T;
  /** Meanings of command lines, in which $0 is the program. */
  readonly examples: Readonly<Record<string, string>>;
}

/** Names of the options that have no default. */
type Optional<T extends OptionTable> = {
  [K in keyof T]: undefined extends InferredOptionType<T[K]> ? K : never;
}[keyof T];

/** Values of the options, which are absent where an option has no default. */
type Values<T extends OptionTable> = {
  readonly [K in Exclude<keyof T, Optional<T>>]: InferredOptionType<T[K]>;
} & { readonly [K in Optional<T>]?: InferredOptionType<T[K]> };

export type Arguments<V extends VerbOptions> = Values<V['options']>;

const TEXT = { type: 'string', requiresArg: true } as const;

type TextOption<D> = typeof TEXT & (D extends string ? { default: string } : object);

/** An option with a value. */
export function textOption<D = undefined>(describe: string, fallback?: D): TextOption<D> {
  const option: Options = { ...TEXT, describe };
  if (fallback !== undefined) option.default = fallback;
  return option as TextOption<D>;
}

/** An option without a value. */
export function toggle(describe: string, isOn = false) {
  return { type: 'boolean', default: isOn, describe } as const;
}

/** An option that may be repeated. */
export function list(describe: string) {
  return { ...TEXT, array: true, describe } as const;
}

/** An option with one of these values. */
export function choice<C extends string>(describe: string, choices: readonly C[]) {
  return { choices, requiresArg: true, describe } as const;
}

/** A positional argument that a line must have. */
export function needed<O extends object>(option: O) {
  return { ...option, demandOption: true } as const;
}

/** All further positional arguments. */
export function rest(describe: string) {
  return { ...list(describe), default: [] as string[] } as const;
}

/** The option as it is typed: `--dry-run` for dryRun. */
export function optionName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

// Options that several verbs share, word for word.
export const data = textOption(
  'Data root: the folder of the lake, the warehouse and the reports',
  DEFAULT_ROOT,
);

export const asOf = textOption(
  'Answer from the versions of this time, e.g. 2026-01-31 or 2026-01-31T12:00, of the end of ' +
    'this run, or of this version of a raw table, e.g. transactions@12',
);

export const EXIT_CODES =
  'Exit codes: 0 ok, 1 failed, 2 usage or configuration, 3 partial, 4 checks failed, 5 locked, ' +
  '130 interrupted.';

/** Options that replace parts of a pipeline file. */
export const overrides = {
  sourceUrl: textOption('Base URL of the service, instead of source.url'),
  addresses: textOption('CSV file of addresses, for all key sets of the pipeline'),
  blocks: textOption(
    'Blocks A:B of the primary chain, inclusive, as in 16M:17M, 16M:+1000, 16M: or -1000:',
  ),
  maxWait: textOption(
    'Longest wait for a lock, a quota or the service, e.g. 90s, 15m or 2h (default 1d)',
  ),
  zoneBlocks: textOption('Blocks A:B of the zone chain, inclusive, in the same forms'),
};

export const metricsOptions = {
  metricsFile: textOption(
    'Write metrics for Prometheus to this file (*.prom) at the end of each run',
  ),
  metricsPort: textOption(
    'Serve metrics for Prometheus on this port meanwhile, e.g. 9464 or 0.0.0.0:9464',
  ),
};

/** Bounds of one run, which replace those of the pipeline. */
export const limits = {
  maxRequests: textOption('End after this many requests; run again to go on'),
  stopWithin: textOption(
    'Longest time for open slices after an interruption, e.g. 10s (default 30s)',
  ),
  for: textOption('End after this time, e.g. 10m; run again to go on'),
};

export const queue = textOption(
  'Redis whose workers share the work, as in redis://127.0.0.1:6379/0 (see windrow worker)',
);

/** A pipeline, and options that replace parts of it. */
export const pipelineOptions = {
  pipeline: needed(textOption('A pipeline file')),
  data,
  ...overrides,
};

export const only = list('Only these datasets, separated by commas; or repeat the option');

/** Options of every verb that has no log of its own. */
export const logOptions = {
  quiet: toggle('Print nothing when all is well; errors and warnings still go to stderr'),
  log: textOption('Append messages to this file, with times and the run'),
  logFormat: choice('Form of the messages in --log, or without it on stderr', ['text', 'json']),
};

export type LogArguments = Partial<Values<typeof logOptions>>;
