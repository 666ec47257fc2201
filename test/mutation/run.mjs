import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GUARDS } from './guards.mjs';

/**
 * Takes every guard away, one at a time, in a copy of the sources, and runs the tests that have to
 * notice. Prints a line each; exits 1 where one of them stays green, or where they are not green to
 * begin with.
 *
 *     node test/mutation/run.mjs [name of a guard ...]
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const PARTS = ['build', 'src', 'sql', 'pipelines', 'docs', 'test'];
const MORE = ['package.json', 'tsconfig.json', 'vitest.config.ts'];

const wanted = process.argv.slice(2);
const guards = GUARDS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const unknown = wanted.filter((each) => GUARDS.every(({ name }) => name !== each));
if (unknown.length > 0) throw new Error(`no guard has the name ${unknown.join(', ')}`);
const copy = await mkdtemp(join(tmpdir(), 'windrow-mutation-'));
try {
  for (const part of [...PARTS, ...MORE]) {
    // Packages of the site and of Python are large, and no test of vitest reads them.
    const filter = (from) => !/\/(node_modules|\.venv)$/.test(from);
    await cp(join(REPOSITORY, part), join(copy, part), { recursive: true, filter });
  }
  await symlink(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
  process.exitCode = await tryAll();
} finally {
  await rm(copy, { recursive: true, force: true });
}

async function tryAll() {
  const all = [...new Set(guards.flatMap(({ tests }) => tests))];
  const whole = run(all);
  if (!whole.isGreen) {
    process.stdout.write(`${whole.output}\nThe tests are not green with all guards in place.\n`);
    return 1;
  }
  let survivors = 0;
  for (const guard of guards) {
    const path = join(copy, guard.file);
    const text = await readFile(path, 'utf8');
    if (text.split(guard.text).length !== 2) {
      process.stdout.write(`${guard.name}: not found once in ${guard.file}: mend guards.mjs\n`);
      survivors += 1;
      continue;
    }
    await writeFile(
      path,
      text.replace(guard.text, () => guard.without),
    );
    const { isGreen, red } = run(guard.tests);
    await writeFile(path, text);
    if (isGreen) survivors += 1;
    const end = isGreen ? 'SURVIVED' : `red: ${red}`;
    process.stdout.write(`without ${guard.name}: ${end}\n`);
  }
  const killed = guards.length - survivors;
  process.stdout.write(`mutation: ${killed} passed, ${survivors} failed\n`);
  return survivors === 0 ? 0 : 1;
}

/** Runs tests of the copy; `red` names the first one that fails. */
function run(tests) {
  const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs');
  const options = ['run', '--bail=1', '--reporter=verbose', '--no-color', ...tests];
  const env = { ...process.env, THOROUGH: '0', NO_COLOR: '1' };
  const ended = spawnSync(process.execPath, [vitest, ...options], {
    cwd: copy,
    encoding: 'utf8',
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  const output = `${ended.stdout}${ended.stderr}`;
  if (output.includes('No test files found')) throw new Error(`no tests: ${tests.join(' ')}`);
  const failed = /^\s*×\s+(.*)$/m.exec(output)?.[1] ?? 'no test ran to its end';
  return { isGreen: ended.status === 0, red: failed.replace(/\s+[0-9]+m?s$/, ''), output };
}
