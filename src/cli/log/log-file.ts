import { appendFileSync, openSync, statSync } from 'node:fs';
import { Fault, wordsOf } from '../../fault.ts';

/**
 * Opens a file and returns a function that appends whole lines to it. Each line opens the file
 * again: when another program has moved or deleted it, as logrotate does, the next line goes to a
 * new file of the same name. A named pipe stays open, because its reader would end with the first
 * line. `onFailure` is called once, with the reason of the first line that cannot be written.
 * Throws Fault('configuration') where the file cannot be opened.
 */
export function logFile(path: string, onFailure: (reason: string) => void) {
  let file: string | number = path;
  // Only the owner may read a log: its lines name addresses, paths and hosts.
  const append = (text: string): void => appendFileSync(file, text, { mode: 0o600 });
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO() === true) file = openSync(path, 'a');
    append('');
  } catch (cause) {
    throw new Fault('configuration', `The log file cannot be opened: ${wordsOf(cause)}.`, {
      where: path,
      advice: 'Name a file in a folder that exists, with --log FILE, and check its permissions.',
      cause,
    });
  }
  let hasFailed = false;
  return (text: string): void => {
    try {
      append(text);
    } catch (error) {
      // A log that cannot be written is no reason for a run to fail.
      if (!hasFailed) onFailure(wordsOf(error));
      hasFailed = true;
    }
  };
}
