import { readFile } from 'node:fs/promises';
import { DataType, RecordBatchReader, type Table, tableFromIPC, type Vector } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { offsets } from '../../../src/export/formats/arrow-columns.ts';
import { ExportRoot } from '../../fixtures/export-setup.ts';

const made = await ExportRoot.make();

async function table(sql: string, format: 'arrow' | 'arrow-stream' = 'arrow'): Promise<Table> {
  return tableFromIPC(await readFile((await made.sql(sql, format)).file));
}

function typesOf({ schema }: Table): Record<string, string> {
  return Object.fromEntries(schema.fields.map(({ name, type }) => [name, String(type)]));
}

function column(source: Table, name: string): Vector {
  const vector = source.getChild(name);
  if (vector === null) throw new Error(`there is no column ${name}`);
  return vector;
}

/** Units of the last digit, from the four 32-bit words of a decimal. */
function units(value: unknown): bigint | null {
  if (!(value instanceof Uint32Array)) return null;
  const bits = [...value].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return BigInt.asIntN(128, bits);
}

const LAKE = `SELECT * FROM (VALUES
  (9223372036854775807, 1.5::DECIMAL(38,18), 'ünïcode 🌾', true,
    TIMESTAMPTZ '2024-01-02 03:04:05.678901+00', ['0xa', NULL, '']),
  (NULL, NULL, NULL, NULL, NULL, NULL),
  (-9223372036854775808, '-99999999999999999999.999999999999999999'::DECIMAL(38,18), '', false,
    TIMESTAMPTZ '1969-12-31 23:59:59.999999+00', [])
) AS t(height, amount, hash, flag, time, parties)`;

describe.each(['arrow', 'arrow-stream'] as const)('%s', (format) => {
  test('has exact types', async () => {
    expect(typesOf(await table(LAKE, format))).toEqual({
      height: 'Int64',
      amount: 'Decimal[38e+18]',
      hash: 'Utf8',
      flag: 'Bool',
      time: 'Timestamp<MICROSECOND, UTC>',
      parties: 'List<Utf8>',
    });
  });

  test('has exact values, and NULLs where there are none', async () => {
    const read = await table(LAKE, format);
    expect([...column(read, 'height')]).toEqual([2n ** 63n - 1n, null, -(2n ** 63n)]);
    expect([...column(read, 'amount')].map(units)).toEqual([
      1_500_000_000_000_000_000n,
      null,
      -(10n ** 38n - 1n),
    ]);
    expect([...column(read, 'hash')]).toEqual(['ünïcode 🌾', null, '']);
    expect([...column(read, 'flag')]).toEqual([true, null, false]);
    expect(column(read, 'time').data[0]?.values[0]).toBe(1_704_164_645_678_901n);
    expect(column(read, 'time').data[0]?.values[2]).toBe(-1n);
    expect([...column(read, 'parties')].map((list) => list && [...list])).toEqual([
      ['0xa', null, ''],
      null,
      [],
    ]);
    expect(column(read, 'height').nullCount).toBe(1);
  });

  test('without rows has its columns', async () => {
    const read = await table(`SELECT * FROM (${LAKE}) WHERE false`, format);
    expect(read.numRows).toBe(0);
    expect(Object.keys(typesOf(read))).toEqual('height amount hash flag time parties'.split(' '));
  });
});

test('many rows come in batches, and every one of them is right', async () => {
  const count = 100_000;
  const exported = await made.sql(
    `SELECT range AS height, 'h' || range AS hash, range % 3 = 0 AS flag,
       CASE WHEN range % 5 <> 0 THEN -range * 0.5 END::DECIMAL(38,18) AS amount,
       CASE WHEN range % 7 <> 0 THEN list_transform(range(range % 4), x -> 'p' || (range + x)) END
         AS parties
     FROM range(${count})`,
    'arrow',
  );
  expect(exported.rows).toBe(count);
  const bytes = await readFile(exported.file);
  expect(RecordBatchReader.from(bytes).isFile()).toBe(true);
  const read = tableFromIPC(bytes);
  expect(read.batches.length).toBeGreaterThan(2);
  expect(read.numRows).toBe(count);
  const [heights = [], hashes = [], flags = [], amounts = [], parties = []] =
    'height hash flag amount parties'.split(' ').map((name): unknown[] => [...column(read, name)]);
  for (let i = 0; i < count; i += 1) {
    const half = -BigInt(i) * 5n * 10n ** 17n;
    const list = i % 7 === 0 ? null : Array.from({ length: i % 4 }, (_, x) => `p${i + x}`);
    const seen = [heights[i], hashes[i], flags[i], units(amounts[i])];
    const actual = parties[i] === null ? null : [...(parties[i] as Iterable<string>)];
    // One comparison a row: a hundred thousand calls of expect take minutes.
    if (JSON.stringify(actual) !== JSON.stringify(list)) expect([i, actual]).toEqual([i, list]);
    const wanted = [BigInt(i), `h${i}`, i % 3 === 0, i % 5 === 0 ? null : half];
    if (seen.some((value, k) => value !== wanted[k])) expect(seen).toEqual(wanted);
  }
});

test('all widths of numbers, dates and bytes are carried', async () => {
  const read = await table(
    `SELECT -1::TINYINT AS a, -2::SMALLINT AS b, -3::INTEGER AS c, 255::UTINYINT AS d,
       65535::USMALLINT AS e, 4294967295::UINTEGER AS f, 18446744073709551615::UBIGINT AS g,
       0.5::FLOAT AS h, 0.1::DOUBLE AS i, DATE '2024-01-02' AS j, '\\x01\\xFF'::BLOB AS k,
       -1.5::DECIMAL(4,1) AS l, 12345.678::DECIMAL(9,3) AS m, -7.25::DECIMAL(18,2) AS n,
       TIMESTAMP '2024-01-02 00:00:00' AS o, [[1, 2], [3]] AS p`,
  );
  const value = (name: string): unknown => column(read, name).get(0);
  expect(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(value)).toEqual([
    -1,
    -2,
    -3,
    255,
    65535,
    4294967295,
    18446744073709551615n,
    0.5,
    0.1,
  ]);
  expect(column(read, 'j').data[0]?.values[0]).toBe(19_724);
  expect(value('k')).toEqual(Uint8Array.of(1, 255));
  expect(['l', 'm', 'n'].map((name) => units(value(name)))).toEqual([-15n, 12_345_678n, -725n]);
  expect(typesOf(read)).toMatchObject({
    j: 'Date32<DAY>',
    l: 'Decimal[4e+1]',
    o: 'Timestamp<MICROSECOND>',
  });
  expect(JSON.parse(JSON.stringify(value('p')))).toEqual([[1, 2], [3]]);
  expect(DataType.isBinary(column(read, 'k').type)).toBe(true);
});

test('sums beyond 2^63 are decimals, and text beyond 38 digits, with a note', async () => {
  const sql = `SELECT sum(x) AS total, max('170141183460469231731687303715884105727'::HUGEINT) AS large
     FROM (VALUES (9223372036854775807), (9223372036854775807)) AS t(x)`;
  const exported = await made.sql(sql, 'arrow');
  const read = tableFromIPC(await readFile(exported.file));
  expect(typesOf(read)).toEqual({ total: 'Decimal[38e0]', large: 'Utf8' });
  expect(units(column(read, 'total').get(0))).toBe(2n ** 64n - 2n);
  expect(column(read, 'large').get(0)).toBe('170141183460469231731687303715884105727');
  expect(exported.notes).toEqual([expect.stringContaining('large is text')]);
  expect(exported.rows).toBe(1);
});

test('structs are JSON and types without a word in Arrow text, each with a note', async () => {
  const exported = await made.sql(
    `SELECT {'a': 1.5::DECIMAL(38,18)} AS s, CAST('7' AS BIGNUM) AS b, [{'x': 1}] AS l, [1, 2]::INTEGER[2] AS f`,
    'arrow',
  );
  const read = tableFromIPC(await readFile(exported.file));
  expect(typesOf(read)).toEqual({ s: 'Utf8', b: 'Utf8', l: 'Utf8', f: 'List<Int32>' });
  expect(column(read, 's').get(0)).toBe('{"a":"1.500000000000000000"}');
  expect(column(read, 'l').get(0)).toBe('[{"x":1}]');
  expect(exported.notes.map((note) => note.split(' ')[0])).toEqual(['s', 'b', 'l']);
});

test('more bytes than offsets of 32 bits can tell are refused', () => {
  expect(offsets([2 ** 31 - 2, 1]).at(-1)).toBe(2 ** 31 - 1);
  expect(() => offsets([2 ** 31 - 1, 1])).toThrow(/2 GiB/);
});
