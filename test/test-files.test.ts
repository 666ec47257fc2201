import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import config from '../vitest.config.ts';

/** Goal: the settings of the tests name files that exist, and share imports between files. */

const REPOSITORY = new URL('../', import.meta.url);
const MODES = ['test', 'every-file', 'most-files'];

function projectsIn(mode: string) {
  const { projects = [] } = config({ command: 'serve', mode }).test ?? {};
  return projects.map((project) => {
    if (typeof project !== 'object' || !('test' in project)) throw new Error('not a project');
    return project.test ?? {};
  });
}

async function isThere(file: string): Promise<boolean> {
  return access(fileURLToPath(new URL(file, REPOSITORY))).then(
    () => true,
    () => false,
  );
}

describe.each(MODES)('the settings in mode %s', (mode) => {
  it('name no file that does not exist', async () => {
    const names = projectsIn(mode).flatMap(({ include = [], exclude = [] }) => {
      return [...include, ...exclude].filter((name) => !name.includes('*'));
    });
    const there = await Promise.all(names.map(isThere));
    expect(names.filter((_, i) => !there[i])).toEqual([]);
  });

  it('share imports between files, but for the one that replaces a part of Node', () => {
    const shares = projectsIn(mode).filter(({ isolate }) => isolate !== false);
    expect(shares.map(({ name, include }) => [name, include?.length])).toEqual([['unit alone', 1]]);
  });
});
