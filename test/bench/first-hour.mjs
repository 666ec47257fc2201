import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The commands of the README on a fresh clone with an empty cache of packages: their time, and the
 * size of the install. Prints a Markdown table.
 *
 *     node test/bench/first-hour.mjs FOLDER    # needs git, bash, du and a registry of packages
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const [folder = 'first-hour'] = process.argv.slice(2);
const clone = join(folder, 'clone');
const env = { ...process.env, npm_config_cache: join(folder, 'cache'), TIMEFORMAT: '%R %U %S' };

/** Seconds of a command, by the clock and of all processors. */
async function timed(command) {
  const script = `time { ${command} >&3 2>&1; } 3>output.txt`;
  const options = { cwd: clone, env, maxBuffer: 2 ** 28 };
  const { stderr, code = 0 } = await run('bash', ['-c', script], options).catch((error) => error);
  const [wall = 0, user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number);
  return { command, code, wall, cpu: user + system };
}

const print = (...cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

await run('git', ['clone', '--quiet', REPOSITORY, clone]);
print('command', 'exit code', 'wall s', 'user + sys s', 'packages', 'MB');
print('---', '---', '---', '---', '---', '---');
for (const command of ['npm ci', 'npm run demo', 'npm test']) {
  const { code, wall, cpu } = await timed(command);
  const size = command === 'npm ci' ? await installed() : ['', ''];
  print(command, code, wall.toFixed(0), cpu.toFixed(0), ...size);
}

async function installed() {
  const lock = await readFile(join(clone, 'node_modules/.package-lock.json'), 'utf8');
  const { stdout } = await run('du', ['-sm', join(clone, 'node_modules')]);
  return [Object.keys(JSON.parse(lock).packages).length, Number.parseInt(stdout, 10)];
}
