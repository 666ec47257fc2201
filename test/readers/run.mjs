/**
 * Other programs must read every export as it was written: Arrow in pyarrow, polars and
 * apache-arrow with equal content and types, XLSX in openpyxl and LibreOffice without a lost digit,
 * CSV after removing the quotes in front; certificates in a verifier that shares no code with us.
 *
 *     python3 -m venv test/readers/.venv
 *     test/readers/.venv/bin/pip install -r test/readers/requirements.txt
 *     node test/readers/run.mjs [DATA_ROOT]
 *
 * Without a data root, it exports the demo into one of its own. LibreOffice is used if it is there.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DataType, tableFromIPC } from 'apache-arrow';
import { checkCertificates } from './certificates.mjs';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const MAIN = here('../../dist/cli/main.js');
const MAX_BUFFER = 256 * 1024 * 1024;
const venv = here('.venv/bin/python');
const python = process.env.PYTHON ?? (existsSync(venv) ? venv : 'python3');

/** Texts that spreadsheets read as numbers or escapes. */
const ODD = ['007', '1e5', '12345678901234567890', '_x003D_1', 'ü🌾', "''x"];
const ORDER = 'block_number,tx_hash';

const folder = await mkdtemp(join(tmpdir(), 'windrow-readers-'));
try {
  const data = process.argv[2] ?? (await demo());
  process.exitCode = await readAll(data);
  if ((await checkCertificates(data, python)) > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function windrow(...args) {
  const options = { maxBuffer: MAX_BUFFER, encoding: 'buffer' };
  return (await run(process.execPath, [MAIN, ...args], options)).stdout;
}

async function demo() {
  const data = join(folder, 'demo');
  await windrow('demo', '--data', data);
  return data;
}

async function readAll(data) {
  const texts = [...textsOf('FORMULAS'), ...textsOf('MARKUP'), ...ODD];
  const sources = {
    texts: ['--sql', hostileSql(texts), '--name', 'texts'],
    transactions: ['transactions', '--where', 'block_number > 29000', '--order-by', ORDER],
  };
  for (const [name, what] of Object.entries(sources)) {
    for (const format of ['parquet', 'arrow', 'arrow-stream', 'csv', 'jsonl', 'xlsx']) {
      const out = ['--out', join(folder, `${name}.${format}`)];
      await windrow('export', ...what, '--format', format, ...out, '--data', data);
    }
    const streamed = await windrow(
      'export',
      ...what,
      '--format',
      'arrow',
      '--out',
      '-',
      '--data',
      data,
    );
    await writeFile(join(folder, `${name}.piped`), streamed);
    const seen = cellsOf(tableFromIPC(await readFile(join(folder, `${name}.arrow`))));
    await writeFile(join(folder, `${name}.apache.json`), JSON.stringify(seen));
  }
  await spreadsheets(Object.keys(sources));
  const { stdout } = await run(python, [here('read_exports.py'), folder], {
    maxBuffer: MAX_BUFFER,
  }).catch((error) => ({ stdout: `${error.stdout}${error.stderr}` }));
  process.stdout.write(stdout ?? '');
  return /, 0 failed\n$/.test(stdout ?? '') ? 0 : 1;
}

/** A list of texts of test/fixtures/injections.ts, which is plain JavaScript but for its types. */
function textsOf(name) {
  const code = readFileSync(here('../fixtures/injections.ts'), 'utf8');
  const [, list] = new RegExp(`const ${name}: readonly string\\[\\] = (\\[[\\s\\S]*?\\n\\]);`).exec(
    code,
  );
  return Function(`return ${list}`)();
}

/** Rows that spreadsheets like to change: formulas, long numbers, padded ones, early times; NULLs. */
function hostileSql(texts) {
  const rows = texts.map((text, i) => `(${i}, '${text.replaceAll("'", "''")}')`).join(', ');
  return `SELECT i, text, (i * 1000003)::DECIMAL(38,18) / 7 AS share, i::HUGEINT * 10::HUGEINT ** 30 AS wide,
    i::BIGINT * 1000000007 AS whole, TIMESTAMPTZ '2024-01-02 03:04:05+00' + to_seconds(i) AS at,
    DATE '1899-12-30' + i::INT AS day, i % 2 = 0 AS even, i / 7.0 AS part, [text, NULL] AS items
    FROM (VALUES ${rows}) AS t(i, text)
    UNION ALL SELECT ${texts.length}, ${Array(9).fill('NULL').join(', ')} ORDER BY i`;
}

/** Every cell of a table as text that does not depend on the reader, with the types. */
function cellsOf(table) {
  const fields = table.schema.fields.map(({ name, type }) => [name, String(type)]);
  const columns = table.schema.fields.map(({ name, type }) =>
    [...table.getChild(name)].map((value) => cellOf(value, type)),
  );
  return { fields, columns };
}

function cellOf(value, type) {
  if (value === null || value === undefined) return null;
  if (DataType.isList(type)) return [...value].map((part) => cellOf(part, type.children[0].type));
  if (DataType.isDecimal(type)) return String(signed(value));
  if (DataType.isFloat(type)) return value;
  return String(value);
}

/** The units of a decimal of 128 bits. */
function signed(words) {
  const all = [...words].reduce((sum, word, i) => sum + (BigInt(word) << BigInt(32 * i)), 0n);
  return BigInt.asIntN(128, all);
}

/** The workbooks as LibreOffice reads them, if it is installed. */
async function spreadsheets(names) {
  const profile = `-env:UserInstallation=file://${join(folder, 'office')}`;
  const to = ['--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false'];
  const args = [
    profile,
    '--headless',
    ...to,
    '--outdir',
    join(folder, 'office-out'),
    ...names.map((name) => `${name}.xlsx`),
  ];
  await run('soffice', args, { cwd: folder }).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
