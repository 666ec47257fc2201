import { readdir, readFile } from 'node:fs/promises';
import { Fault } from '../../fault.ts';
import { suggestion } from '../../pipeline/syntax/nearest.ts';

/** The folder of templates; the same below `dist`. */
const FOLDER = new URL('../../../notebooks/', import.meta.url);

export interface NotebookCell {
  readonly kind: 'markdown' | 'code';
  readonly source: string;
}

export interface Template {
  readonly name: string;
  /** Names of the parameters besides `warehouse`. */
  readonly parameters: readonly string[];
  /** Cells before the parameters: the title. */
  readonly title: readonly NotebookCell[];
  readonly cells: readonly NotebookCell[];
}

/** Names of all templates. */
export async function templateNames(): Promise<string[]> {
  const files = await readdir(new URL('templates/', FOLDER));
  return files
    .filter((name) => name.endsWith('.py'))
    .map((name) => name.slice(0, -'.py'.length))
    .sort();
}

/** Reads a template. Throws Fault('usage') for an unknown name. */
export async function readTemplate(name: string): Promise<Template> {
  const names = await templateNames();
  if (!names.includes(name)) {
    throw new Fault('usage', `There is no notebook template ${JSON.stringify(name)}.`, {
      advice: `${suggestion(name, names)} Templates: ${names.join(', ')}.`,
    });
  }
  const text = await readFile(new URL(`templates/${name}.py`, FOLDER), 'utf8');
  const opening = await readFile(new URL('opening.py', FOLDER), 'utf8');
  const [, parameters = ''] = /^# parameters:(.*)\n/.exec(text) ?? [];
  const [title, rest = ''] = text.split('# %% opening\n');
  return {
    name,
    parameters: parameters.split(' ').filter((each) => each !== ''),
    title: cellsIn(title ?? ''),
    cells: [...cellsIn(opening), ...cellsIn(rest)],
  };
}

/** Cells in the percent format: each begins with a line `# %%`, or `# %% [markdown]`. */
export function cellsIn(text: string): NotebookCell[] {
  const cells: NotebookCell[] = [];
  for (const part of `\n${text}`.split('\n# %%').slice(1)) {
    const [head = '', ...lines] = part.split('\n');
    const kind = head.includes('[markdown]') ? 'markdown' : 'code';
    const bare = kind === 'code' ? lines : lines.map((line) => line.replace(/^# ?/, ''));
    const source = bare.join('\n').trim();
    if (source !== '') cells.push({ kind, source });
  }
  return cells;
}

/** The packages that notebooks need, in the format of pip. */
export function requirementsText(): Promise<string> {
  return readFile(new URL('requirements.txt', FOLDER), 'utf8');
}

export const RUNNER = new URL('run_notebook.py', FOLDER);
