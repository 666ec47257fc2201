import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Effects } from '../../../src/effects.ts';
import { Fault } from '../../../src/fault.ts';
import type { AnswerLine } from '../server/request-log.ts';

export interface AnswerLog {
  add(line: AnswerLine): void;
  /** Writes the waiting lines. */
  close(): Promise<void>;
}

/** Bytes that may wait for a slow disk or pipe; further lines are dropped and counted. */
const MAX_WAITING_BYTES = 1_048_576;

/**
 * Writes one JSON line per answer to the end of a file, or to stderr for `-`. Throws a
 * Fault('configuration') if the file cannot be written. A later error ends the log, not the
 * service.
 */
export async function answerLog(target: string, effects: Effects): Promise<AnswerLog> {
  const isFile = target !== '-';
  const out: Writable = isFile ? await opened(target) : process.stderr;
  let isBroken = false;
  let leftOut = 0;
  out.on('error', (error) => {
    if (!isBroken) effects.log('warn', `The log of requests has ended: ${error.message}`);
    isBroken = true;
  });
  return {
    add: (line) => {
      if (isBroken) return;
      if (out.writableLength > MAX_WAITING_BYTES) {
        leftOut += 1;
        return;
      }
      const before = leftOut === 0 ? '' : `${JSON.stringify({ time: line.time, leftOut })}\n`;
      leftOut = 0;
      out.write(`${before}${JSON.stringify(line)}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        if (!isFile || isBroken) resolve();
        else out.end(() => resolve());
      }),
  };
}

function opened(file: string): Promise<Writable> {
  return new Promise((resolve, reject) => {
    // Only the owner may read it, because requests are private.
    const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
    stream.once('open', () => resolve(stream));
    stream.once('error', (cause) => {
      reject(
        new Fault('configuration', 'The log of requests cannot be written.', {
          where: file,
          advice: 'Name a file in a folder that exists and that you may write to, or - for stderr.',
          cause,
        }),
      );
    });
  });
}
