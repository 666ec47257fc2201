import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { namesBelow } from './fixtures/names-below.ts';

/** Goal: the folder of a test says which source it is about, and which command runs it. */

const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));
/** Folders that have the folders of src. */
const MIRRORS = ['unit', 'integration', 'long/integration'].flatMap((mirror) => [
  ['test', 'src', mirror] as const,
  ['service/test', 'service/src', mirror] as const,
]);
/** Its tests run in `npm run test:all` alone. */
const LONG = 'long/';

const below = (folder: string) => namesBelow(REPOSITORY + folder);

const testsBelow = (folder: string) => below(folder).filter((name) => name.endsWith('.test.ts'));

it.each(MIRRORS)('%s mirrors %s: %s', (side, sources, mirror) => {
  const rooms = ['.', ...below(sources).filter((name) => !name.endsWith('.ts'))];
  const tests = testsBelow(`${side}/${mirror}`);
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.filter((name) => !rooms.includes(dirname(name)))).toEqual([]);
});

it('each test that is not long is in one of the two sets of .ci/run', () => {
  const { scripts } = JSON.parse(readFileSync(`${REPOSITORY}package.json`, 'utf8')) as {
    scripts: Record<string, string>;
  };
  const places = ['test', 'test:more'].flatMap((name) =>
    [...(scripts[name] ?? '').matchAll(/ test\/(\S+)/g)].map(([, place = '']) => place),
  );
  for (const name of [...testsBelow('test'), ...testsBelow('service/test')]) {
    const among = [LONG, ...places].filter((place) => name.startsWith(place));
    expect(among, name).toHaveLength(1);
  }
  for (const place of places) expect(below('test').join('\n')).toContain(place);
});

it('all requirement files of Python and the docs name one release of DuckDB', () => {
  const files = ['notebooks', 'sql', 'test'].flatMap((folder) =>
    below(folder)
      .filter((name) => name.endsWith('requirements.txt'))
      .map((name) => `${folder}/${name}`),
  );
  const lines = [...files, 'docs/dbt.md'].flatMap((name) =>
    [
      ...readFileSync(REPOSITORY + name, 'utf8').matchAll(
        /(?<![-\w])duckdb(-extension-\w+)?==(\S+)/g,
      ),
    ].map(([, , release = '']) => release),
  );
  expect(lines.length).toBeGreaterThan(4);
  expect([...new Set(lines)]).toHaveLength(1);
});
