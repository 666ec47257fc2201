import type { Logger } from 'pino';
import type { NoteFields, NoteLevel } from '../terminal/console.ts';

/** One message of the log. */
export interface LogEntry {
  readonly level: NoteLevel;
  readonly atMs: number;
  /** The run that the message is about; of verbs that are no runs, a name of this process. */
  readonly run: string;
  readonly verb: string;
  readonly text: string;
  readonly fields: NoteFields;
}

/** A message as whole lines, with their line ends. */
export type LineFormat = (entry: LogEntry) => string;

/** `2026-01-02T03:04:05.678Z WARN 20260102T030405Z-1f2e3d text`, for every line of the text. */
export function textLines({ level, atMs, run, text, fields }: LogEntry): string {
  const head = `${new Date(atMs).toISOString()} ${level.toUpperCase()} ${run}`;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const lines = [...text.split('\n'), ...(pairs.length === 0 ? [] : [pairs.join(' ')])];
  return lines.map((line) => `${head} ${printable(line)}\n`).join('');
}

/** Control characters in answers of a service must not begin a line or move a cursor. */
function printable(line: string): string {
  return line.replace(/\p{Cc}/gu, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** One JSON object per message, as pino writes it. */
export async function jsonLines(): Promise<LineFormat> {
  // Loaded here because few commands write a log.
  const { default: pino } = await import('pino');
  let line = '';
  let atMs = 0;
  const logger: Logger = pino(
    {
      base: null,
      level: 'debug',
      timestamp: () => `,"time":"${new Date(atMs).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (written) => (line += written) },
  );
  return (entry) => {
    const { level, run, verb, text, fields } = entry;
    line = '';
    atMs = entry.atMs;
    logger[level]({ run, verb, ...fields }, text);
    return line;
  };
}
