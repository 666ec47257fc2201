import type { Effects, LogLevel } from '../../effects.ts';
import type { CommandPlace } from '../../fault.ts';
import { withAddresses } from '../../land/places/mounts.ts';
import { systemEffects } from '../../system.ts';
import type { LogArguments } from './options.ts';

/**
 * Where a verb writes: results on stdout, everything else on stderr. The version is that of the
 * JSON documents the verbs print. The place is that of the commands in its lines.
 */
export interface Console extends CommandPlace {
  out(text: string, tone?: Tone): void;
  /** Prints a message; the level decides whether --quiet shows it. */
  note(text: string, level?: NoteLevel, fields?: NoteFields): void;
  /** The clock and the other effects of the process; warnings of their log are messages. */
  readonly effects: Effects;
  readonly isJson: boolean;
  /** Whether stderr is a terminal, where progress may be drawn. */
  readonly isTerminal: boolean;
  /** Width of the terminal in columns. */
  readonly columns: number;
  /** Width that tables must fit into; absent where stdout is not a terminal. */
  readonly tableWidth?: number;
  /** The last line of that terminal, for progress. */
  readonly statusLine?: StatusLine;
  /** Absent where no log can be written. */
  readonly log?: RunLog;
}

/** The colour of a text on a terminal: green, yellow or red. */
export type Tone = 'good' | 'warn' | 'error';

/** Info by default. */
export type NoteLevel = LogLevel | 'error';

/** Values of a message for programs. They must not hold secrets. */
export type NoteFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The log of a process, and its quiet mode. */
export interface RunLog {
  /** Takes the options of the command line. */
  configure(options: LogArguments, verb: string): void;
  /** Names the run that later messages are about. */
  about(run: string): void;
  /** A message for the log alone; on stderr it appears only with --log-format. */
  event(text: string, fields: NoteFields): void;
  /** From now on, results are reports of work, which --quiet holds back. */
  work(): void;
  /** Whether `work` was called. */
  readonly isWork: boolean;
  /** Work has ended: prints the results held back, unless all is well. */
  settle(exitCode: number): void;
}

const DEFAULT_COLOUR = '\u001b[39m';
const COLOURS: ReadonlyMap<string | undefined, string> = new Map([
  ['good', '\u001b[32m'],
  ['warn', '\u001b[33m'],
  ['error', '\u001b[31m'],
]);

/** Uses the streams of the process by default. */
export function systemConsole(
  isJson: boolean,
  stdout: TextStream = process.stdout,
  stderr: TextStream = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
  every = systemEffects('warn').every,
): Console {
  const isColoured = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const line = (text: string, stream: TextStream, tone?: NoteLevel | Tone): void => {
    const colour = isColoured && stream.isTTY === true ? COLOURS.get(tone) : undefined;
    const plain = shown(withAddresses(text), stream);
    stream.write(colour === undefined ? `${plain}\n` : `${colour}${plain}${DEFAULT_COLOUR}\n`);
  };
  const statusLine = new StatusLine(stderr, every);
  const note = (text: string, level?: NoteLevel): void =>
    statusLine.above(text, () => line(text, stderr, level));
  // A terminal without a window, as in containers, says that it has no columns.
  const width = stdout.columns || undefined;
  return {
    out: (text, tone) => statusLine.above('', () => line(text, stdout, tone)),
    note,
    effects: systemEffects('warn', env, note),
    isJson,
    isTerminal: stderr.isTTY === true,
    columns: width ?? 100,
    ...(stdout.isTTY === true && width !== undefined ? { tableWidth: width } : {}),
    statusLine,
  };
}

/** `\u001b`, which is valid in JSON, too. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A terminal gets control characters in readable form; tabs and the ends of lines stay. */
function shown(text: string, { isTTY }: TextStream): string {
  return isTTY === true ? text.replace(/(?![\n\t])\p{Cc}/gu, escaped) : text;
}

/** 12345.6 as `12,346`. */
export function counted(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A number and its noun: `1 slice`, `2,000 slices`, `3 hashes`, `4 entries`. */
export function many(count: number, noun: string): string {
  const plural = noun.replace(/sh$/, '$&e').replace(/try$/, 'trie');
  return `${counted(count)} ${Math.round(count) === 1 ? noun : `${plural}s`}`;
}

/** A range of blocks: `1,000 to 1,999`. */
export function heights(interval: { readonly from: number; readonly to: number }): string {
  return `${counted(interval.from)} to ${counted(interval.to)}`;
}

/** The part of a stream that a status line needs; `process.stderr` has it. */
interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Current width of a terminal. */
  readonly columns?: number;
}

const DEFAULT_COLUMNS = 80;
/** Room for the `^C` that terminals echo, so that it does not start a new line. */
const SPARE_COLUMNS = 3;
const ERASE_LINE = '\r\u001b[K';

/**
 * The last line of a terminal, which is redrawn, and the lines above it. The cursor is never
 * hidden, so a killed process leaves at most one line of text.
 */
class StatusLine {
  readonly #stream: TextStream;
  readonly #every: Effects['every'];
  #text = '';
  #stopCounting: (() => void) | undefined;

  constructor(stream: TextStream, every: Effects['every']) {
    this.#stream = stream;
    this.#every = every;
  }

  /** Columns that a status can fill. */
  get columns(): number {
    return Math.max(1, (this.#stream.columns || DEFAULT_COLUMNS) - SPARE_COLUMNS);
  }

  /** Draws the status, cut to one line; '' removes it. Does nothing outside a terminal. */
  show(text: string): void {
    this.#stopCounting?.();
    this.#draw(text);
  }

  #draw(text: string): void {
    if (this.#stream.isTTY !== true) return;
    const cut = text.slice(0, this.columns);
    if (cut === '' && this.#text === '') return;
    this.#text = cut;
    this.#stream.write(ERASE_LINE + cut);
  }

  /** Runs `print`, which writes whole lines above the status. A note with `...` begins a clock. */
  above(note: string, print: () => void): void {
    this.#stopCounting?.();
    if (this.#text !== '') this.#stream.write(ERASE_LINE);
    print();
    if (this.#text !== '') this.#stream.write(this.#text);
    else if (note.endsWith('...')) this.#count();
  }

  #count(): void {
    let seconds = 0;
    const stop = this.#every?.(1000, () => {
      seconds += 1;
      this.#draw(`${seconds} s`);
    });
    this.#stopCounting = () => {
      this.#stopCounting = undefined;
      stop?.();
      this.#draw('');
    };
  }
}
