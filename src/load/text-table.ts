const MAX_CELL = 66;

/**
 * Rows as a table for a terminal: numbers to the right, long text cut in the middle. Control
 * characters are escaped, because symbols and names are chosen by strangers.
 */
export function textTable(
  columns: readonly { readonly name: string; readonly type: string }[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const cells = rows.map((row) => columns.map(({ name }) => shown(row[name])));
  const widths = columns.map(({ name }, i) =>
    Math.max(shown(name).length, ...cells.map((row) => row[i]?.length ?? 0)),
  );
  const isNumber = columns.map(({ type }) => /INT|DECIMAL|DOUBLE|FLOAT|BIGNUM/.test(type));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => (isNumber[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const count = rows.length === 1 ? '1 row' : `${rows.length} rows`;
  return [
    line(columns.map(({ name }) => shown(name))),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...cells.map(line),
    `(${count})`,
  ].join('\n');
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
  if (safe.length <= MAX_CELL) return safe;
  return `${safe.slice(0, MAX_CELL / 2)}…${safe.slice(1 - MAX_CELL / 2)}`;
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
