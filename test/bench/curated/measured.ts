import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Resources of one process from its start to its end, of all its threads. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakBytes: number;
}

export interface MeasuredRun extends ProcessUsage {
  readonly output: string;
  readonly exitCode: number;
}

const USAGE = new URL('./usage.js', import.meta.url).href;
/** The build, as users run it: `src` has no warehouse to start from. */
const COMMAND_LINE = resolve('dist/cli/main.js');
const ASK_CLEAN = fileURLToPath(new URL('./ask-clean.js', import.meta.url));

/** Runs a verb of windrow in a fresh process, with its output as JSON. */
export function runVerb(...args: readonly string[]): Promise<MeasuredRun> {
  return measured(COMMAND_LINE, [...args, '--json']);
}

/** Answers SQL over Parquet files in a fresh process. */
export function askClean(sql: string): Promise<MeasuredRun> {
  return measured(ASK_CLEAN, [sql]);
}

/** Runs a program in a fresh process. Throws unless it ends with exit code 0 or 4. */
export async function measured(script: string, args: readonly string[]): Promise<MeasuredRun> {
  const child = spawn(process.execPath, ['--import', USAGE, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });
  const [, stdout, stderr, usage] = child.stdio as unknown as [null, Readable, Readable, Readable];
  const [output, errors, used, exitCode] = await Promise.all([
    text(stdout),
    text(stderr),
    text(usage),
    ended,
  ]);
  if (used === '') throw new Error(`exit code ${exitCode} of ${args.join(' ')}: ${errors}`);
  if (exitCode !== 0 && exitCode !== 4) throw new Error(`${args.join(' ')}: ${output}${errors}`);
  return { ...(JSON.parse(used) as ProcessUsage), output, exitCode };
}

/** The run with the median of the CPU seconds, and the highest memory of all. */
export function medianRun(runs: readonly MeasuredRun[]): MeasuredRun {
  const sorted = [...runs].sort((a, b) => a.cpuSeconds - b.cpuSeconds);
  const middle = sorted[sorted.length >> 1];
  if (middle === undefined) throw new Error('no runs');
  return { ...middle, peakBytes: Math.max(...runs.map(({ peakBytes }) => peakBytes)) };
}
