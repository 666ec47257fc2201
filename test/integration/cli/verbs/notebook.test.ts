import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { notebookVerb } from '../../../../src/cli/verbs/notebook/notebook.ts';
import { REQUIREMENTS } from '../../../../src/export/notebook/template.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { quietConsole } from '../../../fixtures/quiet-console.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const small = freshLake(beforeEach);
let folder = '';
beforeEach(async () => {
  await small.publish();
  folder = await freshFolder();
});

/** Writes a notebook, and returns the requirements file that its note names. */
async function requirementsOf(name: string): Promise<string> {
  const notes: string[] = [];
  const output = { ...quietConsole, note: (text: string) => void notes.push(text) };
  const out = join(folder, name);
  const options = { template: 'blank', data: small.root, out, force: false, top: '5' } as const;
  await notebookVerb({ ...options, execute: false, html: false }, output);
  const [, file = ''] = /^Its packages: pip install -r (.*)$/.exec(notes.join()) ?? [];
  return file;
}

it('a notebook lies beside its requirements, and leaves those of another project alone', async () => {
  const beside = join(folder, 'requirements.txt');
  const shown = relative('', beside);
  expect([await requirementsOf('a.ipynb'), await requirementsOf('b.ipynb')]).toEqual([
    shown,
    shown,
  ]);
  expect(await readFile(beside, 'utf8')).toBe(await readFile(REQUIREMENTS, 'utf8'));
  await writeFile(beside, 'theirs==1.0');
  expect(await requirementsOf('c.ipynb')).toBe(REQUIREMENTS);
  expect(await readFile(beside, 'utf8')).toBe('theirs==1.0');
});
