import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/**
 * Whether Bloom filters make look-ups in curated tables faster: of a transaction by its hash, and
 * of a token's transfers. Made-up rows are written in the layout of src/curate/table-writer.ts, in
 * three sizes of row groups. DuckDB writes Bloom filters for dictionary-encoded columns alone, so
 * hashes get one only if the dictionary may have as many values as the row group. Prints a Markdown
 * table: size, CPU seconds of writing, and CPU milliseconds per look-up (the median).
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       node node_modules/.bench/test/bench/bloom-filters.js FOLDER [rows]
 */

const ROUNDS = 9;
const ROW_GROUPS = [20_480, 61_440, 122_880];
/** Transfers name tokens as unevenly as on real chains: a few name most of the rows. */
const TOKENS = 20_000;

const [given, rowsText = '2000000'] = process.argv.slice(2);
if (given === undefined) throw new Error('bloom-filters.js FOLDER [rows]');
const folder = resolve(given);
const rows = Number(rowsText);

const TABLES = {
  transactions: `SELECT
      18000000 + i // 15 AS block_number,
      make_timestamptz((1700000000 + i // 15 * 12) * 1000000) AS block_time,
      '0x' || sha256('t' || i) AS tx_hash,
      '0x' || sha1('a' || hash(i, 'f') % 200000) AS from_address,
      '0x' || sha1('a' || hash(i, 't') % 200000) AS to_address,
      CAST(hash(i, 'v') % 1000000000 AS VARCHAR) AS amount_text,
      CAST(hash(i, 'v') % 1000000000 AS DECIMAL(38, 18)) AS amount,
      CAST(hash(i, 'v') % 1000000000 AS DOUBLE) AS amount_double,
      CAST(hash(i, 'g') % 10000000 AS BIGINT) AS gas_used,
      '0x' || sha256('b' || i // 15) AS block_hash,
      'complete' AS coverage_status
    FROM range(${rows}) AS numbers (i) ORDER BY block_number, tx_hash`,
  token_transfers: `SELECT
      18000000 + i // 15 AS block_number,
      make_timestamptz((1700000000 + i // 15 * 12) * 1000000) AS block_time,
      '0x' || sha256('t' || i // 2) AS tx_hash,
      '0x' || sha1('k' || floor(${TOKENS} * pow(hash(i, 'k') / 18446744073709551615, 4)))
        AS token_address,
      '0x' || sha1('a' || hash(i, 'f') % 200000) AS from_address,
      '0x' || sha1('a' || hash(i, 't') % 200000) AS to_address,
      CAST(hash(i, 'v') % 1000000000 AS VARCHAR) AS amount_text,
      CAST(hash(i, 'v') % 1000000000 AS DECIMAL(38, 18)) AS amount,
      CAST(hash(i, 'v') % 1000000000 AS DOUBLE) AS amount_double,
      'complete' AS coverage_status
    FROM range(${rows}) AS numbers (i) ORDER BY block_number, tx_hash, token_address`,
};

/** Look-ups by table: a column, and the values that are looked up. */
const LOOK_UPS: Readonly<Record<keyof typeof TABLES, readonly [string, Record<string, string>]>> = {
  transactions: ['tx_hash', { hash: `sha256('t' || ${rows >> 1})`, absent: `sha256('none')` }],
  token_transfers: [
    'token_address',
    { 'rare token': `sha1('k' || ${TOKENS - 1}.0)`, 'common token': `sha1('k' || 7.0)` },
  ],
};

const VARIANTS = {
  none: () => 'WRITE_BLOOM_FILTER false',
  'as DuckDB chooses': () => 'WRITE_BLOOM_FILTER true',
  'every value': (size: number) => `WRITE_BLOOM_FILTER true, DICTIONARY_SIZE_LIMIT ${size}`,
};

const print = (...cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

async function cpuOf(task: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function measured(connection: DuckDBConnection, table: keyof typeof TABLES): Promise<void> {
  const [column, values] = LOOK_UPS[table];
  print(table, 'row group', 'MiB', 'write s', 'with filter', ...Object.keys(values).map(msOf));
  print(...Array.from({ length: 5 + Object.keys(values).length }, () => '---'));
  for (const size of ROW_GROUPS) {
    for (const [name, options] of Object.entries(VARIANTS)) {
      const path = join(folder, `${table}.parquet`);
      const writeSeconds = await cpuOf(() =>
        connection.run(
          `COPY made_up.${table} TO '${path}' (FORMAT parquet, COMPRESSION zstd,
             COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${size}, ${options(size)})`,
        ),
      );
      const found = await connection.runAndReadAll(
        `SELECT count(bloom_filter_offset) || ' of ' || count(*)
         FROM parquet_metadata('${path}') WHERE path_in_schema = '${column}'`,
      );
      const times: string[] = [];
      for (const value of Object.values(values)) {
        const sql = `SELECT * FROM read_parquet('${path}') WHERE ${column} = '0x' || ${value}`;
        const seconds: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          seconds.push(await cpuOf(() => connection.runAndReadAll(sql)));
        }
        seconds.sort((a, b) => a - b);
        times.push(((seconds[ROUNDS >> 1] ?? 0) * 1000).toFixed(0));
      }
      const mebibytes = ((await stat(path)).size / 2 ** 20).toFixed(0);
      const filters = String(found.getRows()[0]?.[0]);
      print(name, size, mebibytes, writeSeconds.toFixed(1), filters, ...times);
    }
  }
}

function msOf(lookUp: string): string {
  return `${lookUp}, ms`;
}

const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const connection = await instance.connect();
await connection.run('CREATE SCHEMA made_up');
for (const [table, sql] of Object.entries(TABLES)) {
  await connection.run(`CREATE TABLE made_up.${table} AS ${sql}`);
  await measured(connection, table as keyof typeof TABLES);
  await connection.run(`DROP TABLE made_up.${table}`);
  print('');
}
connection.closeSync();
instance.closeSync();
