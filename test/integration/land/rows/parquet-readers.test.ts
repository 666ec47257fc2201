import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { ParquetReader } from 'parquetjs-lite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cell } from '../../../../src/catalogue/column-kind.ts';
import type { Column } from '../../../../src/catalogue/entry.ts';
import { datasetNamed, endpointAt } from '../../../../src/catalogue/index.ts';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { listOf } from '../../../../src/coverage/list.ts';
import { tableColumns } from '../../../../src/land/rows/columns.ts';
import { decode } from '../../../../src/land/rows/decode.ts';
import { DeltaTable } from '../../../../src/land/rows/table.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { ParquetWriter } from '../../../../src/land/storage/parquet.ts';
import { listed } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

/**
 * Goal: the files of a table say to readers that share no code with DuckDB what was committed,
 * cell for cell. hyparquet reads them as they are; parquetjs-lite reads neither zstd nor decimals,
 * so it is given a copy without them.
 */

const ENDPOINT = endpointAt('mainchain/address/normal-transaction-list-multi');
const COLUMNS = tableColumns(ENDPOINT.dataset);
/** More than one chunk of DuckDB, so that chunks are seen to be put together. */
const ROWS = 2_500;
const READ_AT_MS = 1_700_000_123_456;
const ALICE = `0x${'a1'.repeat(20)}`;

/** What a column can hardly hold, each in turn with absent values and common ones. */
const AMOUNTS = ['0', '99999999999999999999.999999999999999999', '0.5', `${'9'.repeat(78)}`, ''];
const NONCES = ['0', String(2n ** 63n - 1n), String(2n ** 53n + 1n), ''];
const PRICES = ['1', '9'.repeat(38), ''];
const RECIPIENTS = ['', `0x${'B2'.repeat(20)}`, `0x${'c3'.repeat(20)}, 0x${'d4'.repeat(20)}`];
const SYMBOLS = ['NATIVE', '', '"quoted", 漢字 🌾\n\u0001', "'; --"];
const FLAGS = [true, false, ''];

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;

function recordAt(at: number): WireRecord {
  return {
    txId: `0x${at.toString(16).padStart(64, '0')}`,
    height: String(1_000 + at),
    transactionTime: String(1_600_000_000_000 + at * 1_001),
    from: ALICE,
    to: pick(RECIPIENTS, at),
    isFromContract: pick(FLAGS, at),
    isToContract: pick(FLAGS, at + 1),
    amount: pick(AMOUNTS, at),
    symbol: pick(SYMBOLS, at),
    nonce: pick(NONCES, at),
    gasPrice: pick(PRICES, at),
    ...(at % 7 === 0 ? { unknownField: `of ${at}` } : {}),
  };
}

/** The rows in the order of the file, each cell as it was to be landed. */
let expected: Readonly<Record<string, Cell>>[] = [];
let folder = '';
let file = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-readers-'));
  const records = Array.from({ length: ROWS }, (_, at) => recordAt(at));
  const { rows, broken } = decode(listOf(ENDPOINT), listed(ENDPOINT, records.toReversed()));
  expect(broken).toEqual([]);
  const writer = await ParquetWriter.open(join(folder, 'spilled'));
  const table = new DeltaTable({
    disk: localDisk,
    effects: quietEffects(),
    writer,
    folder: join(folder, 'table'),
    staging: join(folder, 'staging'),
    run: 'a run',
    dataset: datasetNamed(ENDPOINT.dataset),
  });
  const claim = {
    list: listNamed(ENDPOINT.path),
    keys: [ALICE],
    interval: { from: 0, to: 9_999 },
    status: 'complete' as const,
    reason: '',
    head: 20_000,
    readAtMs: READ_AT_MS,
    generation: 0,
  };
  await table.commit([{ claim, records: rows, slice: 'a slice', requests: 1 }]);
  const paths = table.paths(await table.snapshot());
  writer.close();
  expect(paths).toHaveLength(1);
  file = paths[0] ?? '';
  const lineage: Cell[] = [
    ENDPOINT.path,
    '',
    1n,
    'a slice',
    BigInt(READ_AT_MS) * 1000n,
    'a run',
    null,
  ];
  expected = rows.toReversed().map(({ cells }) => {
    const landed = [...cells.slice(0, cells.length - lineage.length), ...lineage];
    return Object.fromEntries(COLUMNS.map(({ name }, i) => [name, landed[i] ?? null]));
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the files of a table', () => {
  it('say to hyparquet what was committed, cell for cell', async () => {
    const buffer = await asyncBufferFromFile(file);
    const metadata = await parquetMetadataAsync(buffer);
    // hyparquet turns decimals into floating point: without their mark it gives the bytes.
    for (const element of metadata.schema) {
      if (element.converted_type !== 'DECIMAL') continue;
      delete element.converted_type;
      delete element.logical_type;
    }
    const rows = await parquetReadObjects({
      file: buffer,
      metadata,
      compressors,
      parsers: { timestampFromMicroseconds: (micros) => micros },
    });
    const codecs = metadata.row_groups.flatMap(({ columns }) =>
      columns.map((column) => column.meta_data?.codec),
    );
    expect(new Set(codecs)).toEqual(new Set(['ZSTD']));
    expect(rows).toHaveLength(ROWS);
    expect(rows.map((row) => cellsOf(row, (_, cell) => fromBytes(cell)))).toEqual(expected);
  });

  it.each(['snappy', 'gzip'])('rewritten with %s say it to parquetjs-lite too', async (codec) => {
    const copy = join(folder, `${codec}.parquet`);
    await rewrite(file, copy, codec);
    const reader = await ParquetReader.openFile(copy);
    const cursor = reader.getCursor();
    const rows: Readonly<Record<string, unknown>>[] = [];
    for (let row = await cursor.next(); row !== null; row = await cursor.next()) rows.push(row);
    expect(Number(reader.getRowCount().toString())).toBe(ROWS);
    await reader.close();
    expect(rows.map((row) => cellsOf(row, fromParquetjs))).toEqual(expected);
  });
});

/** Every cell of a row; readers may leave out NULL, and a column of their own would show. */
function cellsOf(
  row: Readonly<Record<string, unknown>>,
  cellOf: (column: Column | undefined, cell: unknown) => unknown,
): Record<string, unknown> {
  const names = new Set([...COLUMNS.map(({ name }) => name), ...Object.keys(row)]);
  const columnOf = (name: string) => COLUMNS.find((column) => column.name === name);
  return Object.fromEntries(
    [...names].map((name) => [name, cellOf(columnOf(name), row[name] ?? null)]),
  );
}

/** Decimals lie in 16 bytes, a whole number in two's complement, the highest byte first. */
function fromBytes(cell: unknown): unknown {
  if (!(cell instanceof Uint8Array)) return cell;
  const hex = Buffer.from(cell).toString('hex');
  return BigInt.asIntN(cell.length * 8, BigInt(`0x${hex}`));
}

/** A copy for parquetjs-lite: numbers and times, of which it loses digits, as whole numbers' text. */
async function rewrite(from: string, to: string, codec: string): Promise<void> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const texts = COLUMNS.flatMap(({ name, type }) => {
    if (type === 'BIGINT') return [`${name}::VARCHAR AS ${name}`];
    if (type === 'TIMESTAMPTZ') return [`epoch_us(${name})::VARCHAR AS ${name}`];
    if (type.startsWith('DECIMAL')) return [`replace(${name}::VARCHAR, '.', '') AS ${name}`];
    return [];
  });
  await connection.run(
    `COPY (SELECT * REPLACE (${texts.join(', ')}) FROM '${from}')
     TO '${to}' (FORMAT parquet, COMPRESSION ${codec})`,
  );
  connection.closeSync();
  instance.closeSync();
}

function fromParquetjs(column: Column | undefined, cell: unknown): unknown {
  const type = column?.type;
  if (cell === null || type === 'VARCHAR' || type === 'BOOLEAN') return cell;
  if (type !== 'VARCHAR[]') return BigInt(String(cell));
  const { list } = cell as { readonly list: readonly { readonly element: string }[] };
  return list.map(({ element }) => element);
}
