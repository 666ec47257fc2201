import { Fault, suggestion } from '../../fault.ts';
import { namesInPackage, packageFile, packageText } from '../../land/storage/package-file.ts';

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
export function templateNames(): string[] {
  return namesInPackage('notebooks/templates', '.py');
}

/** Reads a template. Throws Fault('usage') for an unknown name. */
export function readTemplate(name: string): Template {
  const names = templateNames();
  if (!names.includes(name)) {
    throw new Fault('usage', `There is no notebook template ${JSON.stringify(name)}.`, {
      advice: suggestion(name, names),
    });
  }
  const text = packageText(`notebooks/templates/${name}.py`);
  const opening = packageText('notebooks/opening.py');
  const [, parameters = ''] = /^# parameters:(.*)\n/.exec(text) ?? [];
  const [title, rest = ''] = text.split('# %% opening\n');
  return {
    name,
    parameters: parameters.split(' ').filter((parameter) => parameter !== ''),
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

/** The file of the packages that notebooks need, in the format of pip. */
export const REQUIREMENTS = packageFile('notebooks/requirements.txt');

export const RUNNER = packageFile('notebooks/run_notebook.py');
