import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { Fault, wordsOf } from '../../fault.ts';
import { isCode } from '../../land/storage/disk.ts';

/** Only the owner may read a log: its lines name addresses, paths and hosts. */
const MODE = 0o600;

/**
 * A file that lines are appended to. When another program has moved or deleted the file, as
 * logrotate does, the next line goes to a new file of the same name.
 */
export class LogFile {
  readonly #path: string;
  readonly #onFailure: (reason: string) => void;
  #descriptor: number;
  #hasFailed = false;

  /** `onFailure` is called once, with the reason of the first line that cannot be written. */
  constructor(path: string, onFailure: (reason: string) => void) {
    this.#path = path;
    this.#onFailure = onFailure;
    try {
      this.#descriptor = openSync(path, 'a', MODE);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Fault('configuration', `The log file cannot be opened: ${reason}.`, {
        where: path,
        advice: 'Name a file in a folder that exists, with --log FILE, and check its permissions.',
        cause,
      });
    }
  }

  /** Writes whole lines, with one call of the operating system. */
  write(text: string): void {
    try {
      if (this.#isReplaced()) this.#reopen();
      writeSync(this.#descriptor, text);
    } catch (error) {
      // A log that cannot be written is no reason for a run to fail.
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.#onFailure(wordsOf(error));
    }
  }

  #isReplaced(): boolean {
    try {
      const { ino, dev } = statSync(this.#path);
      const open = fstatSync(this.#descriptor);
      return ino !== open.ino || dev !== open.dev;
    } catch (error) {
      return isCode(error, 'ENOENT');
    }
  }

  #reopen(): void {
    const descriptor = openSync(this.#path, 'a', MODE);
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
  }
}
