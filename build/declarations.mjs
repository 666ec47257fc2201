import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const IMPORTED = /(?:from |import\()['"](\.[^'"]+)\.(?:ts|js)['"]/g;

/** Writes the types of the library into a folder: those of src/index.ts and of its imports. */
export async function declare(folder) {
  const all = await mkdtemp(join(tmpdir(), 'windrow-types-'));
  try {
    const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', all];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const args = [tsc, '-p', join(ROOT, 'tsconfig.json'), ...flags];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error('The types of the library cannot be written.');
    const files = new Set([join(all, 'src/index.d.ts')]);
    for (const file of files) {
      const text = await readFile(file, 'utf8');
      for (const [, path] of text.matchAll(IMPORTED)) {
        files.add(resolve(dirname(file), `${path}.d.ts`));
      }
      await cp(file, file.replace(join(all, 'src'), folder));
    }
  } finally {
    await rm(all, { recursive: true, force: true });
  }
}
