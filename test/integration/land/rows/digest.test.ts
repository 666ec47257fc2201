import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { contentDigest } from '../../../fixtures/content-digest.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { internal, LIST, SmallLake, transaction } from '../../../fixtures/load-lake.ts';
import { mergeAll } from '../../../fixtures/merge-all.ts';
import { lengthened } from '../../../fixtures/short-addresses.ts';

const small = freshLake(beforeEach);

/** Digest of a lake of its own with these records. */
async function digestOf(
  path: string,
  records: readonly WireRecord[],
  more: { readonly readAtMs?: number } = {},
): Promise<string> {
  const lake = await SmallLake.open();
  await lake.land(path, { keys: ['0xa'], records, ...more });
  const { sha256, rows } = await contentDigest(lake.lake.table(endpointAt(path).dataset));
  expect(rows).toBe(records.length);
  await lake.close();
  return sha256;
}

test('no table and a table without rows have the digest of nothing', async () => {
  const nothing = {
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    rows: 0,
  };
  expect(await contentDigest(small.lake.table('transactions'))).toEqual(nothing);
  await small.land(LIST.transactions, { keys: ['0xa'] });
  expect(await contentDigest(small.lake.table('transactions'))).toEqual(nothing);
});

test('files, their order and the order of the records mean nothing', async () => {
  const records = Array.from({ length: 3000 }, (_, i) =>
    internal({ height: String(i % 100), txId: `0x${(i % 700).toString(16)}` }),
  );
  const whole = await digestOf(LIST.internal, records);
  expect(await digestOf(LIST.internal, [...records].reverse())).toBe(whole);
  for (const from of [50, 0, 25, 75]) {
    const to = from + 24;
    const part = records.filter(({ height }) => Number(height) >= from && Number(height) <= to);
    await small.land(LIST.internal, { keys: ['0xa'], from, to, records: part });
  }
  const table = small.lake.table('internal_transactions');
  expect((await table.snapshot()).files.size).toBe(4);
  expect(await contentDigest(table)).toEqual({ sha256: whole, rows: 3000 });
  await mergeAll(table.stored);
  expect((await table.snapshot()).files.size).toBe(1);
  expect(await contentDigest(table)).toEqual({ sha256: whole, rows: 3000 });
});

test('a row that is doubled or lost shows, also among equal ones', async () => {
  const one = internal();
  const digests = [];
  for (const copies of [1, 2, 3]) {
    digests.push(
      await digestOf(
        LIST.internal,
        Array.from({ length: copies }, () => one),
      ),
    );
  }
  expect(new Set(digests).size).toBe(3);
});

/** Another value for every field of the record. */
const OTHER: WireRecord = {
  txId: '0x02',
  blockHash: '0xb10d',
  height: '11',
  transactionTime: '1700000000124',
  from: '0xc',
  to: '0xc',
  isFromContract: true,
  isToContract: true,
  amount: '1.500000000000000001',
  methodId: '0xa9059cbb',
  symbol: 'TEH',
  nonce: '8',
  gasUsed: '21001',
  gasLimit: '21001',
  gasPrice: '1000000001',
  txFee: '0.000021000000000001',
  transactionType: '1',
};

test('every stable field shows when it changes, and no volatile one does', async () => {
  const before = await digestOf(LIST.transactions, [transaction()]);
  const { fields } = endpointAt(LIST.transactions);
  expect(Object.keys(OTHER).sort()).toEqual(fields.map(({ wire }) => wire).sort());
  for (const { wire, volatile: isVolatile } of fields) {
    for (const value of [OTHER[wire], '']) {
      // Without these there is no record.
      if (value === '' && (wire === 'height' || wire === 'txId')) continue;
      const changed = { ...transaction(), [wire]: value };
      const isEqual = transaction()[wire] === value;
      const after = await digestOf(LIST.transactions, [changed]);
      expect(after === before, wire).toBe(isVolatile === true || isEqual);
    }
  }
});

test('values do not run into each other', async () => {
  const one = await digestOf(LIST.transactions, [
    transaction({ methodId: 'a","b', transactionType: 'c' }),
  ]);
  const other = await digestOf(LIST.transactions, [
    transaction({ methodId: 'a', transactionType: 'b","c' }),
  ]);
  expect(one).not.toBe(other);
});

test('lineage and unknown fields mean nothing', async () => {
  const before = await digestOf(LIST.transactions, [transaction()]);
  const later = await digestOf(LIST.transactions, [transaction({ novelty: 'x' })], { readAtMs: 5 });
  expect(later).toBe(before);
});

const [A, B] = [lengthened('0xa'), lengthened('0xb')];

/** Written down from the definition, column by column. */
test('the digest is the one that was defined', async () => {
  // Not told by this endpoint: method_id; token_address, token_id, tx_fee and tx_fee_text.
  const [method, ...untold] = [null, null, null, null, null];
  const rows = Array.from({ length: 8 }, (_, i) => [
    ...['2.000000000000000000', '2', '0xb10c', String(10 + i), '1700000000123000'],
    ...[A, `["${A}"]`, method, 'call', B, `["${B}"]`, ...untold, '0x01'],
  ]);
  const creation = [null, null, '0xb10c', '10', '1700000000123000'];
  const named = [A, `["${A}"]`, method, 'create', null, null, ...untold, '0x01'];
  const spelled = [...rows, [...creation, ...named]];
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const digests = spelled.map((row) => sha256(JSON.stringify(row))).sort();
  const records = [
    ...rows.map((_, i) => internal({ height: String(10 + i), blockHash: '0xb10c' })),
    internal({ operation: 'create', to: '', amount: '' }),
  ];
  expect(await digestOf(LIST.internal, records)).toBe(sha256(`${digests.join('\n')}\n`));
});
