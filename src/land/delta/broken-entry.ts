/** A broken log entry: `message` continues "the entry ..."; `line` is 0 for the whole entry. */
export class BrokenEntry extends Error {
  readonly line: number;

  constructor(line: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.line = line;
  }
}
