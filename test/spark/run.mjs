/**
 * Spark, DuckDB's extension for Delta tables, deltalake, polars and ClickHouse must agree with
 * windrow and with each other on a lake with hundreds of commits.
 *
 *     npm run build
 *     for each of test/interop and test/spark: python3 -m venv .venv, and
 *     .venv/bin/pip install -r requirements.txt
 *     node test/spark/run.mjs
 *
 * Needs Java 17, and Maven Central when Spark starts for the first time. Two releases of windrow
 * make the lake, of which the later one adds columns. Readers open its newest and two older
 * versions; then a copy after `windrow maintain --retain 0d`, and one that Spark has compacted,
 * z-ordered and vacuumed, from which windrow must go on as from the original.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LakeComparison } from '../interop/compare.mjs';
import { checkpointsOf, tableFolders } from '../interop/delta-log.mjs';
import { compareOptimized } from '../interop/foreign-optimize.mjs';
import { compareMaintained } from '../interop/maintained.mjs';
import { pythonOf, requirePackages } from '../interop/readers.mjs';
import { Tally } from '../interop/tally.mjs';
import { runAtHead, windrow } from '../interop/windrow.mjs';
import { makeLake } from './lake.mjs';
import { buildOlderRelease } from './older-release.mjs';
import { compareVersions } from './older-versions.mjs';
import { optimizeWithSpark, sparkReaderTasks } from './readers.mjs';

const COMMITS = 200;
/** A ranking of holders is read every two minutes. */
const RARELY_READ = ['MAINCHAIN/native_holders'];
const LATER_COLUMNS = [
  ['MAINCHAIN/blocks', 'ommer_blocks'],
  ['ZONECHAIN/cross_chain_transfers', 'update_time'],
];
/** Blocks of the run after another engine's work. */
const MORE_BLOCKS = 15;

const tally = new Tally();
const comparison = new LakeComparison(tally, sparkReaderTasks);

const folder = await mkdtemp(join(tmpdir(), 'windrow-spark-'));
try {
  await compareAll(join(folder, 'original'));
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  await rm(folder, { recursive: true, force: true });
}
tally.close();

async function compareAll(original) {
  requirePackages(import.meta.dirname);
  const olderCli = await buildOlderRelease(join(folder, 'older-release'));
  const { pipeline, head, moments } = await makeLake(folder, original, olderCli);
  const before = await comparison.lake('as windrow wrote it', original);
  await checkHistory(original, before);

  const compareAt = (stage, moment) => {
    return compareVersions({ tally, comparison, stage, root: original, moment });
  };
  const earlier = await compareAt('in the older release', moments[0]);
  const later = await compareAt('in the newer release', moments[1]);
  for (const [table, column] of LATER_COLUMNS) {
    for (const layer of ['lake', 'curated']) {
      const has = (logs) => column in logs[layer].get(table).columns;
      tally.equal(`${layer} ${table} gets ${column}`, [has(earlier), has(later)], [false, true]);
    }
  }

  const computed = join(folder, "Spark's tables");
  await cp(original, computed, { recursive: true });
  const digests = await curatedDigests(computed);
  process.env.WINDROW_PYTHON = pythonOf(import.meta.dirname);
  await windrow('load', '--full', '--engine', 'spark', '--master', 'local[2]', '--data', computed);
  tally.equal('Spark computes the curated tables', await curatedDigests(computed), digests);
  await rm(computed, { recursive: true });

  const maintained = join(folder, 'maintained');
  await cp(original, maintained, { recursive: true });
  await compareMaintained({ tally, comparison, root: maintained, before });
  await rm(maintained, { recursive: true });

  const copy = join(folder, 'copy');
  await cp(original, copy, { recursive: true });
  await compareOptimized({
    tally,
    comparison,
    roots: { original, copy },
    before,
    optimize: optimizeWithSpark,
    runNext: (roots) => runAtHead(head + MORE_BLOCKS, pipeline, roots),
  });
}

/** Numbers of rows and sums of their hashes, by curated table. */
async function curatedDigests(root) {
  const names = await windrow(
    'query',
    "SELECT view_name FROM duckdb_views() WHERE schema_name = 'curated_files' ORDER BY 1",
    '--data',
    root,
  );
  const digests = names.map(({ view_name: name }) => {
    const sum = 'coalesce(sum(hash(t)::HUGEINT), 0)::VARCHAR AS digest';
    return `SELECT '${name}' AS name, count(*) AS rows, ${sum} FROM curated_files.${name} AS t`;
  });
  return windrow('query', `${digests.join(' UNION ALL ')} ORDER BY 1`, '--data', root);
}

/** Every table has its commits, its checkpoints, and merges of windrow itself. */
async function checkHistory(root, { logs, curatedLogs }) {
  for (const [layer, entries] of Object.entries({ lake: logs, curated: curatedLogs })) {
    const folders = await tableFolders(join(root, layer));
    for (const [table, { version, operations }] of entries) {
      const label = `${layer} ${table}`;
      if (RARELY_READ.includes(table) && layer === 'lake') continue;
      tally.holds(`${label}: it has ${COMMITS} commits`, version + 1 >= COMMITS, version);
      const checkpoints = await checkpointsOf(folders.get(table));
      tally.holds(`${label}: it has checkpoints`, checkpoints.length > 0, checkpoints);
      if (layer === 'lake') {
        const isMerged = operations.includes('OPTIMIZE');
        tally.holds(`${label}: windrow has merged its files`, isMerged);
      }
    }
  }
}
