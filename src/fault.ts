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

/**
 * The number of typing errors that turn `a` into `b`: letters inserted, left out or replaced, and
 * neighbours in the wrong order.
 */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/**
 * The known name that is most similar to the word: the only path that ends with it, or the name at
 * the smallest distance: at most 2, or a third of the letters, and less than half of its own.
 * undefined if no name is that similar.
 */
function nearest(word: string, names: readonly string[]): string | undefined {
  const wanted = letters(word);
  const ending = names.filter((name) => name.endsWith(`/${wanted}`));
  if (ending.length === 1) return ending[0];
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const nameDistance = distance(wanted, letters(name));
    if (nameDistance < bestDistance && nameDistance * 2 < letters(name).length) {
      best = name;
      bestDistance = nameDistance;
    }
  }
  return best;
}

/** A name as it is compared: in lower case, an option without its dashes. */
function letters(name: string): string {
  return name.toLowerCase().replace(/^-+/, '');
}

/** More names than this say nothing to the reader of a message. */
const MOST_NAMES = 60;

/** Advice for an unknown name: the most similar known name, or the known names. */
export function suggestion(word: unknown, names: readonly string[]): string {
  const near = typeof word === 'string' ? nearest(word, names) : undefined;
  if (near !== undefined) return `Did you mean ${near}?`;
  if (names.length === 0) return 'Remove it.';
  const rest = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  return `Allowed here: ${names.slice(0, MOST_NAMES).join(', ')}${rest}.`;
}
