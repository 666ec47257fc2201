/**
 * Certificates of the demo and of a small lake: windrow and verify_certificate.py, which knows
 * docs/certificate.md alone, accept them and refuse seeded changes of them, of their lake and of
 * their proofs. Another writer of Delta tables changes the lake, or a bit of a file changes; both
 * must then refuse the rows of the changed table.
 *
 *     node test/readers/certificates.mjs DATA_ROOT [CHANGES [SEED]]
 */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openWindrow } from '../../dist/index.js';
import { PythonProgram } from './python-program.mjs';
import { smallLake } from './small-lake.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);
/** One change in this number is one of the lake, which takes longest. */
const LAKE_SHARE = 25;

/** Prints the counts, and returns the number of failures. */
export async function checkCertificates(data, python, changes = 250, seed = Date.now() % 1e9) {
  const folder = await mkdtemp(join(tmpdir(), 'windrow-certificates-'));
  const verifier = new PythonProgram(python, 'verify_certificate.py');
  const changer = new PythonProgram(python, 'change_lake.py');
  let failed = 0;
  const counts = {};
  const summary = (made) => {
    const shares = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
    const changes = `${made} changes of seed ${seed} (${shares.join(', ')})`;
    process.stdout.write(`certificates: ${changes}, ${failed} failed\n`);
  };
  try {
    const key = join(folder, 'key.pem');
    const windrow = (...args) => run(process.execPath, [here('../../dist/cli/main.js'), ...args]);
    await windrow('certify', 'keygen', key, '--data', data);
    /** `table` is the one whose rows both must refuse, and nothing else. */
    const both = async (label, isExpected, { file, root, warehouse, publicKey, table }) => {
      const library = openWindrow({ data: root ?? data, onNote: () => undefined });
      const pinned = publicKey === undefined ? {} : { publicKey };
      const lake = root === undefined ? {} : { data: root };
      const ours = await library.verifyCertificate({ file, ...pinned, ...lake });
      const theirs = await verifier.ask({
        file,
        warehouse: (await warehouse?.()) ?? null,
        publicKey: publicKey ?? null,
      });
      const refusals = ours.checks.filter(({ outcome }) => outcome === 'refused');
      const named = refusals.map(({ check, detail }) => `${check}: ${detail}`).join('; ');
      const isAgreed = [ours.outcome === 'verified', theirs === 'verified'].every(
        (isVerified) => isVerified === isExpected,
      );
      const isRight = table === undefined || areRowsOf(table, refusals, theirs);
      if (isAgreed && isRight) return;
      failed += 1;
      const outcome = `windrow ${ours.outcome} ${named}, Python ${theirs}`;
      process.stdout.write(`DIFFERENT: ${label}: ${outcome}\n`);
    };
    const whole = join(folder, 'demo.json');
    const demo = { root: data, warehouse: () => join(data, 'warehouse.duckdb') };
    await windrow('certify', '--key', key, '--data', data, '--out', whole);
    await both('the demo', true, { file: whole, ...demo });
    const one = join(folder, 'address.json');
    const address = await oneAddress(data);
    await windrow('certify', '--key', key, '--address', address, '--data', data, '--out', one);
    await both('an address of the demo', true, { file: one, ...demo });

    const small = await smallLake(folder, changer);
    const [file, proof] = [join(folder, 'small.json'), join(folder, 'proof.json')];
    await windrow('certify', '--key', key, '--data', small.root, '--out', file);
    const row = 'block_number = (SELECT min(block_number) FROM curated.blocks)';
    const prove = ['certify', 'prove', file, '--table', 'blocks', '--row', row];
    await windrow(...prove, '--data', small.root, '--out', proof);
    const texts = [await readFile(file), await readFile(proof)];
    const certificate = JSON.parse(texts[0]);
    const lake = { file, root: small.root, warehouse: () => small.reread(certificate) };
    await both('a small lake', true, lake);
    await both('a proof', true, { file: proof });
    await small.merge();
    await both('a lake whose files another program wrote again', true, lake);
    await small.restore();

    const chance = chanceOf(seed);
    const changed = join(folder, 'changed.json');
    for (let i = 0; i < changes; i += 1) {
      if (i > 0 && i % 1000 === 0) summary(i);
      if (i % LAKE_SHARE === 0) {
        const { table, label } = await small.change(certificate, seed + i);
        await both(`${i}, lake: ${label}`, false, { ...lake, table });
        await small.restore();
        counts.lake = (counts.lake ?? 0) + 1;
        continue;
      }
      const isProof = chance(2) === 1;
      const [label, bytes] = changeOf(texts[isProof ? 1 : 0], chance);
      await writeFile(changed, bytes);
      const publicKey = label === 'signed by another' ? certificate.publicKey : undefined;
      const kind = isProof ? 'proof' : 'certificate';
      await both(`${i}, ${kind}: ${label}`, false, { file: changed, publicKey });
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  } finally {
    verifier.close();
    changer.close();
    await rm(folder, { recursive: true, force: true });
  }
  summary(changes);
  return failed;
}

/** Whether both verifiers refuse the rows of a table. Coverage shows what is reconciled. */
function areRowsOf(table, refusals, theirs) {
  const checks = refusals.map(({ check }) => check);
  const others = new Set([`rows of ${table}`, 'rows of coverage', 'statuses of coverage']);
  return (
    checks[0] === `rows of ${table}` &&
    checks.every((check) => others.has(check)) &&
    theirs.startsWith(`refused: ValueError ${table} has `)
  );
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
    content: () => certificate.tables.find((entry) => entry.content).content.pop(),
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

async function oneAddress(data) {
  const sql = 'SELECT max(address) AS address FROM address_activity';
  const { rows } = await openWindrow({ data }).query(sql);
  return rows[0].address;
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
