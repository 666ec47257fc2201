import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `sql/` lies beside both `src` and `dist`, and in the installed package. */
const SQL = fileURLToPath(new URL('../../sql/', import.meta.url));

export interface SqlFile {
  /** The file's name without its ending: the view, macro or check it is about. */
  readonly name: string;
  readonly sql: string;
  /** The comment at the top, as one text, without its `column:` and `severity:` lines. */
  readonly meaning: string;
  /** From lines `-- column: name | meaning`; a deeper indented line goes on with the one above. */
  readonly columns: ReadonlyMap<string, string>;
  /** From a line `-- severity: error`; '' where there is none. */
  readonly severity: string;
}

/** The files of a folder of `sql/`, in the order of their names. */
export async function sqlFiles(folder: string): Promise<SqlFile[]> {
  const names = (await readdir(`${SQL}${folder}`)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(`${SQL}${folder}/${name}`, 'utf8');
      return { name: basename(name, '.sql'), sql, ...headerOf(sql) };
    }),
  );
}

function headerOf(sql: string): Omit<SqlFile, 'name' | 'sql'> {
  const meaning: string[] = [];
  const columns = new Map<string, string>();
  let severity = '';
  let last: string | undefined;
  for (const line of sql.split('\n')) {
    if (!line.startsWith('--')) break;
    const text = line.slice(2).trim();
    const column = /^column: (\w+) \| (.*)$/.exec(text);
    const level = /^severity: (\w+)$/.exec(text);
    if (column !== null) {
      last = column[1] ?? '';
      columns.set(last, column[2] ?? '');
    } else if (level !== null) severity = level[1] ?? '';
    else if (last !== undefined && line.startsWith('--   ')) {
      columns.set(last, `${columns.get(last)} ${text}`);
    } else meaning.push(text);
  }
  return { meaning: meaning.join(' ').trim(), columns, severity };
}
