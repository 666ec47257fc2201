import { CAPTURED_TABLES } from '../../land/captured-table.ts';
import { namesInPackage, packageText } from '../../land/storage/package-file.ts';

/**
 * A file of `sql/`. Its head is a comment: first prose about a row or a finding, then tags.
 * Indented lines continue the tag before them.
 *
 *     -- severity: error | note
 *     -- columns of: curated or captured table, whose columns but `chain` the file shows, too
 *     -- example: a query over the view, or with the macro
 *     -- also: another name of the view, in the schema before the point
 *     -- for: datasets whose rows a query of evidence reads, see `RuleQuery`
 *     -- column: name | meaning [unit] | source, if it is not obvious
 */
export interface SqlFile {
  /** The file's name without its ending: also the name of what it creates. */
  readonly name: string;
  /** The prose, in one line. */
  readonly meaning: string;
  /** The table whose columns it shows beside its own; '' if there is none. */
  readonly columnsOf: string;
  /** Comments of columns: the meaning, and the source in brackets. */
  readonly columns: ReadonlyMap<string, string>;
  /** '' if there is none. */
  readonly severity: string;
  /** The datasets of a query of evidence, see `RuleQuery`; '' for other files. */
  readonly appliesTo: string;
  /** A query; '' if there is none. Macros without one are parts of other macros and views. */
  readonly example: string;
  /** Another name of the view, with its schema; '' if there is none. */
  readonly alias: string;
  /** The whole file. */
  readonly sql: string;
}

type Folder = 'macros' | 'curated' | 'views' | 'familiar' | 'checks' | 'evidence' | 'examples';

/** The files of one folder of `sql/`, in the order of their names. */
export async function sqlFiles(folder: Folder): Promise<SqlFile[]> {
  const files = namesInPackage(`sql/${folder}`, '.sql').map((name) => fileNamed(folder, name));
  return folder === 'curated' ? files : files.map(withSharedColumns);
}

function fileNamed(folder: Folder, name: string): SqlFile {
  return sqlFile(name, packageText(`sql/${folder}/${name}.sql`));
}

/** The file with the comments of the columns that it shows of a table. */
function withSharedColumns(file: SqlFile): SqlFile {
  if (file.columnsOf === '') return file;
  const captured = CAPTURED_TABLES.find(({ name }) => name === file.columnsOf);
  const columns =
    captured?.columns.map(({ name, comment }) => [name, comment] as const) ??
    fileNamed('curated', file.columnsOf).columns;
  const shown = [...columns].filter(([name]) => name !== 'chain');
  return { ...file, columns: new Map([...shown, ...file.columns]) };
}

/** Reads the head of a file. Throws for a column without a meaning. */
export function sqlFile(name: string, sql: string): SqlFile {
  const prose: string[] = [];
  const tags: { readonly tag: string; value: string }[] = [];
  for (const line of sql.split('\n')) {
    if (!line.startsWith('--')) break;
    const text = line.slice(2);
    const tag = /^ (column|severity|for|columns of|also|example): (.*)$/.exec(text);
    const last = tags.at(-1);
    if (tag !== null) tags.push({ tag: tag[1] ?? '', value: tag[2] ?? '' });
    else if (last !== undefined && text.startsWith('  ')) last.value += ` ${text.trim()}`;
    else if (text.trim() !== '') prose.push(text.trim());
  }
  const valuesOf = (wanted: string): string[] =>
    tags.filter(({ tag }) => tag === wanted).map(({ value }) => value);
  return {
    name,
    meaning: prose.join(' '),
    columns: new Map(valuesOf('column').map((value) => columnComment(name, value))),
    severity: valuesOf('severity')[0] ?? '',
    appliesTo: valuesOf('for')[0] ?? '',
    columnsOf: valuesOf('columns of')[0] ?? '',
    example: valuesOf('example')[0] ?? '',
    alias: valuesOf('also')[0] ?? '',
    sql,
  };
}

/**
 * Sorts files so that each comes after those it reads from or calls. Throws for a cycle.
 */
export function inOrderOfUse(files: readonly SqlFile[]): SqlFile[] {
  const placed: SqlFile[] = [];
  let left = [...files];
  while (left.length > 0) {
    const free = left.filter(
      (file) => !left.some((other) => other !== file && callsOrReads(file, other)),
    );
    if (free.length === 0) throw new Error(`${left.map(({ name }) => name)} use each other`);
    placed.push(...free);
    left = left.filter((file) => !free.includes(file));
  }
  return placed;
}

/** SQL without comments, which begin with `--` and end with the line. */
export function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '');
}

/** Whether a file calls a macro, or reads the view, that another one creates. */
export function callsOrReads({ sql }: SqlFile, other: SqlFile): boolean {
  const body = withoutComments(sql);
  const macros = [...other.sql.matchAll(/^CREATE MACRO (\w+)/gm)].map(([, name]) => name);
  const calls = `(?<![.\\w])(${[other.name, ...macros].join('|')})\\(`;
  return new RegExp(`\\b(FROM|JOIN) ${other.name}\\b|${calls}`).test(body);
}

function columnComment(file: string, value: string): [column: string, comment: string] {
  const [column = '', meaning = '', source] = value.split('|').map((part) => part.trim());
  if (column === '' || meaning === '') throw new Error(`${file} has a column without a meaning`);
  return [column, source === undefined ? meaning : `${meaning} (from ${source})`];
}
