import type { Effects } from '../../effects.ts';
import { withAddresses } from '../../land/places/mounts.ts';
import { visibleText } from '../../load/query/text-table.ts';
import { runName } from '../../run/job/run-name.ts';
import { systemEffects } from '../../system.ts';
import type { Console, NoteFields, NoteLevel, RunLog } from '../terminal/console.ts';
import { logFile } from './log-file.ts';

const IMPORTANT: readonly NoteLevel[] = ['warn', 'error'];

/** Messages in a format, to a file or to stderr. */
interface LogTarget {
  readonly format: LineFormat;
  readonly isFile: boolean;
  write(lines: string): void;
}

/**
 * A console whose messages can also go to a log (`--log`, `--log-format`), and that can be quiet
 * (`--quiet`). It behaves like the console that it is made from until `configure` is called.
 */
export function loggedConsole(
  plain: Console,
  effects: Pick<Effects, 'now'> = plain.effects,
): Console {
  let isQuiet = false;
  let isWork = false;
  let target: LogTarget | undefined;
  let verb = '';
  let run = '';
  const held: string[] = [];

  const record = (text: string, level: NoteLevel, fields: NoteFields = {}): void => {
    const line = { level, atMs: effects.now(), run, verb, text: withAddresses(text), fields };
    target?.write(target.format(line));
  };
  const isPlain = (): boolean => target === undefined || target.isFile;
  const note = (text: string, level: NoteLevel = 'info', fields?: NoteFields): void => {
    const isShown = !isQuiet || IMPORTANT.includes(level);
    if (!isPlain() && !isShown) return;
    record(text, level, fields);
    if (isPlain() && isShown) plain.note(text, level);
  };

  const log: RunLog = {
    configure: (options, name) => {
      isQuiet = options.quiet === true;
      verb = name;
      run = runName(effects);
      if (options.log === undefined && options.logFormat === undefined) return;
      const format = options.logFormat === 'json' ? jsonLine : textLines;
      if (options.log === undefined) {
        const write = (lines: string): void => plain.note(lines.replace(/\n$/, ''));
        target = { format, isFile: false, write };
        return;
      }
      const write = logFile(options.log, (reason) => {
        plain.note(`The log ${options.log} cannot be written: ${reason}. The work continues.`);
      });
      target = { format, isFile: true, write };
    },
    about: (name) => {
      run = name;
    },
    event: (text, fields) => {
      if (!isQuiet || target?.isFile === true) record(text, 'info', fields);
    },
    work: () => {
      isWork = true;
    },
    get isWork() {
      return isWork;
    },
    settle: (exitCode) => {
      if (exitCode !== 0) for (const text of held) plain.out(text);
      held.length = 0;
    },
  };
  return {
    ...plain,
    out: (text, tone) => {
      const isReport = isWork && !plain.isJson;
      if (isReport && target?.isFile === true) record(text, 'info');
      if (isReport && isQuiet) held.push(text);
      else plain.out(text, tone);
    },
    note,
    effects: systemEffects('warn', process.env, note),
    get isTerminal() {
      return plain.isTerminal && !isQuiet && isPlain();
    },
    log,
  };
}

/** One message of the log. */
interface LogEntry {
  readonly level: NoteLevel;
  readonly atMs: number;
  /** The run that the message is about; of verbs that are no runs, a name of this process. */
  readonly run: string;
  readonly verb: string;
  readonly text: string;
  readonly fields: NoteFields;
}

/** A message as whole lines, with their line ends. */
type LineFormat = (entry: LogEntry) => string;

/** `2026-01-02T03:04:05.678Z WARN 20260102T030405Z-1f2e3d text`, for every line of the text. */
function textLines({ level, atMs, run, text, fields }: LogEntry): string {
  const head = `${new Date(atMs).toISOString()} ${level.toUpperCase()} ${run}`;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const lines = [...text.split('\n'), ...(pairs.length === 0 ? [] : [pairs.join(' ')])];
  return lines.map((line) => `${head} ${visibleText(line)}\n`).join('');
}

/** One JSON object per message. */
function jsonLine({ level, atMs, run, verb, text, fields }: LogEntry): string {
  const time = new Date(atMs).toISOString();
  return `${JSON.stringify({ level, time, run, verb, ...fields, msg: text })}\n`;
}
