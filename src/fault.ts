/**
 * The kind of a failure. It decides the exit code, which schedulers use: 1 failed, 2 usage or
 * configuration, 3 partial, 5 locked, 130 interrupted.
 */
export type FaultKind =
  | 'usage'
  | 'configuration'
  | 'unreachable'
  | 'authentication'
  | 'refused'
  | 'throttled'
  | 'port-taken'
  | 'lake'
  | 'query'
  | 'limited'
  | 'locked'
  | 'interrupted';

const EXIT_CODES: Record<FaultKind, 1 | 2 | 3 | 5 | 130> = {
  usage: 2,
  configuration: 2,
  unreachable: 1,
  authentication: 1,
  refused: 1,
  throttled: 1,
  'port-taken': 1,
  lake: 1,
  query: 2,
  limited: 3,
  locked: 5,
  interrupted: 130,
};

/**
 * The next step for the reader: a sentence, or a sentence and the command that takes the step. The
 * command works on a data root, which is added where the advice is printed, and the word PIPELINE
 * in it stands for a pipeline, which is named there.
 */
export type Advice = string | { readonly text: string; readonly command: string };

/** The data root and the pipeline file of commands; without a file, PIPELINE stays. */
export interface CommandPlace {
  readonly root?: string;
  readonly pipeline?: string | undefined;
}

/** Advice in one line, whose command can be typed at this place. */
export function adviceText(advice: Advice, place: CommandPlace = {}): string {
  if (typeof advice === 'string') return advice;
  return `${advice.text} Run: ${typed(advice.command, place)}`;
}

function typed(command: string, { root, pipeline }: CommandPlace): string {
  const name = pipeline === undefined ? 'PIPELINE' : shellQuoted(pipeline);
  return command.replace('PIPELINE', () => name) + dataOption(root);
}

export interface FaultDetails {
  /** The location of the cause, as `file:line:column` or a path. */
  readonly where?: string | undefined;
  readonly advice: Advice;
  readonly cause?: unknown;
}

/** An error with a message, a location and advice. The CLI prints all three. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly where: string | undefined;
  readonly remedy: Advice;
  /** The remedy as text. */
  readonly advice: string;

  constructor(kind: FaultKind, message: string, details: FaultDetails) {
    super(message, { cause: details.cause });
    this.name = 'Fault';
    this.kind = kind;
    this.where = details.where;
    this.remedy = details.advice;
    this.advice = adviceText(details.advice);
  }

  /** This fault, whose command can be typed at this place. */
  at(place: CommandPlace): Fault {
    const { kind, message, where, remedy, cause } = this;
    if (typeof remedy === 'string') return this;
    const advice = { ...remedy, command: typed(remedy.command, place) };
    return new Fault(kind, message, { where, advice, cause });
  }

  get exitCode(): 1 | 2 | 3 | 5 | 130 {
    return EXIT_CODES[this.kind];
  }

  /**
   * One paragraph: where, message, advice, whose command can be typed at `place`. The advice has a
   * line of its own after a message of several lines: the last may be a caret that points upwards.
   */
  paragraph(place: CommandPlace = {}): string {
    const where = this.where === undefined ? '' : `${this.where}: `;
    const separator = this.message.includes('\n') ? '\n' : ' ';
    return `${where}${this.message}${separator}${adviceText(this.remedy, place)}`;
  }
}

/** The message of anything that was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The data root of commands that name none. */
export const DEFAULT_ROOT = 'data';

/** ` --data DIR`; '' for the default data root. */
export function dataOption(root: string = DEFAULT_ROOT): string {
  return root === DEFAULT_ROOT ? '' : ` --data ${shellQuoted(root)}`;
}

/** A path as one word of a POSIX shell. */
export function shellQuoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
