/**
 * The dbt project in dbt/ must build over a lake: every model is written, every test passes, and
 * the models have the numbers of the warehouse. A broken lake must turn a test red.
 *
 *     python3 -m venv test/dbt/.venv
 *     test/dbt/.venv/bin/pip install -r test/dbt/requirements.txt
 *     node test/dbt/run.mjs [DATA_ROOT]
 *
 * Without a data root, it exports the demo into one of its own.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { Tally } from '../interop/tally.mjs';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const MAIN = here('../../dist/cli/main.js');
const MODELS = ['daily_activity', 'address_months'];

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'windrow-dbt-'));
try {
  const data = resolve(process.argv[2] ?? (await demo()));
  await checkBuild(join(data, 'warehouse.duckdb'));
  await checkBroken();
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack} ${error.stdout ?? ''}`, false);
} finally {
  await rm(folder, { recursive: true, force: true });
}
tally.close();

async function demo() {
  const data = join(folder, 'demo');
  await run(process.execPath, [MAIN, 'demo', '--data', data]);
  return data;
}

/** Results by node of `dbt build` over a warehouse, in a copy of the project. */
async function built(warehouse, name) {
  const project = join(folder, name);
  await cp(here('../../dbt'), project, { recursive: true });
  const env = { ...process.env, WINDROW_WAREHOUSE: warehouse, DBT_PROFILES_DIR: project };
  const options = { cwd: project, env, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await run(here('.venv/bin/dbt'), ['build'], options).catch((error) => error);
  const text = await readFile(join(project, 'target/run_results.json'), 'utf8').catch(() => {
    throw new Error(`dbt ended early: ${stdout}`);
  });
  const results = JSON.parse(text).results.map(({ unique_id: id, status, failures }) => {
    return { node: id.split('.').slice(2).join('.'), status, failures };
  });
  return { project, results };
}

async function checkBuild(warehouse) {
  const { project, results } = await built(warehouse, 'project');
  for (const { node, status } of results) {
    tally.holds(`dbt: ${node}`, status === 'success' || status === 'pass', status);
  }
  const models = results.filter(({ status }) => status === 'success').map(({ node }) => node);
  tally.equal('dbt: models', models.sort().join(), [...MODELS].sort().join());
  tally.holds('dbt: at least 20 tests', results.length - models.length >= 20);
  const instance = await DuckDBInstance.create(warehouse, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  await connection.run('SET enable_caching_operators = false');
  await connection.run(`ATTACH '${join(project, 'models.duckdb')}' AS models (READ_ONLY)`);
  const rows = async (sql) => JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson());
  const compared = [
    [
      'days',
      'SELECT day, transactions, failed, fees FROM models.daily_activity WHERE transactions > 0',
      `SELECT block_date, count(*), count(*) FILTER (NOT succeeded), sum(tx_fee)
       FROM transactions GROUP BY block_date`,
    ],
    [
      'token transfers',
      'SELECT sum(token_transfers) FROM models.daily_activity',
      `SELECT count(*)::HUGEINT FROM token_transfers WHERE tx_status IS DISTINCT FROM 'fail'`,
    ],
    [
      'legs of followed addresses',
      'SELECT address, sum(legs), sum(unknown_legs) FROM models.address_months GROUP BY ALL',
      `SELECT address, count(*)::HUGEINT, count(*) FILTER (signed_text IS NULL)::HUGEINT
       FROM address_activity WHERE followed GROUP BY ALL`,
    ],
  ];
  for (const [name, model, truth] of compared) {
    tally.equal(
      `dbt: ${name}`,
      await rows(`${model} ORDER BY ALL`),
      await rows(`${truth} ORDER BY ALL`),
    );
  }
  connection.closeSync();
}

/** A warehouse with a hash in two blocks, a status that no list has, and a row without an address. */
async function checkBroken() {
  const path = join(folder, 'broken.duckdb');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(`
    CREATE TABLE transactions AS
    SELECT unnest([1, 2]) AS block_number, DATE '2024-01-01' AS block_date, '0x1' AS tx_hash,
      'lost' AS tx_status, false AS succeeded, '0xa' AS from_address, 1 AS tx_fee,
      'complete' AS coverage_status;
    CREATE TABLE token_transfers AS
    SELECT '0x1' AS tx_hash, '0x7' AS token_address, 1.0 AS amount_double, 'success' AS tx_status,
      DATE '2024-01-01' AS block_date, 'complete' AS coverage_status;
    CREATE TABLE address_activity AS
    SELECT NULL::VARCHAR AS address, NULL::VARCHAR AS label, 'primary' AS axis, 'value' AS leg,
      'in' AS direction, DATE '2024-01-01' AS block_date, NULL::VARCHAR AS token_address,
      'NATIVE' AS symbol, 1.0 AS signed_double, '1' AS signed_text, true AS followed,
      'complete' AS coverage_status`);
  connection.closeSync();
  instance.closeSync();
  const { results } = await built(path, 'broken');
  const failed = results.filter(({ status }) => status === 'fail').map(({ node }) => node);
  for (const test of [
    'accepted_values_windrow_transactions_tx_status',
    'not_null_windrow_address_activity_address',
    'transactions_are_in_one_block',
  ]) {
    tally.holds(
      `dbt: ${test} finds the damage`,
      failed.some((node) => node.includes(test)),
    );
  }
}
