import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { windrowProcess } from '../e2e/command-line.ts';
import { activeFiles, digestsOf, PIPELINE, rowsOf, serve } from '../e2e/harness.ts';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';

const HEAD = 1_300;
/** Each costs two runs. */
const POINTS = IS_EXHAUSTIVE ? 50 : IS_THOROUGH ? 4 : 1;
const chain = simulatedChain({ seed: 'kill', head: HEAD });
const DATASETS = ['transactions', 'internal_transactions', 'token_transfers'];

/** Small windows and one slice a commit, so that a short run has many commits. */
const pipeline = PIPELINE.replace(/list: \[.*\]/, `list: ${JSON.stringify(chain.addresses(3))}`)
  .replace('commit: { rows: 50000, slices: 500', 'commit: { rows: 50000, slices: 1')
  .replace('blocks: { to: head }', 'blocks: { to: safe }\nwindowBlocks: 125');

const COMMIT_STEPS = new Set([
  'data file written',
  'data file read back',
  'data files published',
  'log entry written',
  'log entry published',
]);

/** Goal: a run killed at any named step leaves a lake that reads right, and the next run ends it. */
test('a run that is killed anywhere goes on to the same lake', async () => {
  const served = await serve(chainSource(chain));
  const folder = await freshFolder();
  const file = join(folder, 'kill.yaml');
  await writeFile(file, pipeline);
  const run = async (root: string, env: Record<string, string> = {}) =>
    windrowProcess(['run', file, '--data', root, '--source-url', served.url, '--json'], { env });

  const whole = await freshFolder();
  const traced = await run(whole, { WINDROW_TRACE_STEPS: '1' });
  expect(traced.code, traced.stderr).toBe(0);
  const steps = [...traced.stderr.matchAll(/^step \d+: (.*)$/gm)].map(([, name]) => name ?? '');
  const commits = steps.filter((step) => step === 'log entry published').length;
  expect(commits).toBeGreaterThanOrEqual(30);
  const expected = await digestsOf(whole);

  const points = Array.from(
    { length: POINTS },
    (_, i) => 1 + Math.floor(((i + 0.5) * steps.length) / POINTS),
  );
  const killedAt: string[] = [];
  await inParallel(points, 3, async (point) => {
    const root = await freshFolder();
    const killed = await run(root, { WINDROW_KILL_AT: String(point) });
    expect(killed.code).toBeNull();
    killedAt.push(/^killed at step \d+: (.*)$/m.exec(killed.stderr)?.[1] ?? 'nowhere');
    for (const dataset of DATASETS) await everyFileReads(root, dataset);
    const resumed = await run(root);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await digestsOf(root), `killed at ${point}`).toEqual(expected);
  });
  const inCommits = killedAt.filter((step) => COMMIT_STEPS.has(step)).length;
  process.stdout.write(
    `killed at ${killedAt.length} points of ${steps.length}, ${inCommits} of them inside commits; ` +
      `${new Set(killedAt).size} kinds of steps; ${commits} commits a run\n`,
  );
  expect(killedAt).toHaveLength(POINTS);
  expect(inCommits).toBeGreaterThanOrEqual(Math.floor(POINTS * 0.4));
});

/** A reader that follows the log meets no torn file after the kill. */
async function everyFileReads(root: string, dataset: string): Promise<void> {
  const files = await activeFiles(root, dataset).catch(() => []);
  if (files.length > 0) expect((await rowsOf(root, dataset, 'count(*) AS n'))[0]).toBeDefined();
}

async function inParallel<T>(
  items: readonly T[],
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
