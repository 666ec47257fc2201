import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import type { QuarantineRecord } from '../../../../../src/land/quarantine/quarantine-record.ts';
import { type ReplayResult, replayWalk } from '../../../../../src/land/replay/replay-walk.ts';
import { LIST_POSITION, tableColumns } from '../../../../../src/land/rows/columns.ts';
import { contentDigest } from '../../../../../src/land/rows/digest.ts';
import { readRows } from '../../../../../src/land/storage/read-rows.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import {
  A,
  B,
  landing,
  ODD,
  QuarantineLake,
  transaction,
} from '../../../../fixtures/quarantine-setup.ts';

/**
 * Goal: records that can be decoded by now land, on disk, as if they had never been broken. That a
 * reader understands more than before is played by mending the text that is kept.
 */

let lake: QuarantineLake;
let truth: QuarantineLake;
beforeEach(async () => {
  lake = await QuarantineLake.open();
  truth = await QuarantineLake.open();
});
afterEach(async () => {
  await lake.remove();
  await truth.remove();
});

const broken = (height: number, more: WireRecord = {}) =>
  transaction(height, { height: ODD, ...more });

/** The record as a reader that understands it would decode it. */
const mended = (record: QuarantineRecord): QuarantineRecord => ({
  ...record,
  raw: record.raw.replace(ODD, /"0x(\d+)"/.exec(record.raw)?.[1] ?? ''),
});

type Pick = (record: QuarantineRecord, at: number) => boolean;

/** Replays all walks, with the records of `understood` mended; clears what is done. */
function replayed(
  understood: Pick = () => true,
  chosen: Pick = () => true,
): Promise<ReplayResult[]> {
  return lake.use('replay', async (open) => {
    const kept = open.quarantineOf('transactions');
    const all = await kept.records();
    const ids = new Set(all.filter(chosen).map(({ id }) => id));
    const done: ReplayResult[] = [];
    for (const walk of new Set(all.map((record) => record.walk))) {
      const own = all.flatMap((record, at) => {
        if (record.walk !== walk) return [];
        return [understood(record, at) ? mended(record) : record];
      });
      done.push(await replayWalk(open, own, ids));
    }
    await kept.drop(done.flatMap(({ landed, needless }) => [...landed, ...needless]));
    return done;
  });
}

function digest(of: QuarantineLake) {
  return of.use('reader', (open) => contentDigest(open.table('transactions')));
}

function coverage() {
  return lake.use('reader', async (open) =>
    (await open.coverage()).entries().map(({ key, from, to, status }) => [key, from, to, status]),
  );
}

function left(): Promise<number> {
  return lake.use('reader', async (open) => {
    return (await open.quarantineOf('transactions').records()).length;
  });
}

describe('a replay', () => {
  it('makes a walk whole without asking anybody', async () => {
    const copies = [transaction(4), transaction(4), broken(4)];
    await lake.run('one', landing([...copies, broken(2)]));
    await truth.run('one', landing([transaction(4), ...copies.slice(0, 2), transaction(2)]));
    expect(await coverage()).toEqual([[A, 0, 9, 'inconsistent']]);
    expect(await replayed()).toMatchObject([{ status: 'complete', refused: undefined }]);
    expect(await coverage()).toEqual([[A, 0, 9, 'complete']]);
    expect(await digest(lake)).toEqual(await digest(truth));
    expect(await left()).toBe(0);
  });

  it('counts copies anew and keeps the slice and the time that rows were read at', async () => {
    await lake.run('one', landing([transaction(4), transaction(4), broken(4)]));
    const lineage = (): Promise<unknown[][]> =>
      lake.use('reader', async (open) => {
        const table = open.table('transactions');
        const names = ['_slice', '_fetched_at', '_occurrence'];
        const columns = tableColumns('transactions').filter(({ name }) => names.includes(name));
        return readRows(table.paths(await table.snapshot()), columns);
      });
    const before = await lineage();
    await replayed();
    const after = await lineage();
    expect(after.map(([occurrence]) => occurrence).sort()).toEqual([1n, 2n, 3n]);
    for (const [, ...rest] of after) expect(rest).toEqual(before[0]?.slice(1));
  });

  it('keeps the places of landed rows, and gives none to records that come later', async () => {
    const inBlock = ({ txId, ...record }: WireRecord): WireRecord => ({ ...record, txid: txId });
    const { slice } = landing([]);
    const list = listNamed('mainchain/block/transaction-list', { protocolType: 'transaction' });
    const ofBlock = { ...slice, list, keys: [''] };
    const records = [transaction(4), broken(4, { txId: '0x5' }), transaction(4, { txId: '0x6' })];
    await lake.run('one', landing(records.map(inBlock), { slice: ofBlock }));
    await replayed();
    const placed = await lake.use('reader', async (open) => {
      const table = open.table('transactions');
      const names = ['tx_hash', LIST_POSITION];
      const columns = tableColumns('transactions').filter(({ name }) => names.includes(name));
      return readRows(table.paths(await table.snapshot()), columns);
    });
    expect(placed.map(String).sort()).toEqual(['0x4,1', '0x5,', '0x6,2']);
  });

  it('lands what can be decoded and leaves its walk inconsistent, until the rest can', async () => {
    await lake.run('one', landing([transaction(1), broken(2), broken(3)]));
    await truth.run('one', landing([transaction(1), transaction(2), transaction(3)]));
    const [first] = await replayed((_, at) => at === 0);
    expect(first).toMatchObject({ status: 'inconsistent', landed: [expect.any(String)] });
    expect([...(first?.broken.values() ?? [])]).toEqual([
      `height is not of the kind height: "${ODD}"`,
    ]);
    expect(await coverage()).toEqual([[A, 0, 9, 'inconsistent']]);
    expect((await digest(lake)).rows).toBe(2);
    expect(await replayed()).toMatchObject([{ status: 'complete' }]);
    expect(await digest(lake)).toEqual(await digest(truth));
  });

  it('lands only what is chosen', async () => {
    await lake.run('one', landing([broken(2), broken(3)]));
    expect(await replayed(undefined, (_, at) => at === 1)).toMatchObject([
      { status: 'inconsistent', landed: [expect.any(String)] },
    ]);
    expect((await digest(lake)).rows).toBe(1);
    expect(await left()).toBe(1);
  });

  it('of what is still broken commits nothing', async () => {
    await lake.run('one', landing([transaction(1), broken(2)]));
    const version = () =>
      lake.use('reader', async (open) => (await open.table('transactions').snapshot()).version);
    const before = await version();
    const [done] = await replayed(() => false);
    expect(done).toMatchObject({ landed: [], needless: [], status: undefined });
    expect(done?.broken.size).toBe(1);
    expect(await version()).toBe(before);
    expect(await left()).toBe(1);
  });

  it('played again after it was killed before the quarantine was cleared changes nothing', async () => {
    await lake.run('one', landing([transaction(1), broken(2), broken(3)]));
    await lake.use('replay', async (open) => {
      const all = (await open.quarantineOf('transactions').records()).map(mended);
      await replayWalk(open, all, new Set(all.slice(0, 1).map(({ id }) => id)));
    });
    expect((await digest(lake)).rows).toBe(2);
    expect(await replayed(undefined, (_, at) => at === 0)).toMatchObject([
      { landed: [], needless: [expect.any(String)] },
    ]);
    expect((await digest(lake)).rows).toBe(2);
    await replayed();
    expect((await digest(lake)).rows).toBe(3);
    expect(await coverage()).toEqual([[A, 0, 9, 'complete']]);
  });
});

describe('a replay of a slice that was fetched again', () => {
  it('is not needed where it landed whole', async () => {
    await lake.run('one', landing([transaction(1), broken(2)]));
    await lake.run('two', landing([transaction(1), transaction(2)]));
    const before = await digest(lake);
    expect(await replayed()).toMatchObject([{ needless: [expect.any(String)], landed: [] }]);
    expect(await digest(lake)).toEqual(before);
    expect(await left()).toBe(0);
  });

  it('is refused where it did not, for what the newer walk read right', async () => {
    await lake.run('one', landing([transaction(1), broken(2)]));
    await lake.run('two', landing([transaction(1), transaction(2), broken(3)]));
    const done = await replayed();
    expect(done.map(({ refused, status }) => [status, refused])).toEqual([
      [undefined, expect.stringMatching(/no longer those of the walk/)],
      ['complete', undefined],
    ]);
    expect((await digest(lake)).rows).toBe(3);
  });

  it('goes on with the newest walk where the same records are broken again', async () => {
    await lake.run('one', landing([transaction(1), broken(2)]));
    await lake.run('two', landing([transaction(1), transaction(5), broken(2)]));
    expect(await replayed()).toMatchObject([{ status: 'complete' }]);
    expect((await digest(lake)).rows).toBe(3);
  });

  it('is refused when another list has taken rows that the walk had landed', async () => {
    const shared = transaction(1, { to: B });
    await lake.run('one', landing([shared, broken(2)]));
    const slice = { ...landing([]).slice, keys: [B] };
    await lake.run('two', landing([], { slice, status: 'truncated', reason: 'the cap' }));
    expect((await digest(lake)).rows).toBe(0);
    expect(await replayed()).toMatchObject([{ refused: expect.stringMatching(/no longer/) }]);
    expect((await coverage())[0]).toEqual([A, 0, 9, 'inconsistent']);
  });
});

describe('a record that decodes into something that was not asked', () => {
  it.each([
    ['its height 12 lies outside of 0-9', { txId: '0x12' }],
    ['its from_address and to_address has none of the requested keys', { from: B, to: B }],
  ])('stays broken: %s', async (reason, more) => {
    await lake.run('one', landing([broken(2, more)]));
    const [done] = await replayed();
    expect([...(done?.broken.values() ?? [])]).toEqual([reason]);
    expect(await coverage()).toEqual([[A, 0, 9, 'inconsistent']]);
  });
});

it('a walk whose slice was never landed is refused, and no table is made for it', async () => {
  await lake.run('one', landing([broken(2)]));
  const [record] = await lake.use('reader', (open) => open.quarantineOf('transactions').records());
  await lake.remove();
  await lake.use('replay', async (open) => {
    if (record === undefined) throw new Error('nothing was kept');
    const done = await replayWalk(open, [mended(record)], new Set([record.id]));
    expect(done.refused).toBe('its slice was never landed');
    expect(await open.tables()).toEqual([]);
  });
});
