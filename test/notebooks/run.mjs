/**
 * Every notebook must run from top to bottom on a lake: no error, no warning, its charts drawn, its
 * page without scripts and network; and other parameters must give other results.
 *
 *     python3 -m venv test/notebooks/.venv
 *     test/notebooks/.venv/bin/pip install -r notebooks/requirements.txt
 *     node test/notebooks/run.mjs [DATA_ROOT]
 *
 * Without a data root, it exports the demo into one of its own.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Tally } from '../interop/tally.mjs';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const MAIN = here('../../dist/cli/main.js');
const venv = here('.venv/bin/python');
const python = process.env.WINDROW_PYTHON ?? (existsSync(venv) ? venv : 'python3');

/** Notebooks with the number of charts that they show. */
const CHARTS = {
  'address-report': 5,
  'analyst-questions': 4,
  'token-flows': 5,
  'cross-chain-journeys': 4,
  holders: 4,
  'data-quality': 3,
  auditor: 3,
  blank: 2,
  preconfirmations: 3,
};
/** windrow runs this one; the others take one process of Python, which loads the packages once. */
const BY_WINDROW = 'data-quality';
/** Other parameters, and what a cell prints for them. */
const OTHER = {
  'address-report': ['--blocks', '29000:29500'],
  'token-flows': ['--blocks', '29000:29500'],
  'cross-chain-journeys': ['--blocks', '29000:29900'],
  holders: ['--top', '5'],
};

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'windrow-notebooks-'));
try {
  const data = process.argv[2] ?? (await demo());
  const stream = await captured();
  const files = [];
  for (const template of Object.keys(CHARTS)) {
    const source = template === 'preconfirmations' ? stream : data;
    const file = fileOf(template);
    if (template === BY_WINDROW) await write(file, template, source, '--execute', '--html');
    else files.push(await write(file, template, source));
  }
  for (const [template, other] of Object.entries(OTHER)) {
    files.push(await write(otherOf(template), template, data, ...other));
  }
  await run(python, [here('run_all.py'), ...files], { maxBuffer: 64 * 1024 * 1024 });
  for (const [template, charts] of Object.entries(CHARTS)) await checkOne(template, charts);
  await checkLiterals(data);
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack} ${error.stdout ?? ''}`, false);
} finally {
  await rm(folder, { recursive: true, force: true });
}
tally.close();

async function windrow(...args) {
  const env = { ...process.env, WINDROW_PYTHON: python };
  const options = { env, maxBuffer: 64 * 1024 * 1024 };
  return (await run(process.execPath, [MAIN, ...args], options)).stdout;
}

async function demo() {
  const data = join(folder, 'demo');
  await windrow('demo', '--data', data);
  return data;
}

/** A lake with a captured stream and the blocks that settle it. */
async function captured() {
  const data = join(folder, 'captured');
  const words = 'serve --chain demo --stream-speed 5 --no-auth --port 0 --json';
  const server = spawn(process.execPath, [MAIN, ...words.split(' ')]);
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const source = ['--source-url', JSON.parse(line).url, '--data', data];
    const run = ['run', here('../../pipelines/stream.yaml'), ...source];
    // Exit code 3: the lists were not finished in this time. The next run reads the settled blocks.
    await windrow(...run, '--for', '10s').catch((error) => {
      if (error.code !== 3) throw error;
    });
    await windrow(...run);
  } finally {
    server.kill();
  }
  return data;
}

/** Writes a notebook; returns its file. */
async function write(file, template, data, ...options) {
  await windrow('notebook', template, '--data', data, '--out', file, ...options);
  return file;
}

function fileOf(template) {
  return join(folder, `${template}.ipynb`);
}

/** The notebook with other parameters. */
function otherOf(template) {
  return fileOf(`${template}-other`);
}

/** The outputs of all cells of a notebook that was run. */
async function outputsOf(label, file) {
  const notebook = JSON.parse(await readFile(file, 'utf8'));
  const code = notebook.cells.filter(({ cell_type: kind }) => kind === 'code');
  tally.holds(
    `${label}: every cell ran`,
    code.every((cell) => cell.execution_count > 0),
  );
  return code.flatMap(({ outputs }) => outputs);
}

async function checkOne(template, charts) {
  const outputs = await outputsOf(template, fileOf(template));
  const drawn = outputs.filter((output) => output.data?.['image/svg+xml'] !== undefined);
  const warned = outputs.filter(
    ({ name, output_type: kind }) => name === 'stderr' || kind === 'error',
  );
  tally.equal(`${template}: charts`, drawn.length, charts);
  tally.equal(`${template}: warnings`, warned, []);
  for (const [i, { data: shown }] of drawn.entries()) {
    const marks = String(shown['image/svg+xml']).match(
      /aria-roledescription="[^"]*(bar|line|area|circle)/g,
    );
    tally.holds(`${template}: chart ${i + 1} has marks`, (marks?.length ?? 0) > 0);
  }
  const page = await readFile(join(folder, `${template}.html`), 'utf8');
  tally.holds(`${template}: the page runs nothing`, !/<script|\son\w+=/i.test(page));
  tally.holds(
    `${template}: the page loads nothing`,
    !/(src|href)="https?:|url\(["']?https?:/i.test(page),
  );
  tally.holds(`${template}: the page names its parameters`, page.includes('warehouse = &quot;/'));
  tally.holds(`${template}: the page has a policy`, page.includes("default-src 'none'"));
  if (template === 'analyst-questions') {
    const said = outputs.map((output) => [output.text ?? ''].flat().join('')).join('');
    tally.holds(
      '17 short questions',
      said.includes('17 questions, 0 of them above one CPU second'),
    );
  }
  if (OTHER[template] === undefined) return;
  const texts = (all) => JSON.stringify(all.map((cell) => cell.text ?? cell.data?.['text/plain']));
  const changed = await outputsOf(`${template}, other parameters`, otherOf(template));
  tally.holds(`${template}: parameters change the result`, texts(changed) !== texts(outputs));
}

/** Python reads every literal of a notebook as the text that was given. */
async function checkLiterals(data) {
  const { pythonLiteral } = await import(here('../../dist/export/notebook/notebook.js'));
  const code = await readFile(here('../fixtures/injections.ts'), 'utf8');
  const lists = [...code.matchAll(/readonly string\[\] = (\[[\s\S]*?\n\]);/g)];
  const texts = lists.flatMap(([, list]) => Function(`return ${list}`)());
  const lines = texts.map((text) => pythonLiteral(text));
  await writeFile(join(folder, 'literals.json'), JSON.stringify({ texts, lines }));
  const program = [
    'import ast, json, sys',
    'found = json.load(open(sys.argv[1]))',
    'print([ast.literal_eval(line) for line in found["lines"]] == found["texts"])',
  ].join('\n');
  const { stdout } = await run(python, ['-c', program, join(folder, 'literals.json')]);
  tally.equal(`${texts.length} texts as literals of Python`, stdout.trim(), 'True');
  tally.holds(
    'literals are one line',
    lines.every((line) => !/[\r\n]/.test(line)),
  );
  const failed = await windrow(
    'notebook',
    'blank',
    '--address',
    '0x1"; import os',
    '--data',
    data,
  ).catch((error) => error.stderr);
  tally.holds('an address is checked', /not an address/.test(failed));
}
