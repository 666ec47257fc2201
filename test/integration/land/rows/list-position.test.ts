import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { beforeEach, describe, expect, it } from 'vitest';
import { lakeSource } from '../../../../service/src/lake/lake-source.ts';
import { createService } from '../../../../service/src/server/service.ts';
import { datasetNamed } from '../../../../src/catalogue/index.ts';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { ledger } from '../../../../src/land/delta/ledger.ts';
import { StoredTable } from '../../../../src/land/delta/stored-table.ts';
import { LIST_POSITION, tableColumns } from '../../../../src/land/rows/columns.ts';
import { decode } from '../../../../src/land/rows/decode.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { ParquetWriter } from '../../../../src/land/storage/parquet.ts';
import { readRows } from '../../../../src/land/storage/read-rows.ts';
import { contentDigest } from '../../../fixtures/content-digest.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { listed } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import {
  INTERNALS,
  inBlock,
  internal,
  LIST,
  NORMAL,
  transaction,
  transfer,
} from '../../../fixtures/load-lake.ts';
import { mergeAll } from '../../../fixtures/merge-all.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { ShortAddresses, shortened } from '../../../fixtures/short-addresses.ts';
import { whenOver } from '../../../fixtures/when-over.ts';

/** Goal: the calls of a transaction keep the order in which the service listed them. */

const small = freshLake(beforeEach);

function decoded(path: string, records: readonly WireRecord[], params = {}) {
  const list = listNamed(path, params);
  const addresses = new ShortAddresses();
  return decode(
    list,
    listed(
      list.entry,
      records.map((record) => addresses.record(list.entry, record)),
    ),
  ).rows;
}

const positions = (path: string, records: readonly WireRecord[], params = {}) =>
  decoded(path, records, params).map(({ listPosition }) => listPosition);

/** Calls that no column but the recipient tells apart, in an order that no sort would give. */
const CALLS = ['0xc', '0xa', '0xd', '0xa', '0xb'].map((to) => internal({ to, from: '0xf' }));

describe('the place of a record in its answer', () => {
  it('is counted in each block, or in each transaction, from 1', () => {
    const calls = [...CALLS, internal({ txId: '0x02' }), ...CALLS.slice(0, 1)];
    expect(positions(LIST.internalByHash, calls)).toEqual([1, 2, 3, 4, 5, 1, 6]);
    const two = [transfer(), transfer({ txId: '0x02' }), transfer()];
    expect(positions(LIST.tokensByHash, two)).toEqual([1, 1, 2]);
    const block = [inBlock(), inBlock({ txid: '0x02' }), inBlock({ height: '11' })];
    expect(positions(LIST.inBlock, block, NORMAL)).toEqual([1, 2, 1]);
  });

  it('is not recorded in ranges of blocks and in look-ups of one record each', () => {
    expect(positions(LIST.internal, CALLS)).toEqual([null, null, null, null, null]);
    expect(positions(LIST.transactionsByHash, [transaction()])).toEqual([null]);
  });

  it('neither numbers equal records nor tells contents apart', async () => {
    const rowsOf = (records: readonly WireRecord[]) => decoded(LIST.internalByHash, records);
    expect(rowsOf(CALLS).map(({ occurrence }) => occurrence)).toEqual([1, 1, 1, 2, 1]);
    await small.land(LIST.internalByHash, { keys: ['0x01'], records: CALLS });
    const table = small.lake.table('internal_transactions');
    const before = await contentDigest(table);
    await small.land(LIST.internalByHash, { keys: ['0x01'], records: CALLS.toReversed() });
    expect(await contentDigest(table)).toEqual(before);
  });
});

it('the views show the calls of a transaction in their order', async () => {
  await small.land(LIST.internalByHash, { keys: ['0x01'], records: CALLS });
  await small.land(LIST.tokensByHash, {
    keys: ['0x01'],
    records: [transfer({ amount: '9' }), transfer({ amount: '8' })],
  });
  const listed = [inBlock({ txid: '0x09' }), inBlock({ txid: '0x01' })];
  await small.land(LIST.inBlock, { keys: [''], params: NORMAL, records: listed });
  await small.land(LIST.transactionsByHash, { keys: ['0x01'], records: [transaction()] });
  await small.publish();
  const ordered = (columns: string, view: string) =>
    small.rows(`SELECT ${columns} FROM ${view} ORDER BY list_position`);
  expect(await ordered('to_address', 'internal_transactions')).toEqual(CALLS.map(({ to }) => [to]));
  expect(await ordered('amount_text', 'token_transfers')).toEqual([['9'], ['8']]);
  expect(await ordered('tx_hash', 'transactions')).toEqual([['0x09'], ['0x01']]);
});

describe('a served lake', () => {
  const asking = async () => {
    await small.land(LIST.blocks, { keys: [''], records: [{ hash: '0xe', height: '90' }] });
    await small.curate();
    const source = await lakeSource({ root: small.root, effects: quietEffects() });
    whenOver(() => source.close());
    const service = createService({ source, effects: quietEffects() });
    return async (path: string, query: Readonly<Record<string, string>>) => {
      const request = new URLSearchParams({ chainShortName: 'MAINCHAIN', ...query });
      const target = `/api/v5/${path}?${request}`;
      const { body } = await service.answer({ method: 'GET', target, headers: {}, body: '' });
      const { data } = shortened(JSON.parse(body)) as { data: Record<string, WireRecord[]>[] };
      return Object.values(data[0] ?? {}).find(Array.isArray) as WireRecord[];
    };
  };

  it('answers by hash and by block in the order of the answers that it holds', async () => {
    const later = ['0x9', '0x7', '0x8'].map((to) => internal({ txId: '0x00', to, from: '0xf' }));
    const all = [...CALLS, ...later];
    await small.land(LIST.internalByHash, { keys: ['0x01'], records: CALLS });
    await small.land(LIST.inBlock, {
      keys: [''],
      params: INTERNALS,
      records: all.map(({ txId, operation: _, ...call }) => ({ ...call, txid: txId })),
    });
    const transactions = ['0x05', '0x01', '0x09', '0x00'].map((txid) => inBlock({ txid }));
    await small.land(LIST.inBlock, { keys: [''], params: NORMAL, records: transactions });
    const ask = await asking();
    const calls = await ask(LIST.internalByHash, { txId: '0x01' });
    expect(calls.map(({ to }) => to)).toEqual(CALLS.map(({ to }) => to));
    const ofBlock = await ask(LIST.inBlock, { height: '10', ...INTERNALS });
    expect(ofBlock.map(({ to }) => to)).toEqual(all.map(({ to }) => to));
    const inOrder = await ask(LIST.inBlock, { height: '10' });
    expect(inOrder.map(({ txid }) => txid)).toEqual(['0x05', '0x01', '0x09', '0x00']);
  });
});

describe('a table that was written before places were recorded', () => {
  const OLD_COLUMNS = tableColumns('internal_transactions').filter(
    ({ name }) => name !== LIST_POSITION,
  );

  /** The calls of 0x01, as an older version landed them. */
  async function landedOfOld(): Promise<void> {
    const { name, summary, heightColumn, sortedBy } = datasetNamed('internal_transactions');
    const staging = join(small.root, 'staging');
    const writer = await ParquetWriter.open(join(small.root, 'spilled'));
    const folder = join(small.root, 'lake', 'MAINCHAIN', name);
    const storage = {
      disk: localDisk,
      effects: quietEffects(),
      writer,
      folder,
      staging,
      run: 'old',
    };
    const shape = { name, summary, columns: OLD_COLUMNS, heightColumn, sortedBy, isBySource: true };
    const rows = decoded(LIST.internalByHash, CALLS);
    const lineage = [LIST.internalByHash, '', 1n, 'a slice', 0n, 'old'];
    const content = OLD_COLUMNS.length - lineage.length;
    await new StoredTable(storage, shape).publish('WINDROW COMMIT', async () => {
      const expected = { endpoint: LIST.internalByHash, variant: '', key: '0x01', from: 0, to: 99 };
      const claim = { ...expected, status: 'complete' as const, reason: '', head: 99, readAtMs: 0 };
      return {
        ledger: ledger('old', { coverage: [claim] }),
        removed: [],
        counts: { rowsAdded: rows.length, rowsReplaced: 0 },
        rows: {
          added: rows.map(({ cells }) => [...cells.slice(0, content), ...lineage]),
          kept: [],
        },
      };
    });
    writer.close();
  }

  const NEW_CALLS = CALLS.map((call) => ({ ...call, txId: '0x02' }));

  it('is appended to: the log states the new column, and the old rows have none', async () => {
    await landedOfOld();
    await small.land(LIST.internalByHash, { keys: ['0x02'], records: NEW_CALLS });
    const table = small.lake.table('internal_transactions');
    const snapshot = await table.snapshot();
    expect(snapshot.columns).toEqual(tableColumns('internal_transactions').map(({ name }) => name));
    expect(snapshot.files.size).toBe(2);
    const columns = tableColumns('internal_transactions').filter(({ name }) =>
      ['tx_hash', LIST_POSITION].includes(name),
    );
    const byOurs = async () => (await readRows(table.paths(snapshot), columns)).map(String).sort();
    const old = CALLS.map(() => '0x01,');
    const recent = NEW_CALLS.map((_, i) => `0x02,${i + 1}`);
    expect(await byOurs()).toEqual([...old, ...recent]);
    expect(await byAnotherReader()).toEqual([...old, ...recent]);
    await small.publish();
    expect(
      await small.rows(
        'SELECT tx_hash, count(list_position) FROM internal_transactions GROUP BY 1 ORDER BY 1',
      ),
    ).toEqual([
      ['0x01', 0],
      ['0x02', 5],
    ]);
  });

  it('is rewritten whole, and its digest stays', async () => {
    await landedOfOld();
    const table = small.lake.table('internal_transactions');
    const before = await contentDigest(table);
    await mergeAll(table.stored);
    expect(await contentDigest(table)).toEqual(before);
    await small.land(LIST.internalByHash, { keys: ['0x01'], records: CALLS });
    expect(await contentDigest(table)).toEqual(before);
  });

  /** Folds the log as its protocol says and reads the files without DuckDB. */
  async function byAnotherReader(): Promise<string[]> {
    const folder = join(small.root, 'lake', 'MAINCHAIN', 'internal_transactions');
    let names: string[] = [];
    const files = new Set<string>();
    for (const version of [0, 1]) {
      const entry = join(folder, '_delta_log', `${String(version).padStart(20, '0')}.json`);
      for (const line of (await readFile(entry, 'utf8')).trim().split('\n')) {
        const { metaData, add, remove } = JSON.parse(line);
        if (metaData !== undefined) {
          const { fields } = JSON.parse(metaData.schemaString);
          expect(fields.every(({ nullable }: { nullable: boolean }) => nullable)).toBe(true);
          names = fields.map(({ name }: { name: string }) => name);
        }
        if (add !== undefined) files.add(add.path);
        if (remove !== undefined) files.delete(remove.path);
      }
    }
    expect(names.at(-1)).toBe(LIST_POSITION);
    const rows: string[] = [];
    for (const path of files) {
      const file = await asyncBufferFromFile(join(folder, path));
      for (const row of await parquetReadObjects({ file, compressors })) {
        rows.push(`${row['tx_hash']},${row[LIST_POSITION] ?? ''}`);
      }
    }
    return rows.sort();
  }
});
