import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { project } from '../interop/windrow.mjs';

/** What a release needs to be built and to run. */
const PARTS = ['build', 'src', 'service/src', 'sql', 'package.json'];

/** Columns that the older release does not know, and their names in the catalogue. */
const LATER_COLUMNS = [
  ['ommer_blocks', 'ommerBlocks'],
  ['update_time', 'updateTime'],
];

/**
 * Builds a windrow whose catalogue and curated tables lack two columns: one of `blocks`, one of
 * `cross_chain_transfers`. A later release adds them to its tables. Returns its program.
 */
export async function buildOlderRelease(folder) {
  for (const part of PARTS) await cp(join(project, part), join(folder, part), { recursive: true });
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  for (const [column, word] of LATER_COLUMNS) {
    const field = new RegExp(`^ *field\\('\\w+', \\w\\.${word}\\),\\n`, 'gm');
    await edit(join(folder, 'src/catalogue'), (text) => text.replaceAll(field, ''));
    await edit(join(folder, 'sql/curated'), (text) => withoutColumn(text, column));
  }
  await promisify(execFile)(process.execPath, ['build/build.mjs'], { cwd: folder });
  return join(folder, 'dist/cli/main.js');
}

function withoutColumn(sql, column) {
  return sql
    .replaceAll(new RegExp(`^-- column: ${column} \\|.*\\n`, 'gm'), '')
    .replaceAll(new RegExp(`^.* AS _?${column},\\n`, 'gm'), '')
    .replaceAll(new RegExp(`,\\s+(t\\.)?${column}\\b`, 'g'), '');
}

async function edit(folder, change) {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(ts|sql)$/.test(name)) continue;
    const file = join(folder, name);
    const text = await readFile(file, 'utf8');
    if (change(text) !== text) await writeFile(file, change(text));
  }
}
