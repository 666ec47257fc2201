import { expect, test } from 'vitest';
import { notebookJson, pythonLiteral } from '../../../../src/export/notebook/notebook.ts';
import { runNotebook } from '../../../../src/export/notebook/run-notebook.ts';
import { cellsIn, readTemplate, templateNames } from '../../../../src/export/notebook/template.ts';
import { CELLS, CODE, FORMULAS, MARKUP } from '../../../fixtures/injections.ts';

/** Goal: a notebook is well-formed, and no text in it becomes code. */

interface NotebookFile {
  readonly cells: readonly {
    readonly id: string;
    readonly cell_type: string;
    readonly metadata: { readonly tags?: readonly string[] };
    readonly source: readonly string[];
  }[];
}

test('cells begin with %%, and Markdown loses its comment signs', () => {
  expect(cellsIn('# %% [markdown]\n# # Title\n#\n# Text\n\n# %%\nx = 1\n# y\n\n# %%\n')).toEqual([
    { kind: 'markdown', source: '# Title\n\nText' },
    { kind: 'code', source: 'x = 1\n# y' },
  ]);
});

test('every template has a title, its parameters in one tagged cell, and coverage first', async () => {
  const names = templateNames();
  expect(names).toEqual([
    'address-report',
    'analyst-questions',
    'auditor',
    'blank',
    'cross-chain-journeys',
    'data-quality',
    'holders',
    'preconfirmations',
    'token-flows',
  ]);
  for (const name of names) {
    const template = readTemplate(name);
    const notebook = JSON.parse(notebookJson(template, { warehouse: 'w' })) as NotebookFile;
    const kinds = notebook.cells.map(({ cell_type: kind }) => kind);
    expect(kinds.slice(0, 2), name).toEqual(['markdown', 'code']);
    const [tagged, ...others] = notebook.cells.filter(
      ({ metadata }) => metadata.tags !== undefined,
    );
    expect(others).toEqual([]);
    expect(tagged?.metadata.tags).toEqual(['parameters']);
    expect(tagged?.source[0]).toMatch(/^warehouse = "w"\n?$/);
    expect(tagged?.source).toHaveLength(1 + template.parameters.length);
    expect(notebook.cells[3]?.source[0]).toContain('How complete');
    expect(new Set(notebook.cells.map(({ id }) => id)).size).toBe(notebook.cells.length);
  }
});

test.each([
  ...FORMULAS,
  ...MARKUP,
  ...CODE,
  ...CELLS,
  '"',
  '\\',
  '\\"',
  '\u2028',
  '\u0085',
  'a\nb',
  '\ud800',
])('%j stays one literal', (text) => {
  const literal = pythonLiteral(text);
  expect(literal).toMatch(/^"(?:[^"\\\n\r\u0085\u2028\u2029]|\\.)*"$/);
  expect(JSON.parse(literal)).toBe(text);
});

test('no parameter leaves its line of the notebook', async () => {
  const template = readTemplate('address-report');
  const notebookOf = (text: string): NotebookFile => {
    const names = ['warehouse', ...template.parameters];
    const settings = Object.fromEntries(names.map((name) => [name, text]));
    return JSON.parse(notebookJson(template, settings)) as NotebookFile;
  };
  const others = ({ cells }: NotebookFile) => cells.filter(({ metadata }) => !metadata.tags);
  const clean = others(notebookOf('demo'));
  for (const text of [...CODE, ...MARKUP, ...FORMULAS, ...CELLS]) {
    const notebook = notebookOf(text);
    expect(others(notebook)).toEqual(clean);
    const source = notebook.cells.find(({ metadata }) => metadata.tags)?.source ?? [];
    const lines = source.join('').split(/[\p{Cc}\u2028\u2029]/u);
    expect(lines).toHaveLength(1 + template.parameters.length);
    for (const line of lines) {
      const [, literal = ''] = /^[a-z_]+ = (".*")$/.exec(line) ?? [];
      expect(JSON.parse(literal)).toBe(text);
    }
  }
});

test('numbers and absent values are spelled as in Python', () => {
  expect([pythonLiteral(null), pythonLiteral(7)]).toEqual(['None', '7']);
});

test('an unknown template is refused with the nearest one', () => {
  const advice = expect.objectContaining({ advice: expect.stringContaining('holders') });
  expect(() => readTemplate('holder')).toThrow(advice);
  expect(() => readTemplate('../opening')).toThrow('no notebook template');
  const names = expect.not.stringMatching(/holders.*holders/) as string;
  expect(() => readTemplate('../opening')).toThrow(expect.objectContaining({ advice: names }));
});

test('a machine without Python is named, with the way out', async () => {
  const run = { notebook: 'x.ipynb', requirements: 'r.txt', stop: new AbortController().signal };
  await expect(runNotebook({ ...run, python: '/nonexistent/python3' })).rejects.toMatchObject({
    kind: 'configuration',
    advice: expect.stringContaining('pip install -r r.txt'),
  });
});
