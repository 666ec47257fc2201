/**
 * Independent readers must agree with windrow and with each other on every table of a lake.
 *
 *     npm run build && cd test/interop
 *     python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
 *     bash install-duckdb.sh && node run.mjs
 *
 * A lake is exported twice from a growing chain, so that its logs hold `remove` lines, and read by
 * deltalake, polars, ClickHouse and three releases of DuckDB: its raw and its curated tables, and
 * the answers to questions about the curated ones. The statements of `windrow connect --as` run in
 * their engines. Then windrow merges and deletes the files of a
 * copy. Another engine compacts, checkpoints and vacuums another copy, and z-orders its curated
 * tables. No reader that follows the log may see a difference, and windrow must go on from this
 * copy as from the original.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LakeComparison } from './compare.mjs';
import { compareEngines } from './engines.mjs';
import { compareOptimized } from './foreign-optimize.mjs';
import { compareMaintained } from './maintained.mjs';
import { questionsAbout } from './questions.mjs';
import { logReaderTasks, optimize, readerTasks, requirePackages } from './readers.mjs';
import { TABLES } from './tables.mjs';
import { Tally } from './tally.mjs';
import { runAtHead, writePipeline } from './windrow.mjs';

const HEADS = [29_090, 29_110];
const LAST_HEAD = 29_125;

const tally = new Tally();

const folder = await mkdtemp(join(tmpdir(), 'windrow-interop-'));
try {
  await compareAll(join(folder, 'original'), join(folder, 'copy'), join(folder, 'maintained'));
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  await rm(folder, { recursive: true, force: true });
}
tally.close();

async function compareAll(original, copy, maintained) {
  requirePackages();
  const comparison = new LakeComparison(tally, logReaderTasks, questionsAbout);
  const pipeline = await writePipeline(folder);
  for (const head of HEADS) await runAtHead(head, pipeline, [original]);
  const before = await comparison.lake('as windrow wrote it', original, readerTasks);
  for (const [table, { removed }] of before.logs) {
    const { isReplaced } = TABLES.get(table);
    tally.equal(`${table}: its log holds remove lines`, removed > 0, isReplaced);
  }

  await compareEngines({ tally, root: original });

  await cp(original, maintained, { recursive: true });
  await compareMaintained({ tally, comparison, root: maintained, before });

  await cp(original, copy, { recursive: true });
  await compareOptimized({
    tally,
    comparison,
    roots: { original, copy },
    before,
    optimize,
    runNext: (roots) => runAtHead(LAST_HEAD, pipeline, roots),
  });
}
