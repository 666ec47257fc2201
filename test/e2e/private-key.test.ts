import { createPrivateKey } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { otlpReceiver } from '../fixtures/otlp-receiver.ts';
import { freshFolder, whenOver } from '../fixtures/when-over.ts';
import { windrowProcess } from './command-line.ts';
import { PIPELINE, serve } from './harness.ts';

/**
 * Goal: the private key of certificates, in any spelling, is in no output, log, trace, argument,
 * row or file but its own, whether commands succeed or fail.
 */

const chain = simulatedChain({ seed: 'private key', head: 60 });
const seen: string[] = [];
let [folder, keys, data] = ['', '', ''];
let env: Record<string, string> = {};
let traces: () => string[] = () => [];

beforeAll(async () => {
  const root = await freshFolder();
  [folder, keys, data] = [root, join(root, 'keys'), join(root, 'data')];
  await mkdir(keys);
  const served = await serve(chainSource(chain));
  const collector = await otlpReceiver();
  whenOver(collector.close);
  traces = () => collector.requests.map(({ body }) => String(body));
  const pipeline = PIPELINE.replace(/list: \[.*\]/, `list: ${JSON.stringify(chain.addresses(3))}`);
  await writeFile(
    join(folder, 'key.yaml'),
    `${pipeline.replace('http://127.0.0.1:1', served.url)}report: html\n`,
  );
  // A process tells its own arguments and the names of its environment.
  const telling = `const { readFileSync, writeFileSync } = require('node:fs');
for (const name of ['cmdline', 'environ'])
  writeFileSync(__dirname + '/' + name + '-' + process.pid, readFileSync('/proc/self/' + name));
`;
  await writeFile(join(folder, 'arguments.cjs'), telling);
  const isLinux = process.platform === 'linux';
  env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    WINDROW_TRACE_STEPS: '1',
    ...(isLinux && { NODE_OPTIONS: `--require ${join(folder, 'arguments.cjs')}` }),
  };
});

async function windrow(code: number, ...line: readonly string[]): Promise<void> {
  const logged = ['--log', join(folder, 'windrow.log'), '--log-format', 'json'];
  const ended = await windrowProcess([...line, ...logged], { env, cwd: folder });
  const text = ended.stdout + ended.stderr;
  seen.push(text);
  expect(ended.code, `${line.join(' ')}: ${text}`).toBe(code);
}

/** The bytes of the key as they are, and as text in the spellings of base64 and hex. */
function spellings(pem: string): Buffer[] {
  const key = createPrivateKey(pem);
  const file = key.export({ type: 'pkcs8', format: 'der' });
  const bytes = file.subarray(-32);
  const hex = bytes.toString('hex');
  const [, body = ''] = pem.split('\n');
  // The first bytes of the file are the same for all keys.
  const texts = [body.slice(24), bytes.toString('base64').slice(0, 40), hex, hex.toUpperCase()];
  texts.push(bytes.toString('base64url').slice(0, 40), file.toString('base64url').slice(24));
  return [bytes, ...texts.map((text) => Buffer.from(text))];
}

test('a private key is in no output, log, trace, argument, row or other file', async () => {
  const names = ['key', 'other', 'open', 'broken'];
  const [key, other, open, broken] = names.map((name) => join(keys, `${name}.pem`));
  const inData = ['--data', data];
  await windrow(0, 'run', 'key.yaml', ...inData, '--verbose');
  await windrow(0, 'certify', 'keygen', `${key}`, ...inData);
  await windrow(0, 'certify', 'keygen', `${other}`, ...inData, '--json');
  const pem = await readFile(`${key}`, 'utf8');
  await windrow(2, 'certify', 'keygen', `${key}`, ...inData);
  await windrow(2, 'certify', 'keygen', join(data, 'key.pem'), ...inData);
  await writeFile(`${open}`, pem);
  await chmod(`${open}`, 0o644);
  await windrow(2, 'certify', '--key', `${open}`, ...inData);
  await writeFile(`${broken}`, pem.replace('PRIVATE', 'OTHER'), { mode: 0o600 });
  await windrow(2, 'certify', '--key', `${broken}`, ...inData, '--json');
  await windrow(0, 'certify', '--key', `${key}`, ...inData, '--json');
  await windrow(2, 'certify', '--key', `${key}`, ...inData);
  await windrow(0, 'certify', '--key', `${key}`, ...inData, '--force');
  const certificate = join(data, 'exports', 'certificate.json');
  await windrow(0, 'certify', 'verify', certificate, ...inData);
  await windrow(3, 'certify', 'verify', certificate, '--witness', 'http://127.0.0.1:9');
  await windrow(4, 'certify', 'verify', certificate, '--public-key', 'a'.repeat(64));
  await windrow(4, 'certify', 'verify', `${key}`);
  await windrow(4, 'certify', 'verify', `${broken}`, '--json');
  await windrow(2, 'certify', 'prove', `${key}`, '--row', 'true', ...inData);
  const row = [
    '--table',
    'transactions',
    '--row',
    'tx_hash = (SELECT min(tx_hash) FROM curated.transactions)',
  ];
  await windrow(0, 'certify', 'prove', certificate, ...row, ...inData);
  await windrow(0, 'certify', 'verify', join(data, 'exports', 'proof.json'));
  await windrow(0, 'report', ...inData);

  const secrets = [...spellings(pem), ...spellings(await readFile(`${other}`, 'utf8'))];
  const isShown = (bytes: Buffer): boolean => secrets.some((secret) => bytes.includes(secret));
  expect(isShown(Buffer.from(pem))).toBe(true);
  for (const text of [...seen, ...traces()]) expect(isShown(Buffer.from(text)), text).toBe(false);
  expect(traces().join()).toContain('"run"');
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile() && entry.parentPath !== keys)) {
    const path = join(file.parentPath, file.name);
    expect(isShown(await readFile(path)), path).toBe(false);
    if (!path.endsWith('.parquet')) continue;
    const rows = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
    expect(isShown(Buffer.from(JSON.stringify(rows.getRowObjectsJson()))), path).toBe(false);
  }
  connection.closeSync();
  instance.closeSync();
  expect(files.length).toBeGreaterThan(30);
});
