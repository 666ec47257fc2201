import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { openConnection } from '../../src/land/storage/connection.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { askClean, type MeasuredRun, medianRun, runVerb } from './curated/measured.ts';
import { copyLake, landMore } from './curated/more-rows.ts';
import { firstDifference } from './curated/same-answers.ts';
import { type Question, questionsAbout, subjectsIn } from './curated-questions.ts';
import { sizesOf } from './made-up/sizes.ts';
import { makeUpLake } from './made-up-lake.ts';

/**
 * Costs of the curated tables over a made-up lake: building them, answering questions over the
 * views, and the checks. Every question is also asked of clean Parquet files, one per table, by
 * SQL that knows nothing of lists and coverage. Both answers must be equal. Each measurement is
 * that of a whole fresh process: CPU seconds of all its threads, and its peak memory; of three
 * runs, the median CPU and the highest memory. Prints Markdown tables; `!` marks a missed limit.
 *
 *     npm run build && npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql package.json node_modules/.bench/ &&
 *       node node_modules/.bench/test/bench/curated.js DIR [scale] [parts]
 *
 * The lake in DIR is reused if it has the scale. Parts: any of load,more,questions,checks (all).
 */

const ROUNDS = 3;
/** A question may cost 1.5 times the clean files, or 0.2 CPU seconds more than these. */
const MAX_RATIO = 1.5;
const FREE_SECONDS = 0.2;
const GB = 1e9;
const QUESTION_BYTES = 1.2 * GB;
const CHECK_SECONDS = 15;
const CHECK_BYTES = 1.5 * GB;

const [folder, scaleText = '1', parts = 'load,more,questions,checks'] = process.argv.slice(2);
if (folder === undefined) throw new Error('curated.js DIR [scale] [parts]');
const root = resolve(folder);
const clean = join(root, 'clean');

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const row = (...cells: readonly string[]): void => print(`| ${cells.join(' | ')} |`);
function table(...titles: readonly string[]): void {
  print('');
  row(...titles);
  row(...titles.map(() => '---'));
}
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
const mark = (isMissed: boolean): string => (isMissed ? ' !' : '');

async function ready(scale: number): Promise<void> {
  const text = await readFile(join(clean, 'scale.json'), 'utf8').catch(() => '{}');
  if ((JSON.parse(text) as { scale?: number }).scale === scale) return;
  await makeUpLake(root, scale, print);
}

/** Builds the curated tables and the warehouse from nothing, and once more without changes. */
async function measureLoad(): Promise<void> {
  await rm(layout(root).warehouse, { force: true });
  await rm(join(root, 'curated'), { recursive: true, force: true });
  table('step', 'raw rows', 'CPU s', 'rows per CPU s', 'wall s', 'peak MiB');
  for (const step of ['curate and publish', 'publish again']) {
    const run = await runVerb('load', '--data', root);
    const { rows } = JSON.parse(run.output) as { rows: number };
    const rate = Math.round(rows / run.cpuSeconds);
    const seconds = [run.cpuSeconds.toFixed(1), String(rate), run.wallSeconds.toFixed(1)];
    row(step, String(rows), ...seconds, mebibytes(run.peakBytes));
  }
}

/**
 * Curates and publishes 1,000 more rows of a followed address in new blocks, then those of one more
 * address in all blocks, and then one more address that has no rows. All in a copy of the lake.
 */
async function measureMore(): Promise<void> {
  const copy = await copyLake(root);
  const { address } = await subjects();
  const { head, heights } = sizesOf(Number(scaleText));
  const other = (digit: number): string => `0x${String(digit).repeat(40)}`;
  const steps = [0, 1, 2].flatMap((round) => {
    const from = head + 1 + 1000 * round;
    const [busy, empty] = [other(1 + round), other(5 + round)];
    return [
      { step: 'curate and publish 1,000 more rows', key: address, range: { from, to: from + 99 } },
      { step: 'the same of one more address, in all blocks', key: busy, range: heights },
      { step: 'one more address without rows', key: empty, range: heights, count: 0 },
    ];
  });
  try {
    table('step', 'CPU s', 'wall s', 'peak MiB');
    const runs = new Map<string, MeasuredRun[]>();
    for (const { step, key, range, count } of steps) {
      await landMore(copy, key, range, count);
      runs.set(step, [...(runs.get(step) ?? []), await runVerb('load', '--data', copy)]);
    }
    for (const [step, rounds] of runs) {
      const run = medianRun(rounds);
      const seconds = [run.cpuSeconds.toFixed(2), run.wallSeconds.toFixed(2)];
      row(step, ...seconds, mebibytes(run.peakBytes));
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function subjects(): ReturnType<typeof subjectsIn> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '2GiB' });
  const connection = await openConnection(instance);
  try {
    return await subjectsIn(connection, clean);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function measureQuestions(): Promise<boolean> {
  const questions = questionsAbout(await subjects(), clean);
  table(
    'question',
    'rows',
    'views CPU s',
    'clean CPU s',
    'ratio',
    'limit s',
    'peak MiB',
    'answers',
  );
  let isEqual = true;
  for (const question of questions) isEqual = (await measureQuestion(question)) && isEqual;
  return isEqual;
}

/** Returns whether the answers were equal. */
async function measureQuestion({ name, warehouse, clean: sql }: Question): Promise<boolean> {
  const views: MeasuredRun[] = [];
  const files: MeasuredRun[] = [];
  // In turns, so that changes of the machine's speed touch both.
  for (let round = 0; round < ROUNDS; round += 1) {
    views.push(await runVerb('query', warehouse, '--data', root));
    files.push(await askClean(sql));
  }
  const [ours, theirs] = [medianRun(views), medianRun(files)];
  const limit = Math.max(MAX_RATIO * theirs.cpuSeconds, theirs.cpuSeconds + FREE_SECONDS);
  const answer = JSON.parse(ours.output) as unknown[];
  const difference = firstDifference(answer, JSON.parse(theirs.output));
  row(
    name,
    String(answer.length),
    `${ours.cpuSeconds.toFixed(2)}${mark(ours.cpuSeconds > limit)}`,
    theirs.cpuSeconds.toFixed(2),
    (ours.cpuSeconds / theirs.cpuSeconds).toFixed(2),
    limit.toFixed(2),
    `${mebibytes(ours.peakBytes)}${mark(ours.peakBytes > QUESTION_BYTES)}`,
    difference === undefined ? 'equal' : `! ${difference}`,
  );
  return difference === undefined;
}

/** Every check alone, and all of them. */
async function measureChecks(): Promise<void> {
  table('check', 'findings', 'CPU s', 'wall s', 'peak MiB');
  for (const { name } of await sqlFiles('checks')) await measureCheck(name, '--only', name);
  await measureCheck('all checks');
}

async function measureCheck(title: string, ...options: readonly string[]): Promise<void> {
  const run = await runVerb('check', '--data', root, ...options).catch(String);
  if (typeof run === 'string') {
    row(title, `! ${run.slice(-200).replaceAll('\n', ' ')}`, '', '', '');
    return;
  }
  const { checks } = JSON.parse(run.output) as { checks: { findings: unknown[] }[] };
  const findings = checks.reduce((sum, check) => sum + check.findings.length, 0);
  const isSlow = checks.length === 1 && run.cpuSeconds > CHECK_SECONDS;
  row(
    title,
    String(findings),
    `${run.cpuSeconds.toFixed(1)}${mark(isSlow)}`,
    run.wallSeconds.toFixed(1),
    `${mebibytes(run.peakBytes)}${mark(run.peakBytes > CHECK_BYTES)}`,
  );
}

await ready(Number(scaleText));
if (parts.includes('load')) await measureLoad();
if (parts.includes('more')) await measureMore();
const isEqual = parts.includes('questions') ? await measureQuestions() : true;
if (parts.includes('checks')) await measureChecks();
if (!isEqual) process.exitCode = 1;
