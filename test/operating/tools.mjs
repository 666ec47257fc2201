import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The programs that the tests of operating start. */

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
export const MAIN = `${REPOSITORY}dist/cli/main.js`;

/** Runs a program to its end; `output` has both of its streams. */
export function ran(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    ...options,
  });
  return { code: error === undefined ? status : -1, output: `${stdout}${stderr}${error ?? ''}` };
}

export function windrow(args, options = {}) {
  return ran(process.execPath, [MAIN, ...args], options);
}

/** A program that the test's own Python or the machine has. */
export function toolPath(name) {
  const path = `${REPOSITORY}test/operating/.venv/bin/${name}`;
  return ran('test', ['-x', path]).code === 0 ? path : name;
}

/** Whether a program can be started at all. */
export function isInstalled(name) {
  return ran('sh', ['-c', `command -v ${toolPath(name)}`]).code === 0;
}

/** A service on a free port, without keys. */
export async function served(head, more = []) {
  const args = `serve --chain demo --head ${head} --no-auth --port 0 --json`.split(' ');
  args.push(...more);
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  return { url: JSON.parse(line).url, close: () => child.kill('SIGTERM') };
}
