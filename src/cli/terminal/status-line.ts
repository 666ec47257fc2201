/** The part of a stream that a status line needs; `process.stderr` has it. */
export interface TextStream {
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
export class StatusLine {
  readonly #stream: TextStream;
  #text = '';

  constructor(stream: TextStream) {
    this.#stream = stream;
  }

  /** Columns that a status can fill. */
  get columns(): number {
    return Math.max(1, (this.#stream.columns || DEFAULT_COLUMNS) - SPARE_COLUMNS);
  }

  /** Draws the status, cut to one line; '' removes it. Does nothing outside a terminal. */
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
