import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY, ran } from './tools.mjs';

/** The instructions of a Dockerfile, with continued lines joined. */
export function instructionsIn(text) {
  return text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line.trim()) ?? [];
      return { name, rest };
    })
    .filter(({ name }) => name !== '');
}

/**
 * Takes the steps of the Dockerfile in two folders instead of two images: copies, commands of the
 * build, and the user of the last stage. Commands of the last stage, which write to the root file
 * system, are checked and not run.
 */
export function builtImage(tally, work) {
  const instructions = instructionsIn(readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8'));
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  const build = join(work, 'build');
  const image = join(work, 'image');
  for (const folder of [build, image]) mkdirSync(folder, { recursive: true });
  const ignored = readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8').split('\n');
  const sent = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  for (const { name, rest } of instructions.slice(0, last)) {
    if (name === 'COPY') copyAll(tally, rest, REPOSITORY, build, sent);
    if (name === 'RUN') {
      const { code, output } = ran('sh', ['-c', stepOf(rest)], { cwd: build });
      tally.holds(`the image builds: ${rest}`, code === 0, output);
    }
  }
  for (const { name, rest } of instructions.slice(last)) {
    if (name === 'COPY') copyAll(tally, rest.replace('--from=build /build/', ''), build, image);
  }
  const text = (wanted) => instructions.findLast(({ name }) => name === wanted)?.rest ?? '';
  const [, maxAge = ''] = /^WINDROW_MAX_AGE=(.*)$/.exec(text('ENV')) ?? [];
  return { image, user: Number(text('USER').split(':')[0]), health: text('HEALTHCHECK'), maxAge };
}

/** A command of the build. The packages of this folder are those that `npm ci` would install again. */
function stepOf(command) {
  const packages = JSON.stringify(join(REPOSITORY, 'node_modules'));
  return command === 'npm ci --ignore-scripts' ? `cp -a --reflink=auto ${packages} .` : command;
}

function copyAll(tally, rest, from, to, sent) {
  const words = rest.split(' ');
  const target = words.at(-1);
  for (const source of words.slice(0, -1)) {
    if (sent !== undefined) tally.holds(`.dockerignore lets ${source} in`, sent.includes(source));
    const isFolder = target === './' || target === '.';
    cpSync(join(from, source), join(to, isFolder ? source : target), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

/** Exports with the built image as its user, who can write nothing but the data root. */
export function runImage(tally, { image, user, health, maxAge }, files, url) {
  const data = join(image, '..', 'data');
  mkdirSync(data);
  chownSync(data, user, user);
  const start = join(image, 'dist/cli/main.js');
  const as = (args) => {
    const options = { cwd: files, uid: user, gid: user, encoding: 'utf8' };
    const env = { PATH: process.env.PATH, TMPDIR: data, HOME: '/nonexistent' };
    const ended = spawnSync(process.execPath, [start, ...args], { ...options, env });
    return { code: ended.status, output: `${ended.stdout}${ended.stderr}` };
  };
  tally.holds('the user is not root', user > 0);
  const version = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')).version;
  tally.equal('its command is windrow', as(['--version']).output.trim(), version);
  const parts = ['--blocks', '25000:25199', '--zone-blocks', '0:99', '--source-url', url];
  const run = as(['run', 'address-activity.yaml', '--data', data, ...parts]);
  tally.holds('it runs a pipeline as its user', run.code === 0, run.output);
  const [shell, , line = ''] = JSON.parse(/CMD (\[.*\])$/.exec(health)?.[1] ?? '[]');
  tally.equal('its health check reads the age from the environment', shell, 'sh');
  const [program, ...words] = line
    .replace(/^exec /, '')
    .replace('/data', data)
    .replace('$WINDROW_MAX_AGE', maxAge)
    .split(' ');
  tally.equal('its health check starts windrow', program, 'windrow');
  const checked = as(words);
  // The run read some of the blocks of the pipeline, which is not a success of all of them.
  const isMissing = checked.output.includes('TOO OLD: address-activity has no success yet.');
  tally.holds(
    'its health check finds a missing success',
    checked.code === 1 && isMissing,
    checked.output,
  );
  tally.equal('without an age it finds a lake in order', as(words.slice(0, -2)).code, 0);
  const out = join(data, 'exports', 'quality.ipynb');
  const notebook = as(['notebook', 'data-quality', '--data', data, '--out', out]);
  tally.holds('it writes a notebook', notebook.code === 0, notebook.output);
  tally.holds('no development package is in it', !existsSync(join(image, 'node_modules/vitest')));
}
