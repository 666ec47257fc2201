import type { NotebookCell, Template } from './template.ts';

/** A value of a parameter. */
export type Parameter = string | number | null;

/**
 * A notebook as JSON (nbformat 4.5). Parameters are one cell of literals with the tag that
 * papermill replaces. Texts reach the notebook only through `JSON.stringify`.
 */
export function notebookJson(
  { title, cells, parameters }: Template,
  parameterValues: Readonly<Record<string, Parameter>>,
): string {
  const names = ['warehouse', ...parameters];
  const lines = names.map((name) => `${name} = ${pythonLiteral(parameterValues[name] ?? null)}`);
  const values = { kind: 'code', source: lines.join('\n') } as const;
  const all = [
    ...title.map((cell) => cellJson(cell)),
    cellJson(values, ['parameters']),
    ...cells.map((cell) => cellJson(cell)),
  ];
  const notebook = {
    cells: all.map((cell, i) => ({ ...cell, id: `cell-${i + 1}` })),
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

function cellJson({ kind, source }: NotebookCell, tags?: readonly string[]) {
  const metadata = tags === undefined ? {} : { tags };
  const lines = source.split('\n').map((line, i, all) => (i < all.length - 1 ? `${line}\n` : line));
  if (kind === 'markdown') return { cell_type: kind, metadata, source: lines };
  return { cell_type: kind, metadata, source: lines, outputs: [], execution_count: null };
}

/** Characters that end a line for Python or for editors, which JSON leaves as they are. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A value as Python source: the escapes of JSON are also those of Python. */
export function pythonLiteral(value: Parameter): string {
  if (value === null) return 'None';
  return JSON.stringify(value).replaceAll(
    LINE_ENDS,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
