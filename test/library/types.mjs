/**
 * The example of docs/library.md is well typed in a project of a user, against the types that an
 * installed package has.
 *
 *     node test/library/types.mjs FOLDER_OF_THE_INSTALLED_PACKAGE
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const [installed = ''] = process.argv.slice(2);
const text = await readFile(here('../../docs/library.md'), 'utf8');
const [, example = ''] = /```js\n([\s\S]*?)```/.exec(text) ?? [];
const wrong = `${example}\nconst flag: string = (await windrow.plan('a.yaml', { blocks: 5 })).x;\n`;
const project = await mkdtemp(join(tmpdir(), 'windrow-user-'));
try {
  await mkdir(join(project, 'node_modules'));
  await symlink(resolve(installed), join(project, 'node_modules/windrow'), 'dir');
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  const errors = await errorsIn(example);
  if (errors !== '') throw new Error(`The example is not well typed:\n${errors}`);
  if (!(await errorsIn(wrong)).includes('TS2322')) throw new Error('Wrong types are accepted.');
} finally {
  await rm(project, { recursive: true, force: true });
}

/** The messages of the compiler about a module of the user. */
async function errorsIn(source) {
  await writeFile(join(project, 'user.ts'), source);
  const types = ['--types', 'node', '--typeRoots', here('../../node_modules/@types')];
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...types];
  const tsc = here('../../node_modules/typescript/bin/tsc');
  const args = [tsc, ...flags, '--skipLibCheck', 'user.ts'];
  return spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' }).stdout;
}
