/** One thing that a user of the shell has typed. */
export type Input =
  | { readonly kind: 'query'; readonly sql: string }
  | { readonly kind: 'command'; readonly name: string; readonly argument: string };

/** Strings, quoted names and comments, in which a semicolon ends nothing. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** The start of a string, a name or a comment whose end has not been typed. */
const UNCLOSED = /['"]|\/\*/;

/** Joins lines to statements that end with `;`, and to commands of one line that begin with `.`. */
export class Inputs {
  #lines: string[] = [];

  /** Whether a statement has begun and not ended. */
  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /** Takes a line; undefined while a statement is unfinished. */
  take(line: string): Input | undefined {
    const trimmed = line.trim();
    if (!this.isOpen && trimmed === '') return undefined;
    if (!this.isOpen && trimmed.startsWith('.')) {
      const [name = '', ...rest] = trimmed.slice(1).split(/\s+/);
      return { kind: 'command', name: name.toLowerCase(), argument: rest.join(' ') };
    }
    this.#lines.push(line);
    const text = this.#lines.join('\n');
    const bare = text.replaceAll(QUOTED, (quoted) => (quoted.startsWith('-') ? '' : '_'));
    if (UNCLOSED.test(bare) || !bare.trimEnd().endsWith(';')) return undefined;
    return this.rest();
  }

  /** Ends the open statement without a semicolon; undefined if there is none. */
  rest(): Input | undefined {
    const sql = this.#lines.join('\n').trim();
    this.#lines = [];
    return sql === '' ? undefined : { kind: 'query', sql };
  }
}
