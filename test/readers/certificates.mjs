/**
 * Certificates of the demo and of a small lake: windrow and verify_certificate.py, which knows
 * docs/certificate.md alone, accept them and refuse seeded changes of them, of their lake and of
 * their proofs.
 *
 *     node test/readers/certificates.mjs DATA_ROOT [CHANGES [SEED]]
 */
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { openWindrow } from '../../dist/index.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);
/** One change in this number is one of the lake, which takes longest. */
const LAKE_SHARE = 5;
const SMALL_ROWS = 37;

/** Prints the counts, and returns the number of failures. */
export async function checkCertificates(data, python, changes = 250, seed = Date.now() % 1e9) {
  const folder = await mkdtemp(join(tmpdir(), 'windrow-certificates-'));
  const reader = new PythonVerifier(python);
  const failures = [];
  try {
    const key = join(folder, 'key.pem');
    const windrow = (...args) => run(process.execPath, [here('../../dist/cli/main.js'), ...args]);
    await windrow('certify', 'keygen', key, '--data', data);
    const both = async (label, isExpected, file, root, publicKey) => {
      const library = openWindrow({ data: root ?? data, onNote: () => undefined });
      const given = publicKey === undefined ? {} : { publicKey };
      const lake = root === undefined ? {} : { data: root };
      const ours = await library.verifyCertificate({ file, ...given, ...lake });
      const warehouse = root === undefined ? null : join(root, 'warehouse.duckdb');
      const theirs = await reader.verify({ file, warehouse, publicKey: publicKey ?? null });
      const outcome = `windrow ${ours.outcome}, Python ${theirs}`;
      if ((ours.outcome === 'verified') !== isExpected) failures.push(`${label}: ${outcome}`);
      else if ((theirs === 'verified') !== isExpected) failures.push(`${label}: ${outcome}`);
    };
    const whole = join(folder, 'demo.json');
    await windrow('certify', '--key', key, '--data', data, '--out', whole);
    await both('the demo', true, whole, data);
    const one = join(folder, 'address.json');
    const address = await oneAddress(data);
    await windrow('certify', '--key', key, '--address', address, '--data', data, '--out', one);
    await both('an address of the demo', true, one, data);

    const small = await smallLake(data, folder);
    const [file, proof] = [join(folder, 'small.json'), join(folder, 'proof.json')];
    await windrow('certify', '--key', key, '--data', small.root, '--out', file);
    const row = 'block_number = (SELECT min(block_number) FROM curated.blocks)';
    const prove = ['certify', 'prove', file, '--table', 'blocks', '--row', row];
    await windrow(...prove, '--data', small.root, '--out', proof);
    await both('a small lake', true, file, small.root);
    await both('a proof', true, proof);

    const chance = chanceOf(seed);
    const texts = [await readFile(file), await readFile(proof)];
    const certificate = JSON.parse(texts[0]);
    const changed = join(folder, 'changed.json');
    for (let i = 0; i < changes; i += 1) {
      if (i % LAKE_SHARE === 0) {
        const label = await small.change(certificate, chance);
        await both(`${i}, lake: ${label}`, false, file, small.root);
        await small.restore();
        continue;
      }
      const isProof = chance(2) === 1;
      const [label, bytes] = changeOf(texts[isProof ? 1 : 0], chance);
      await writeFile(changed, bytes);
      const isPinned = label === 'signed by another';
      const pinned = isPinned ? certificate.publicKey : undefined;
      await both(
        `${i}, ${isProof ? 'proof' : 'certificate'}: ${label}`,
        false,
        changed,
        undefined,
        pinned,
      );
    }
  } finally {
    reader.close();
    await rm(folder, { recursive: true, force: true });
  }
  const lines = failures.map((failure) => `DIFFERENT: ${failure}\n`);
  lines.push(`certificates: ${changes} changes of seed ${seed}, ${failures.length} failed\n`);
  process.stdout.write(lines.join(''));
  return failures.length;
}

/** Whole numbers below a bound, from a seed (mulberry32). */
function chanceOf(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A file with one change, and the name of the change. */
function changeOf(bytes, chance) {
  if (chance(2) === 0) {
    const flipped = Buffer.from(bytes);
    const at = chance(bytes.length);
    flipped[at] ^= 1 << chance(8);
    return [`bit in byte ${at}`, flipped];
  }
  const value = JSON.parse(bytes);
  const certificate = value.certificate ?? value;
  const any = (list) => list[chance(list.length)];
  const table = any(certificate.tables);
  const kinds = {
    range: () => (any(Object.values(certificate.ranges))[any(['from', 'to'])] += 1),
    rows: () => (table.rows += 1),
    root: () => (table.root = leafLike(chance)),
    column: () => table.columns.splice(chance(table.columns.length), 1),
    'table left out': () => certificate.tables.splice(chance(certificate.tables.length), 1),
    content: () => certificate.tables.find((each) => each.content).content.pop(),
    status: () => (any(certificate.coverage).status = 'complete '),
    hash: () => (any(certificate.checkpoints).hash = `0x${leafLike(chance)}`),
    version: () => (certificate.windrow = '9.9.9'),
    address: () => (certificate.address = `0x${'a'.repeat(40)}`),
    'unknown member': () => (certificate.more = null),
    signature: () => (certificate.signature = leafLike(chance) + leafLike(chance)),
    'upper-case signature': () => (certificate.signature = certificate.signature.toUpperCase()),
    'signed by another': () => signAgain(certificate),
    ...(value.path && {
      index: () => (value.index += 1),
      'row value': () => (value.row[chance(value.row.length)] = 'other'),
      'longer row': () => value.row.push(null),
      'path element': () => (value.path[chance(value.path.length)] = leafLike(chance)),
      'shorter path': () => value.path.splice(chance(value.path.length), 1),
      'longer path': () => value.path.splice(chance(value.path.length), 0, leafLike(chance)),
      'other table': () => (value.table = 'curated.transactions'),
      'short name of the table': () => (value.table = 'blocks'),
      'unknown member of the proof': () => (value.more = 1),
    }),
  };
  const label = any(Object.keys(kinds));
  kinds[label]();
  return [label, `${canonical(value)}\n`];
}

function signAgain(certificate) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  certificate.publicKey = publicKey
    .export({ type: 'spki', format: 'der' })
    .toString('hex')
    .slice(-64);
  const { signature: _, ...unsigned } = certificate;
  certificate.signature = sign(null, Buffer.from(canonical(unsigned)), privateKey).toString('hex');
}

function leafLike(chance) {
  return Array.from({ length: 64 }, () => chance(16).toString(16)).join('');
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

async function withDatabase(path, work) {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function oneAddress(data) {
  return withDatabase(':memory:', async (connection) => {
    await connection.run(`ATTACH '${join(data, 'warehouse.duckdb')}' AS demo (READ_ONLY)`);
    const found = await connection.runAndReadAll('SELECT max(address) FROM demo.address_activity');
    return found.getRows()[0][0];
  });
}

/** A lake with few rows of each table, whose warehouse holds the rows themselves. */
async function smallLake(data, folder) {
  const root = join(folder, 'small');
  for (const name of ['lake', 'state'])
    await cp(join(data, name), join(root, name), { recursive: true });
  const [warehouse, kept] = [join(root, 'warehouse.duckdb'), join(folder, 'kept.duckdb')];
  await withDatabase(kept, async (connection) => {
    await connection.run(`ATTACH '${join(data, 'warehouse.duckdb')}' AS demo (READ_ONLY)`);
    await connection.run('CREATE SCHEMA curated; CREATE SCHEMA lake');
    const copied = await connection.runAndReadAll(
      `SELECT table_name FROM duckdb_columns() JOIN (SELECT schema_name, view_name AS table_name
         FROM duckdb_views()) USING (schema_name, table_name)
       WHERE database_name = 'demo' AND schema_name = 'curated' GROUP BY ALL`,
    );
    for (const [name] of copied.getRows()) {
      await connection.run(
        `CREATE TABLE curated.${name} AS FROM demo.curated.${name} ORDER BY ALL LIMIT ${SMALL_ROWS}`,
      );
    }
    await connection.run(
      `CREATE TABLE lake.lists AS FROM demo.lake.lists;
       CREATE TABLE lake.tables AS FROM demo.lake.tables;
       CREATE TABLE coverage AS FROM demo.coverage WHERE key_kind <> 'transaction';
       CREATE TABLE lake.coverage AS FROM demo.lake.coverage WHERE key_kind <> 'transaction';
       CREATE TABLE lake.reconciliations AS
         SELECT address, 'native' AS asset_kind, NULL::VARCHAR AS token_address, NULL::VARCHAR AS token_id,
           15000::BIGINT AS from_block, 29000::BIGINT AS to_block, '7' AS closing, 'agrees' AS verdict
         FROM (SELECT DISTINCT address FROM demo.address_activity)`,
    );
  });
  const restore = () => copyFile(kept, warehouse);
  await restore();
  const change = (certificate, chance) =>
    withDatabase(warehouse, (connection) => changeRow(connection, certificate, chance));
  return { root, restore, change };
}

const OTHER_VALUES = [
  [
    /^VARCHAR$/,
    (name) => `if(${name} = '', 'x', chr(xor(unicode(${name}), 1)) || substr(${name}, 2))`,
  ],
  [/^BIGINT$/, (name) => `xor(${name}, 1)`],
  [/^DECIMAL\(38,18\)$/, (name) => `${name} + 0.000000000000000001`],
  [/^DECIMAL/, (name) => `${name} + 1`],
  [/^BOOLEAN$/, (name) => `NOT ${name}`],
  [/^DATE$/, (name) => `${name} + 1`],
  [/^TIMESTAMP/, (name) => `${name} + INTERVAL 1 MICROSECOND`],
];

/** Changes, removes or doubles a certified row; returns a name of the change. */
async function changeRow(connection, { tables, ranges }, chance) {
  const filled = tables.filter(({ rows }) => rows > 0);
  const { name, columns, axis, heightColumn } = filled[chance(filled.length)];
  const range = ranges[axis];
  const isIn = range ? `${heightColumn} BETWEEN ${range.from} AND ${range.to}` : 'true';
  const ids = `SELECT rowid FROM ${name} WHERE ${isIn} ORDER BY rowid`;
  const rows = (await connection.runAndReadAll(ids)).getRows();
  const row = `rowid = ${rows[chance(rows.length)][0]}`;
  const kind = chance(4);
  if (kind === 0) await connection.run(`DELETE FROM ${name} WHERE ${row}`);
  if (kind === 1) await connection.run(`INSERT INTO ${name} FROM ${name} WHERE ${row}`);
  if (kind < 2) return `${kind === 0 ? 'removed' : 'doubled'} ${name} ${row}`;
  const { name: column, type } = columns[chance(columns.length)];
  const [, other] = OTHER_VALUES.find(([pattern]) => pattern.test(type));
  const empty = type.startsWith('VARCHAR') ? "'x'" : type.startsWith('BOOL') ? 'true' : undefined;
  const value = `CASE WHEN ${column} IS NULL THEN ${empty ?? emptyOf(type)} ELSE ${other(column)} END`;
  await connection.run(`UPDATE ${name} SET ${column} = ${value} WHERE ${row}`);
  return `${column} of ${name} ${row}`;
}

function emptyOf(type) {
  if (type === 'DATE') return "DATE '2026-01-01'";
  return type.startsWith('TIMESTAMP') ? "TIMESTAMPTZ '2026-01-01 00:00:00+00'" : '0';
}

/** The verifier in Python as one process, which answers line by line. */
class PythonVerifier {
  #child;
  #answers;

  constructor(python) {
    this.#child = spawn(python, [here('verify_certificate.py'), '-'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async verify(job) {
    this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('The verifier in Python has ended.');
    return value;
  }

  close() {
    this.#child.stdin.end();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [data, changes, seed] = process.argv.slice(2);
  const python = process.env.PYTHON ?? here('.venv/bin/python');
  const failed = await checkCertificates(
    data,
    python,
    Number(changes ?? 250),
    seed && Number(seed),
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
