import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { printedBy, pythonOf, releaseOf } from './readers.mjs';
import { project, windrow } from './windrow.mjs';

/**
 * The statements of `windrow connect --as` run in their engines, and the views there have the rows
 * of the warehouse. So have the questions of the bench, which are the same SQL in each engine.
 */

const ENGINES = ['clickhouse', 'trino', 'duckdb', 'polars'];
const SUBJECTS = `
  SELECT (SELECT max(tx_hash) FROM transactions) AS hash,
    (SELECT tx_hash FROM token_transfers GROUP BY ALL ORDER BY count(*) DESC, 1 LIMIT 1)
      AS "hashOfTransfers",
    min(block_number) AS "firstBlock", max(block_number) AS "lastBlock",
    (SELECT from_address FROM transactions GROUP BY ALL ORDER BY count(*) DESC, 1 LIMIT 1)
      AS address,
    (SELECT token_address FROM token_transfers WHERE token_standard = 'token_20'
     GROUP BY ALL ORDER BY count(*) DESC, 1 LIMIT 1) AS token,
    (SELECT token_address FROM token_transfers WHERE token_standard = 'token_721'
     GROUP BY ALL ORDER BY count(*) DESC, 1 LIMIT 1) AS nft,
    min(block_date)::VARCHAR AS "firstDay", max(block_date)::VARCHAR AS "lastDay"
  FROM transactions`;

/** The scripts and questions for a data root, as files for the programs that execute them. */
export async function engineFiles(root, engines = ENGINES) {
  const scripts = {};
  for (const engine of engines) {
    scripts[engine] = (await windrow('connect', '--as', engine, '--data', root)).statements;
  }
  const outfile = join(root, 'curated-questions.mjs');
  const source = join(project, 'test/bench/curated-questions.ts');
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm' });
  const { questionsAbout } = await import(outfile);
  const rows = await windrow('query', SUBJECTS, '--data', root);
  const questions = questionsAbout(rows[0], root).map(({ name, warehouse }) => [name, warehouse]);
  const files = ['scripts.json', 'questions-of-bench.json'].map((name) => join(root, name));
  await writeFile(files[0], JSON.stringify(scripts));
  await writeFile(files[1], JSON.stringify(questions));
  return { files, count: questions.length };
}

export async function compareEngines({ tally, root }) {
  const { files, count } = await engineFiles(root);
  const program = join(import.meta.dirname, 'engine_scripts.py');
  const env = { ...process.env, PYTHONPATH: releaseOf('1.5.6') };
  const report = await printedBy(pythonOf(import.meta.dirname), [program, ...files], env);
  tally.equal('all 15 questions of the bench are asked', count, 15);
  tally.equal('views and questions have the rows of DuckDB on ClickHouse', report.missed, []);
  tally.holds('these are many views and rows', report.views > 60 && report.rows > 10_000);
}
