import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalFile } from '../../../src/export/certificate/canonical-json.ts';
import { checkFile, checkRows } from '../../../src/export/certificate/checks.ts';
import type { Certificate, InclusionProof } from '../../../src/export/certificate/format.ts';
import { makeCertificate } from '../../../src/export/certificate/make-certificate.ts';
import { makeProof } from '../../../src/export/certificate/make-proof.ts';
import { publicKeyOf, signed } from '../../../src/export/certificate/signature.ts';
import { type OpenWarehouse, withSelections } from '../../../src/load/query/stream.ts';
import { certifyLake } from '../../../src/run/certificate/certify-lake.ts';
import { verifyCertificate } from '../../../src/run/certificate/verify-certificate.ts';
import { checkWitness, RECONCILIATIONS } from '../../../src/run/certificate/witness-checks.ts';
import { systemEffects } from '../../../src/system.ts';
import { CERTIFIED_LAKE, certifiedTable } from '../../fixtures/certified-lake.ts';
import { ExportRoot } from '../../fixtures/export-setup.ts';
import { portOf } from '../../fixtures/when-over.ts';

/** Goal: a certificate, its lake and its proofs agree, and no change of one of them is accepted. */

const { privateKey } = generateKeyPairSync('ed25519');
const A = `0x${'a'.repeat(40)}`;
const lake = await ExportRoot.make(...CERTIFIED_LAKE);
const certificate = await certified(lake);

function open<T>(root: ExportRoot, use: (warehouse: OpenWarehouse) => Promise<T>): Promise<T> {
  return withSelections(root.layout.warehouse, { timeoutMs: 60_000 }, use);
}

function certified(root: ExportRoot, address: string | null = null): Promise<Certificate> {
  const request = {
    windrow: '0.1.0',
    issuedAt: '2026-01-31T00:00:00.000Z',
    address,
    services: ['https://explorer.example'],
    chains: { primary: 'MAINCHAIN' },
    tables: [
      certifiedTable('curated.transactions', 'block_number'),
      certifiedTable('curated.blocks', 'block_number'),
      { ...certifiedTable(RECONCILIATIONS, 'to_block'), hasContent: true },
      certifiedTable('curated.absent', 'block_number'),
      { name: 'coverage', axis: null, heightColumn: null, hasContent: false },
    ],
    volatile: new Set(['from_is_contract', 'read_at']),
    checkpoints: [5, 500].map((height) => {
      return { axis: 'primary' as const, height, hash: `0x${'5'.repeat(64)}` };
    }),
    key: privateKey,
  };
  return open(root, (warehouse) => makeCertificate(warehouse, request));
}

const outcomes = (checks: readonly { outcome: string }[]) =>
  [...new Set(checks.map(({ outcome }) => outcome))].sort();

const checked = (value: unknown, publicKey?: string) =>
  checkFile(Buffer.from(canonicalFile(value)), publicKey).checks;

const refused = (checks: readonly { check: string; outcome: string }[]) =>
  checks.filter(({ outcome }) => outcome === 'refused').map(({ check }) => check);

const comparedWith = (root: ExportRoot, other = certificate) =>
  open(root, (warehouse) => checkRows(warehouse, other));

/** The checks of a lake after one more statement that are refused. */
async function refusedAfter(...statements: readonly string[]): Promise<string[]> {
  const changed = await ExportRoot.make(...CERTIFIED_LAKE, ...statements);
  const checks = await comparedWith(changed);
  return refused(checks);
}

test('certifies complete heights, and leaves out volatile, approximate and later values', () => {
  const { ranges, tables, coverage, checkpoints } = certificate;
  expect(ranges).toEqual({ primary: { from: 0, to: 99 } });
  expect(checkpoints.map(({ height }) => height)).toEqual([5]);
  expect(tables.map(({ name, rows }) => [name, rows])).toEqual([
    ['curated.transactions', 101],
    ['curated.blocks', 100],
    [RECONCILIATIONS, 2],
    ['coverage', 3],
  ]);
  const names = tables[0]?.columns.map(({ name }) => name);
  expect(names).toEqual([
    'amount',
    'block_number',
    'block_time',
    'from_address',
    'to_address',
    'tx_hash',
  ]);
  expect(tables.map(({ content }) => content?.length)).toEqual([
    undefined,
    undefined,
    2,
    undefined,
  ]);
  expect(
    coverage.map(({ status, keys, fromBlock, toBlock }) => [status, keys, fromBlock, toBlock]),
  ).toEqual([
    ['complete', 1, 0, 99],
    ['complete', 1, 0, 49],
    ['truncated', 1, 50, 99],
  ]);
});

test('a certificate of one address has its rows and its coverage alone', async () => {
  const { tables, address } = await certified(lake, A);
  expect(address).toBe(A);
  expect(tables.map(({ name, rows }) => [name, rows])).toEqual([
    ['curated.transactions', 52],
    [RECONCILIATIONS, 1],
    ['coverage', 3],
  ]);
});

test('its own lake agrees, also after later blocks have come', async () => {
  expect(outcomes(checked(certificate))).toEqual(['verified']);
  expect(outcomes(await comparedWith(lake))).toEqual(['verified']);
  const later = `INSERT INTO curated.transactions
    SELECT * REPLACE (100 AS block_number) FROM curated.transactions LIMIT 5`;
  expect(
    await refusedAfter(later, `UPDATE lake.coverage SET to_block = 120 WHERE key = ''`),
  ).toEqual([]);
});

test('each change of the lake is refused', async () => {
  const rows = 'rows of curated.transactions';
  const table = 'curated.transactions';
  expect(await refusedAfter(`DELETE FROM ${table} WHERE block_number = 7`)).toEqual([rows]);
  expect(await refusedAfter(`INSERT INTO ${table} FROM ${table} WHERE block_number = 7`)).toEqual([
    rows,
  ]);
  expect(await refusedAfter(`UPDATE ${table} SET amount = 8 WHERE block_number = 7`)).toEqual([
    rows,
  ]);
  const swapped = `UPDATE ${table} SET from_address = to_address, to_address = from_address WHERE block_number = 7`;
  expect(await refusedAfter(swapped)).toEqual([rows]);
  const status = `UPDATE lake.coverage SET status = 'complete' WHERE status = 'truncated'`;
  expect(await refusedAfter(status)).toEqual(['rows of coverage', 'statuses of coverage']);
});

test('each change of a certificate is refused, also of its blanks', () => {
  const text = canonicalFile(certificate);
  for (let at = 0; at < text.length; at += 97) {
    const bytes = Buffer.from(text);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
    expect(refused(checkFile(bytes, undefined).checks), `byte ${at}`).not.toEqual([]);
  }
  const respaced = Buffer.from(`${JSON.stringify(certificate, undefined, 1)}\n`);
  expect(refused(checkFile(respaced, undefined).checks)).toEqual(['format']);
  const { signature, ...unsigned } = certificate;
  expect(refused(checked({ ...certificate, signature: signature.toUpperCase() }))).toEqual([
    'format',
  ]);
  const hidden = text.replace('"ranges":{', '"ranges":{"__proto__":1,');
  expect(refused(checkFile(Buffer.from(hidden), undefined).checks)).toEqual(['format']);
  const other = generateKeyPairSync('ed25519').privateKey;
  const resigned = signed({ ...unsigned, publicKey: publicKeyOf(other) }, other);
  expect(refused(checked(resigned))).toEqual([]);
  expect(refused(checked(resigned, certificate.publicKey))).toEqual(['signature']);
});

test('a certificate whose tables have no certified heights, or twice one name, is refused', () => {
  const { tables, signature: _signature, ...rest } = certificate;
  const changes: Partial<Certificate>[] = [
    { ranges: {} },
    { ranges: {}, tables: [] },
    { tables: tables.map((table) => ({ ...table, axis: null })) },
    { tables: tables.map((table) => ({ ...table, heightColumn: null })) },
    { tables: [...tables, ...tables.slice(0, 1)] },
  ];
  for (const change of changes) {
    const resigned = signed({ ...rest, tables, ...change }, privateKey);
    expect(refused(checked(resigned)), JSON.stringify(change)).toEqual(['format']);
  }
});

const prove = (where: string, table = 'transactions') =>
  open(lake, (warehouse) => makeProof(warehouse, certificate, { table, where }));

test('a proof holds for one row, without the lake', async () => {
  const proof = await prove('block_number = 7');
  expect(
    proof.row[
      proof.certificate.tables[0]?.columns.findIndex(({ name }) => name === 'block_number') ?? -1
    ],
  ).toBe('7');
  expect(outcomes(checked(proof))).toEqual(['verified']);
  const changes: Partial<InclusionProof>[] = [
    { index: proof.index + 1 },
    { index: 101 },
    { row: proof.row.with(0, '1') },
    { row: [...proof.row, null] },
    { path: proof.path.toReversed() },
    { path: proof.path.slice(1) },
    { table: 'curated.blocks' },
    { table: 'transactions' },
  ];
  for (const change of changes) {
    expect(refused(checked({ ...proof, ...change })), JSON.stringify(change)).toEqual(['row']);
  }
  expect(refused(checked({ ...proof, more: 1 }))).toEqual(['format']);
});

test('a proof of equal rows is one of either, and others are refused with a reason', async () => {
  expect(outcomes(checked(await prove("tx_hash = 'twice'")))).toEqual(['verified']);
  await expect(prove('block_number < 3')).rejects.toThrow('3 rows of curated.transactions meet');
  await expect(prove('false')).rejects.toThrow('0 rows of curated.transactions meet');
  await expect(prove('true', 'nowhere')).rejects.toThrow('has no table "nowhere"');
  const changed = await ExportRoot.make(
    ...CERTIFIED_LAKE,
    'DELETE FROM curated.transactions WHERE block_number = 1',
  );
  const row = { table: 'transactions', where: 'block_number = 7' };
  await expect(
    open(changed, (warehouse) => makeProof(warehouse, certificate, row)),
  ).rejects.toThrow('The lake has other rows of curated.transactions');
});

test('a node confirms or refutes hashes and balances, and may leave them open', async () => {
  const hash = `0x${'5'.repeat(64)}`;
  const question: unknown[] = [];
  const answering =
    (balance: unknown, block: unknown) =>
    async (calls: readonly { entry: { method: string }; params: readonly unknown[] }[]) => {
      question.push(...calls.map(({ entry, params }) => ({ ...entry, params })));
      return calls.map(({ entry: { method } }) => {
        if (method === 'eth_getBlockByNumber') return block;
        return method === 'eth_call' && typeof balance === 'string'
          ? `0x${balance.slice(2).padStart(64, '0')}`
          : balance;
      });
    };
  const check = (balance: unknown, block: unknown) =>
    checkWitness(certificate, answering(balance, block)).then((checks) =>
      checks.map(({ outcome }) => outcome),
    );
  expect(await check('0x64', { hash: hash.toUpperCase().replace('X', 'x') })).toEqual([
    'verified',
    'verified',
  ]);
  const holder = 'a'.repeat(40).padStart(64, '0');
  expect(question).toEqual([
    { method: 'eth_getBlockByNumber', params: ['0x5', false] },
    {
      method: 'eth_call',
      params: [
        { to: `0x${'c'.repeat(40)}`, data: `0x00fdd58e${holder}${'7'.padStart(64, '0')}` },
        '0x63',
      ],
    },
    { method: 'eth_getBalance', params: [`0x${'b'.repeat(40)}`, '0x63'] },
  ]);
  expect(await check('0x65', { hash: `0x${'6'.repeat(64)}` })).toEqual(['refused', 'refused']);
  expect(await check(undefined, null)).toEqual(['open', 'open']);
  expect(await check({ hash: '0x64' }, '0x5')).toEqual(['open', 'open']);
});

test('a node that does not answer is named, and leaves the certificate open', async () => {
  const silent = createServer((socket) => socket.destroy());
  const witness = `http://127.0.0.1:${await portOf(silent)}`;
  const file = join(lake.layout.root, 'certificate.json');
  await writeFile(file, canonicalFile(certificate));
  const effects = { ...systemEffects('warn'), sleep: async () => undefined };
  const caller = { effects, note: () => undefined };
  const { outcome, checks } = await verifyCertificate({ file, witness, env: {} }, caller);
  expect(outcome).toBe('open');
  expect(checks.at(-1)).toMatchObject({
    outcome: 'open',
    detail: expect.stringContaining(`${witness} does not answer (`),
  });
});

test('reconciliations of other forms, which an issuer may sign, ask a node nothing', async () => {
  const tables = certificate.tables.map((table) => {
    const content = table.content?.map((row) => row.map(() => 'zz'));
    return content === undefined ? table : { ...table, content };
  });
  const checks = await checkWitness({ ...certificate, tables }, async (calls) => calls);
  expect(checks.map(({ check, outcome }) => [check, outcome])).toEqual([
    ['block hashes of the node', 'open'],
  ]);
});

test('a key in the data root signs nothing', async () => {
  const { root } = lake.layout;
  const surroundings = { effects: {} as never, note: () => undefined };
  await expect(certifyLake({ root, key: `${root}/key.pem` }, surroundings)).rejects.toThrow(
    'A key does not belong into the data root',
  );
});
