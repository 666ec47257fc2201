import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Cell } from '../../../src/catalogue/column-kind.ts';
import { endpointAt } from '../../../src/catalogue/index.ts';
import { ListedRecord } from '../../../src/catalogue/record-text.ts';
import { Coverage, type Status } from '../../../src/coverage/coverage.ts';
import { listAt, listOf } from '../../../src/coverage/list.ts';
import type { Slice } from '../../../src/coverage/slice.ts';
import { compareSlice } from '../../../src/land/compare.ts';
import type { Lake } from '../../../src/land/lake.ts';
import { decode } from '../../../src/land/rows/decode.ts';
import { rowShape } from '../../../src/land/rows/row-shape.ts';
import type { Claim } from '../../../src/land/rule/claim.ts';
import { ParquetWriter } from '../../../src/land/storage/parquet.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';

const ALICE = `0x${'a1'.repeat(20)}`;
const LIST = listOf(endpointAt('mainchain/address/token-transaction-list'), {
  protocolType: 'token_20',
});
const SHAPE = rowShape(LIST);
const INTERVAL = { from: 0, to: 9 };
const SLICE: Slice = { list: LIST, keys: [ALICE], interval: INTERVAL, provisional: false };
const RECORD = {
  ...{ txId: '0xab', blockHash: '0xcd', height: '7', transactionTime: '1700000000000' },
  ...{ from: ALICE, to: ALICE, tokenContractAddress: ALICE, amount: '12.5', symbol: 'T' },
};

let folder = '';
let writer: ParquetWriter;

beforeAll(async () => {
  folder = await freshFolder();
  writer = await ParquetWriter.open(join(folder, 'spilled'));
  whenOver(() => writer.close());
});

/** The comparison of the record with a table that has it with this cell. */
async function comparedWith(column: string, cell: Cell, status: Status = 'complete') {
  const walked = decode(LIST, [ListedRecord.fromWire(LIST.entry, RECORD)]).rows;
  const at = SHAPE.columns.findIndex(({ name }) => name === column);
  const added = walked.map(({ cells }) => {
    return SHAPE.columns.map(({ name }, i) => {
      if (name === '_endpoint') return LIST.endpoint;
      if (name === '_variant') return LIST.variant;
      return i === at ? cell : (cells[i] ?? null);
    });
  });
  const { endpoint, variant } = LIST;
  const claim: Claim = {
    ...{
      list: listAt({ endpoint, variant }),
      keys: [ALICE],
      interval: INTERVAL,
      status: 'complete',
    },
    ...{ reason: '', head: 9, readAtMs: 0, generation: 0 },
  };
  const taken = await writer.take(SHAPE.columns, { added, kept: [] });
  const path = join(folder, `${column}-${cell}.parquet`);
  await taken.write(path, LIST, ['block_number']);
  const coverage = new Coverage();
  const { reason, head, readAtMs } = claim;
  coverage.addTo(LIST, [ALICE], { ...INTERVAL, status, reason, head, readAtMs });
  const table = { snapshot: async () => ({ coverage }), paths: () => [path] };
  return compareSlice({ table: () => table } as unknown as Lake, SLICE, walked);
}

test('rows are equal while all of their stable columns are', async () => {
  const results = await comparedWith('amount', 12_500_000_000_000_000_000n);
  expect(results).toEqual({ rows: 1, added: [], gone: [] });
});

test.each<[string, Cell]>([
  ['amount_text', '13'],
  ['amount', 13n],
  ['from_addresses', null],
])(
  'rows that differ in %s are found, even if it follows from another column',
  async (column, cell) => {
    const { added, gone } = await comparedWith(column, cell);
    expect([added.length, gone.length]).toEqual([1, 1]);
  },
);

test('rows where the table is not complete are not compared', async () => {
  const results = await comparedWith('amount_text', '14', 'provisional');
  expect(results).toEqual({ rows: 0, added: [], gone: [] });
});
