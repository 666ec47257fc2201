import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import config, { FIRST } from '../vitest.config.ts';

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

function missing(names: readonly string[]): string[] {
  return names.filter((name) => !existsSync(fileURLToPath(new URL(name, REPOSITORY))));
}

it('the files that start first exist', () => expect(missing(FIRST)).toEqual([]));

describe.each(MODES)('the settings in mode %s', (mode) => {
  it('name no file that does not exist', () => {
    const names = projectsIn(mode).flatMap(({ include = [], exclude = [] }) => {
      return [...include, ...exclude].filter((name) => !name.includes('*'));
    });
    expect(missing(names)).toEqual([]);
  });

  it('share imports between files, but for the one that replaces a part of Node', () => {
    const alone = projectsIn(mode).filter(({ isolate }) => isolate !== false);
    expect(alone.map(({ name, include }) => [name, include?.length])).toEqual([['unit alone', 1]]);
  });
});
