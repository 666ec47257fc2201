/** The values of a row as texts. */
export type RowValues = readonly (string | null)[];

/** A `\` in JSON and the characters that it escapes, of `\u001f` all. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|.)/g;

/** The text of a row, as DuckDB writes JSON: the hex digits of escapes are upper-case. */
export function rowText(values: RowValues): string {
  return JSON.stringify(values).replace(ESCAPE, (part, digits: string | undefined) => {
    return digits === undefined ? part : `\\u${digits.toUpperCase()}`;
  });
}
