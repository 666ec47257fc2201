/** Where a terminal or a file takes text; `process.stderr` is one. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of a terminal now. */
  readonly columns?: number;
}

const DEFAULT_COLUMNS = 80;
/** Room for the `^C` that terminals echo, so that it starts no line of its own. */
const SPARE_COLUMNS = 3;
const ERASE_LINE = '\r\u001b[K';

/**
 * One line at the end of a terminal that is drawn over again and again, and the lines above it.
 * The cursor is never hidden: a process that is killed leaves at most a line of text.
 */
export class StatusLine {
  readonly #stream: TextStream;
  #text = '';

  constructor(stream: TextStream) {
    this.#stream = stream;
  }

  /** Columns that a status can fill. */
  get columns(): number {
    return Math.max(1, (this.#stream.columns ?? DEFAULT_COLUMNS) - SPARE_COLUMNS);
  }

  /** Draws the status, cut to one line; '' takes it away. Does nothing outside a terminal. */
  show(text: string): void {
    if (this.#stream.isTTY !== true) return;
    const cut = text.slice(0, this.columns);
    if (cut === '' && this.#text === '') return;
    this.#text = cut;
    this.#stream.write(ERASE_LINE + cut);
  }

  /** Runs `print`, which writes whole lines to the same terminal, above the status. */
  above(print: () => void): void {
    if (this.#text !== '') this.#stream.write(ERASE_LINE);
    print();
    if (this.#text !== '') this.#stream.write(this.#text);
  }
}
