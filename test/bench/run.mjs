import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PARTS } from './parts.mjs';
import { measuresIn } from './tables.mjs';

/**
 * Runs all benches whose figures docs/benchmarks.md shows, prints one table of their ratios, and
 * writes the file.
 *
 *     npm run bench                      # about 15 minutes
 *     npm run bench -- --size full       # some hours
 *     npm run bench -- landing peers     # only these parts; the file stays as it is
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const COMPILED = join(REPOSITORY, 'node_modules/.bench');
const line = process.argv.slice(2);
const isFull = line.includes('full');
const names = line.filter((word) => word !== 'full' && word !== '--size');
const parts = PARTS.filter(({ name }) => names.length === 0 || names.includes(name));
const run = promisify(execFile);
/** Other work on the machine makes CPU seconds longer, so the file says how much there is. */
const [loadBefore] = loadavg();
const options = { cwd: REPOSITORY, maxBuffer: 2 ** 28 };

/** Compiles benches and sources; the command line itself is the build in `dist`. */
async function compile() {
  await run(process.execPath, [join(REPOSITORY, 'build/build.mjs')], options);
  await rm(COMPILED, { recursive: true, force: true });
  const tsc = ['tsc', '-p', 'tsconfig.json', '--noEmit', 'false', '--outDir', COMPILED];
  await run('npx', tsc, options);
  for (const name of ['sql', 'package.json']) {
    await cp(join(REPOSITORY, name), join(COMPILED, name), { recursive: true });
  }
}

/** The output of a part, or the reason why it has none. */
async function outputOf({ program, small, full }, folder) {
  const args = (isFull ? full : small).map((arg) => arg.replace('DIR', folder));
  const file = program.endsWith('.mjs') ? REPOSITORY : COMPILED;
  const { stdout } = await run(process.execPath, [join(file, 'test/bench', program), ...args], {
    ...options,
  }).catch((error) => {
    const lines = String(error.stderr ?? '')
      .trim()
      .split('\n');
    // Without a message, the exit code only says that a limit was missed.
    if (lines[0] === '') return error;
    const cause = lines.find((text) => /error/i.test(text)) ?? lines[0];
    return { stdout: `${error.stdout ?? ''}\nThe bench ended early: ${cause}` };
  });
  return stdout.trim();
}

async function main() {
  await compile();
  const scratch = await mkdtemp(join(tmpdir(), 'windrow-bench-'));
  const sections = [];
  const measures = [];
  try {
    for (const part of parts) {
      const startedMs = performance.now();
      const output = await outputOf(part, join(scratch, part.name));
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      process.stderr.write(`${part.name}: ${seconds} s\n`);
      measures.push(...measuresIn(part, output));
      sections.push(`## ${part.title}\n\n${part.text}\n\n${markdownOf(output)}`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  const table = [
    ['part', 'measure', 'figure', 'limit', 'met'],
    ['---', '---', '---', '---', '---'],
    ...measures.map(({ part, measure, figure, limit, isMet }) => {
      return [part, measure, figure, limit ?? '', isMet === undefined ? '' : isMet ? 'yes' : 'no'];
    }),
  ].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`${table.join('\n')}\n`);
  if (names.length > 0) return;
  const text = [await head(), table.join('\n'), ...sections].join('\n\n');
  await writeFile(join(REPOSITORY, 'docs/benchmarks.md'), `${text}\n`);
}

/** Tables as they are; other lines of the output as text. */
function markdownOf(output) {
  const lines = output.split('\n').filter((row) => !row.startsWith('clean/'));
  const isTable = (row) => row?.startsWith('|') === true;
  return lines
    .map((row, i) => {
      const isEdge = i > 0 && isTable(row) !== isTable(lines[i - 1]) && lines[i - 1] !== '';
      return `${isEdge ? '\n' : ''}${isTable(row) || row === '' ? row : `    ${row}`}`;
    })
    .join('\n');
}

async function head() {
  const { dependencies } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  const { stdout } = await run('git', ['rev-parse', '--short', 'HEAD'], options);
  return `# Benchmarks

\`npm run bench\` writes this file; \`--size full\` measures the sizes that the limits are set for.
Ratios matter, because seconds depend on the machine. CPU seconds are those of all threads of a
process; medians of three runs, if nothing else is said. On a machine that does other work, too (see
the load average), CPU seconds are higher.

- ${date}, commit ${stdout.trim()}, ${isFull ? 'full' : 'small'} sizes
- ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GiB of memory, load average ${loadBefore.toFixed(1)} at the start
- Node ${process.version}, DuckDB ${dependencies['@duckdb/node-api']}

## Summary`;
}

await main();
