import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutantsIn, shuffled } from './mutants.mjs';

/**
 * Makes mutants of the folders on which "complete" rests, runs the tests of the folder on each, and
 * prints the mutants that no test notices. Exits 1 where one of them is not in survivors.json, which
 * lists mutants that behave as the source does, with reasons.
 *
 *     npm run test:guards -- [--folder src/curate] [--sample 40] [--seed 7]
 *
 * Without --sample, all mutants are tried, which takes hours.
 */

process.chdir(fileURLToPath(new URL('../../', import.meta.url)));
const { values } = parseArgs({
  options: { folder: { type: 'string' }, sample: { type: 'string' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const testsOf = Object.entries(readJson('folders.json'));
const folders = testsOf.filter(([source]) => source.startsWith(values.folder ?? ''));
if (folders.length === 0) throw new Error(`--folder is one of ${testsOf.map(([name]) => name)}`);
const listed = readJson('survivors.json');

const mutants = folders.flatMap(([source, tests]) =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => mutantsIn(`${source}/${name}`))
    .map((mutant) => ({ ...mutant, tests })),
);
const sample = shuffled(mutants, seed).slice(0, Number(values.sample ?? mutants.length));
print(`mutants: seed ${seed}, ${sample.length} of ${mutants.length}`);

/** Milliseconds that the tests take without a mutant, by their folders. */
const wholeMs = new Map();
for (const tests of new Set(sample.map((mutant) => mutant.tests))) {
  const startedAt = Date.now();
  const { isGreen, output } = await run(tests, {}, 3_600_000);
  if (!isGreen) throw new Error(`${output}\nThe tests are not green without a mutant.`);
  wholeMs.set(tests, Date.now() - startedAt);
}
const survivors = [];
for (const { tests, ...mutant } of sample) {
  // A mutant that repeats a loop for ever is noticed by the time that it takes.
  const { isGreen, red } = await run(tests, mutant, 60_000 + 10 * wholeMs.get(tests));
  const end = !isGreen ? `red: ${red}` : isListed(mutant) ? 'survived, as listed' : 'SURVIVED';
  if (end === 'SURVIVED') survivors.push(mutant);
  print(`${mutant.file}:${mutant.line} ${mutant.kind}: ${mutant.code.slice(0, 120)}: ${end}`);
}
print(`mutants: ${sample.length - survivors.length} passed, ${survivors.length} failed`);
process.exitCode = survivors.length === 0 ? 0 : 1;

function readJson(name) {
  return JSON.parse(readFileSync(`test/mutation/${name}`, 'utf8'));
}

function isListed({ file, kind, code }) {
  return listed.some((entry) => {
    return entry.file === file && entry.kind === kind && entry.code === code;
  });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

/** Runs tests on a mutant; `red` names the first one that fails. */
async function run(tests, mutant, limitMs) {
  const child = spawn(process.execPath, ['test/mutation/try.mjs', ...tests], {
    // A group of its own, which ends with its workers.
    detached: true,
    env: { ...process.env, MUTANT: JSON.stringify(mutant), THOROUGH: '0', NO_COLOR: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part;
    });
  }
  let red;
  const limit = setTimeout(() => {
    red = 'it does not end';
    process.kill(-child.pid, 'SIGKILL');
  }, limitMs);
  const status = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(limit);
  red ??= /^ *FAIL +(.*)$/m.exec(output)?.[1];
  if (status !== 0 && red === undefined) throw new Error(`${output}\nNo test has failed.`);
  return { isGreen: status === 0, red, output };
}
