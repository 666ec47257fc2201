import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The programs of this folder that read a data root, each a process of its own. */

const here = import.meta.dirname;
const python = pythonOf(here);
/** Releases of DuckDB, each in a folder of its own. */
const releases = join(here, '.venv/duckdb');
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** As many as the cores that this suite may expect. */
const AT_A_TIME = 2;

/** The Python of a folder, with the packages that its programs require. */
export function pythonOf(folder) {
  return join(folder, '.venv/bin/python');
}

/** The folder of a release of DuckDB, as PYTHONPATH. */
export function releaseOf(name) {
  return join(releases, name);
}

/** Fails, before any work, where the programs of this folder and of `others` lack packages. */
export function requirePackages(...others) {
  const needed = [here, ...others].map(pythonOf);
  const missing = needed.filter((path) => !existsSync(path));
  if (missing.length === 0) return;
  throw new Error(`${missing.join(', ')}: absent; the comment in run.mjs says how to install it`);
}

/** Results of the tasks, which are started in their order, a few at a time. */
export async function runTasks(tasks) {
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < tasks.length) {
      const at = next;
      next += 1;
      results[at] = await tasks[at]();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}

/**
 * A task per program. It returns what its readers say of the tables in `lake` and in `curated`, and
 * their answers to the questions, SQL by name. The longest task is first.
 */
export async function readerTasks(root, questions) {
  const names = (await readdir(releases)).sort();
  return [
    ...(await logReaderTasks(root, questions)),
    ...names.map((release) => {
      const env = { ...process.env, PYTHONPATH: join(releases, release) };
      return () => scriptIn(env, python, 'read_duckdb.py', root, questionsFile(root));
    }),
  ];
}

/** The task of the readers that follow a Delta log by themselves, which one program has. */
export async function logReaderTasks(root, questions) {
  const file = questionsFile(root);
  await writeFile(file, JSON.stringify(questions));
  return [() => script(python, 'read_lake.py', root, file)];
}

function questionsFile(root) {
  return join(root, 'questions.json');
}

/** One document from those of all programs. */
export function mergedDocument(documents) {
  const merged = (partOf) => Object.assign({}, ...documents.map((document) => partOf(document)));
  const layer = (name) => ({
    readers: merged((document) => document[name].readers),
    log: merged((document) => document[name].log),
  });
  return {
    lake: layer('lake'),
    curated: layer('curated'),
    answers: merged(({ answers }) => answers),
  };
}

/** Rearranges and vacuums the tables of one layer, as another engine's housekeeping would. */
export function optimize(root, layer) {
  return script(python, 'optimize_lake.py', root, layer);
}

/** Runs a script of this folder and returns the JSON it printed. */
function script(program, name, ...args) {
  return scriptIn(process.env, program, name, ...args);
}

function scriptIn(env, program, name, ...args) {
  return printedBy(program, [join(here, name), ...args], env);
}

/** Runs a program and returns the JSON it printed. */
export async function printedBy(program, args, env = process.env) {
  const options = { env, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await promisify(execFile)(program, args, options);
  return JSON.parse(stdout);
}
