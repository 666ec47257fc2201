import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listOf } from '../../../../src/coverage/list.ts';
import type { QuarantineRecord } from '../../../../src/land/quarantine/quarantine-record.ts';
import {
  cellsOf,
  isWaiting,
  QUARANTINE_COLUMNS,
  quarantineRecordOf,
} from '../../../../src/land/quarantine/quarantine-record.ts';
import { readRows } from '../../../../src/land/storage/read-rows.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import {
  A,
  landing,
  ODD,
  QuarantineLake,
  transaction,
} from '../../../fixtures/quarantine-setup.ts';

let lake: QuarantineLake;
beforeEach(async () => {
  lake = await QuarantineLake.open();
});
afterEach(() => lake.remove());

const broken = (height: number) => transaction(height, { txId: ODD });

function records(dataset = 'transactions'): Promise<QuarantineRecord[]> {
  return lake.use('reader', (open) => open.quarantineOf(dataset).records());
}

/** Whether the next run fetches the slice of each record again. */
function waiting(): Promise<boolean[]> {
  return lake.use('reader', async (open) => {
    const { coverage } = await open.table('transactions').snapshot();
    const all = await open.quarantineOf('transactions').records();
    return all.map((record) => isWaiting(record, coverage));
  });
}

describe('a record in quarantine', () => {
  it('comes back from its cells as it was', async () => {
    await lake.run('one', landing([broken(1)]));
    const [record] = await records();
    if (record === undefined) throw new Error('nothing was kept');
    expect(quarantineRecordOf(cellsOf(record))).toEqual(record);
    expect(cellsOf(record)).toHaveLength(QUARANTINE_COLUMNS.length);
  });

  it('is there once, however often its slice is fetched, with the newest walk', async () => {
    await lake.run('one', landing([transaction(1), broken(2)]));
    const [first] = await records();
    await lake.run('two', landing([transaction(1), broken(2)]));
    const [again, ...rest] = await records();
    expect(rest).toEqual([]);
    expect(again).toMatchObject({ id: first?.id, atMs: first?.atMs, run: 'two' });
    expect(again?.walk).not.toBe(first?.walk);
    expect(again?.claim.readAtMs).toBeGreaterThan(first?.claim.readAtMs ?? Number.NaN);
  });

  it('is counted among equal ones of its walk', async () => {
    await lake.run('one', landing([broken(2), broken(2), broken(3)]));
    const all = await records();
    expect(all.map(({ occurrence }) => occurrence).sort()).toEqual([1, 1, 2]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
  });

  it('is another one where another slice lists it', async () => {
    const { slice } = landing([]);
    const other = { ...slice, list: listOf(slice.list.entry, { symbol: 'x' }) };
    await lake.run('one', landing([broken(2)]), landing([broken(2)], { slice: other }));
    expect(await records()).toHaveLength(2);
  });

  it('waits while what landed is of its walk, and not once its slice was fetched again', async () => {
    await lake.run('one', landing([transaction(1), broken(2)]));
    expect(await waiting()).toEqual([true]);
    const other = transaction(2, { txId: ODD, nonce: '9' });
    await lake.run('two', landing([transaction(1), other]));
    expect(await waiting()).toEqual([false, true]);
    await lake.run('three', landing([transaction(1), transaction(2), transaction(3)]));
    expect(await waiting()).toEqual([false, false]);
  });
});

describe('the table', () => {
  it('lies in the folder of the chain that the dataset is about', async () => {
    const zone = {
      ...landing([]).slice,
      list: listNamed('mainchain/zone/address/transaction-list'),
    };
    await lake.run('one', landing([broken(1)]), landing([{ height: 'x' }], { slice: zone }));
    const folders = await lake.use('reader', async (open) =>
      Promise.all(
        open
          .quarantines()
          .map(async (table) => table.stored.paths(await table.stored.snapshot()).map(String)),
      ),
    );
    expect(folders.map((paths) => paths.length)).toEqual([1, 1]);
    expect(folders[0]?.[0]).toContain('/lake/MAINCHAIN/quarantine/part-');
    expect(folders[1]?.[0]).toContain('/lake/ZONECHAIN/quarantine/part-');
    expect(await records('zone_transactions')).toMatchObject([{ axis: 'zone' }]);
  });

  it('says of its files what they hold', async () => {
    await lake.run('one', landing([broken(1), broken(2)]));
    await lake.use('reader', async (open) => {
      const { files } = await open.quarantineOf('transactions').stored.snapshot();
      expect([...files.values()]).toMatchObject([
        { rows: 2, heights: { from: 1, to: 1 }, source: undefined },
      ]);
    });
  });

  it('loses what is dropped, and nothing else', async () => {
    await lake.run('one', landing([broken(1), broken(2), broken(3)]));
    await lake.run('two', landing([broken(4)]));
    const [first, second] = await records();
    const dropped = await lake.use('reader', (open) =>
      open.quarantineOf('transactions').drop([first?.id ?? '', second?.id ?? '', 'unknown']),
    );
    expect(dropped).toBe(2);
    expect(await records()).toHaveLength(2);
    expect((await records()).map(({ id }) => id)).not.toContain(first?.id);
  });

  it('has no file once all its records are dropped', async () => {
    await lake.run('one', landing([broken(1), broken(2)]));
    const ids = (await records()).map(({ id }) => id);
    const files = await lake.use('reader', async (open) => {
      const quarantine = open.quarantineOf('transactions');
      await quarantine.drop(ids);
      return (await quarantine.stored.snapshot()).files;
    });
    expect([...files]).toEqual([]);
  });

  it('is left alone by a run without broken records', async () => {
    await lake.run('one', landing([transaction(1)]));
    await lake.use('reader', async (open) => {
      expect((await open.quarantineOf('transactions').stored.snapshot()).version).toBe(-1);
    });
  });
});

describe('rows of data files', () => {
  it('come back as the cells they were landed as', async () => {
    const whole = transaction(3, {
      to: `${A},0x${'c'.repeat(40)}`,
      amount: '12.000000000000000005',
      transactionTime: '1700000000123',
      isFromContract: true,
      gasPrice: '9'.repeat(38),
    });
    await lake.run('one', landing([whole]));
    await lake.use('reader', async (open) => {
      const table = open.table('transactions');
      const paths = table.paths(await table.snapshot());
      const wanted = [
        ['to_addresses', 'VARCHAR[]'],
        ['amount', 'DECIMAL(38,18)'],
        ['block_time', 'TIMESTAMPTZ'],
        ['from_is_contract', 'BOOLEAN'],
        ['gas_price', 'DECIMAL(38,0)'],
        ['block_number', 'BIGINT'],
        ['token_id', 'VARCHAR'],
      ] as const;
      const shape = wanted.map(([name, type]) => ({ name, type, comment: '', volatile: false }));
      expect(await readRows(paths, shape)).toEqual([
        [
          [A, `0x${'c'.repeat(40)}`],
          12_000_000_000_000_000_005n,
          1_700_000_000_123_000n,
          true,
          10n ** 38n - 1n,
          3n,
          null,
        ],
      ]);
      expect(await readRows(paths, shape, 'block_number = 4')).toEqual([]);
    });
  });
});
