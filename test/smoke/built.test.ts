import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { datasets, endpoints } from '../../src/catalogue/index.ts';
import { windrowProcess } from '../e2e/command-line.ts';
import { packagesIn } from '../model/architecture-rules.ts';
import { readSources } from '../model/source-tree.ts';

/** Goal: the bundle in `dist` has all that is in the sources, and loads few files. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

test('the bundle has every entry of the catalogue', async () => {
  const { stdout } = await windrowProcess(['describe', '--json']);
  const described = JSON.parse(stdout) as Readonly<Record<string, readonly { path: string }[]>>;
  const paths = described['endpoints']?.map(({ path }) => path);
  expect(paths?.sort()).toEqual(endpoints.map(({ path }) => path).sort());
  expect(stdout).toContain(`"datasets":["${datasets[0]?.name}"]`);
});

test('the bundle finds the files of the package, and names the licenses of its packages', async () => {
  const { stdout } = await windrowProcess(['--version']);
  const { version, dependencies, devDependencies, optionalDependencies } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  ) as { version: string } & Record<
    'dependencies' | 'devDependencies' | 'optionalDependencies',
    Record<string, string>
  >;
  expect(stdout.trim()).toBe(version);
  const licenses = await readFile(join(DIST, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const versions = { ...dependencies, ...devDependencies };
  for (const name of packagesIn(await readSources(ROOT))) {
    // Their programs stay in their own packages.
    if (name in optionalDependencies || name === 'tiny-secp256k1') continue;
    expect(licenses).toContain(`${name} ${versions[name]}`);
  }
});

test('the command line limits the growth of the heap', async () => {
  // A run of the program in which the function of Node only prints the flag.
  const printing =
    "import v8 from 'node:v8'; import { syncBuiltinESMExports } from 'node:module'; " +
    'v8.setFlagsFromString = console.error; syncBuiltinESMExports();';
  const hook = `data:text/javascript,${encodeURIComponent(printing)}`;
  const args = ['--import', hook, join(DIST, 'cli/main.js'), '--version'];
  const { stderr } = await promisify(execFile)(process.execPath, args);
  expect(stderr).toContain('--heap-growing-percent=100');
});

test('the command line limits the arenas of DuckDB before it loads its library', async () => {
  const printing =
    'const { dlopen } = process; process.dlopen = (...args) => {' +
    ' console.error(args[1].slice(-11), process.env.DUCKDB_JE_MALLOC_CONF);' +
    ' return dlopen.apply(process, args); };';
  const hook = `data:text/javascript,${encodeURIComponent(printing)}`;
  const args = ['--import', hook, join(DIST, 'cli/main.js'), 'describe'];
  const stderr = async (env: Record<string, string>): Promise<string> => {
    const options = { env: { PATH: process.env['PATH'], ...env } };
    return (await promisify(execFile)(process.execPath, args, options)).stderr;
  };
  expect(await stderr({})).toMatch(/^duckdb\.node narenas:\d+$/m);
  expect(await stderr({ DUCKDB_JE_MALLOC_CONF: 'narenas:3' })).toMatch(/^duckdb\.node narenas:3$/m);
});

test('no file of the bundle imports a package', async () => {
  const files = (await readdir(DIST, { recursive: true })).filter((name) => name.endsWith('.js'));
  const loaded = new Set<string>();
  for (const file of files) {
    const text = await readFile(join(DIST, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export) .*?from "([^"./][^"]*)";$/gm)) {
      loaded.add(name);
    }
  }
  expect([...loaded].filter((name) => !isBuiltin(name))).toEqual([]);
  expect(files.length).toBeLessThan(250);
});
