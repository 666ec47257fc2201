import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type MeasuredRun, measured, medianRun } from './curated/measured.ts';

/**
 * The CPU time of verbs with little work, of the build in `dist`: the start of the command line, one
 * small query, and a run that finds everything complete, over the lake of the demo. Prints medians
 * of whole processes as a Markdown table; `!` marks a missed limit.
 *
 *     npm run build && npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       node node_modules/.bench/test/bench/start-up.js [rounds, 3]
 *
 * It starts in the folder of the repository.
 */

const [rounds = 3] = process.argv.slice(2).map(Number);
const MAIN = resolve('dist/cli/main.js');
const NOTHING_SECONDS = 1.5;

async function medianOf(args: readonly string[]): Promise<MeasuredRun> {
  const runs: MeasuredRun[] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await measured(MAIN, args));
  return medianRun(runs);
}

const print = (cells: readonly string[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};
function row(step: string, { cpuSeconds, peakBytes }: MeasuredRun, limit?: number): void {
  const mark = limit !== undefined && cpuSeconds > limit ? ' !' : '';
  const seconds = [`${cpuSeconds.toFixed(2)}${mark}`, limit?.toFixed(2) ?? ''];
  print([step, ...seconds, (peakBytes / 2 ** 20).toFixed(0)]);
}

const scratch = await mkdtemp(join(tmpdir(), 'windrow-start-up-'));
const data = join(scratch, 'demo');
await measured(MAIN, ['demo', '--data', data]);
const serve = [MAIN, 'serve', '--chain', 'demo', '--no-auth', '--port', '0', '--json'];
const service = spawn(process.execPath, serve, { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [line] = await once(createInterface({ input: service.stdout }), 'line');
  const { url } = JSON.parse(String(line)) as { url: string };
  print(['step', 'CPU s', 'limit s', 'peak MiB']);
  print(['---', '---', '---', '---']);
  row('windrow --version', await medianOf(['--version']));
  row('a query that reads nothing', await medianOf(['query', 'SELECT 1', '--data', data]));
  const addresses = ['--addresses', join(data, 'addresses.csv')];
  const pipeline = ['run', 'pipelines/demo.yaml', '--data', data, '--source-url', url];
  row('a run with nothing to do', await medianOf([...pipeline, ...addresses]), NOTHING_SECONDS);
} finally {
  service.kill();
  await rm(scratch, { recursive: true, force: true });
}
