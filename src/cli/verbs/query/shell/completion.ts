export interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

/** Names that the shell completes. */
export interface CompletedNames {
  readonly views: readonly string[];
  /** Columns by view. */
  readonly columns: ReadonlyMap<string, readonly TypedColumn[]>;
  readonly macros: readonly string[];
}

const WORDS = `SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT USING ON AS AND OR NOT IN IS NULL
  DISTINCT HAVING WITH UNION ALL CASE WHEN THEN ELSE END DESC ASC BETWEEN LIKE DESCRIBE SUMMARIZE
  SHOW TABLES count sum avg min max`.split(/\s+/);
const COMMANDS = ['.help', '.mode', '.output', '.quit', '.read', '.schema', '.tables', '.timer'];
const MODES = ['table', 'vertical', 'markdown', 'json'];

/**
 * Completions of the last word of a line, and that word, as readline wants them. After FROM and
 * JOIN they are views; elsewhere, columns of views that the text names come first.
 */
export function completions(
  line: string,
  before: string,
  names: CompletedNames,
): [string[], string] {
  const [word = ''] = /[\w.]*$/.exec(line) ?? [];
  const start = line.slice(0, line.length - word.length).trimStart();
  if (start === '' && before === '' && word.startsWith('.'))
    return [starting(COMMANDS, word), word];
  if (/^\.mode\s+$/.test(start)) return [starting(MODES, word), word];
  if (/^\.schema\s+$/.test(start)) return [starting(names.views, word), word];
  if (/\b(FROM|JOIN)\s+$/i.test(start)) return [starting(names.views, word), word];
  const text = `${before}\n${line}`;
  const named = names.views.filter((view) => new RegExp(`\\b${view}\\b`, 'i').test(text));
  const near = named.flatMap((view) => names.columns.get(view) ?? []);
  const columns = near.length > 0 ? near : [...names.columns.values()].flat();
  const columnNames = columns.map(({ name }) => name);
  return [starting([...columnNames, ...names.macros, ...names.views, ...WORDS], word), word];
}

/** Candidates that start like a word, in any case, each once. */
function starting(candidates: readonly string[], word: string): string[] {
  const wanted = word.toLowerCase();
  return [...new Set(candidates.filter((candidate) => candidate.toLowerCase().startsWith(wanted)))];
}
