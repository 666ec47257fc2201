import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import { Committer, type Landing } from '../../../src/land/committer.ts';
import { openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { listed } from '../../fixtures/listed.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { crossing } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';

const A = `0x${'a'.repeat(40)}`;

const RECORD = { txId: '0x1', from: A, to: A, amount: '1' };

function landing(endpoint: string, from: number): Landing {
  const list = listNamed(`mainchain/address/${endpoint}`);
  return {
    slice: {
      list,
      keys: [A],
      interval: { from, to: from + 9 },
      provisional: false,
    },
    status: 'complete',
    reason: '',
    records: listed(list.entry, [{ ...RECORD, height: String(from) }]),
    pending: [],
    requests: 1,
    head: 999,
    generation: 0,
  };
}

/** A new lake, and a committer that waits for so many slices. */
async function opened(slices: number, effects = quietEffects()) {
  const root = await freshFolder();
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  whenOver(() => lake.close());
  const limits = { rows: 1000, slices, seconds: 10 };
  return { lake, committer: new Committer({ lake, limits, effects, run: 'test' }) };
}

test('a batch is committed when its time is up, whichever dataset comes next', async () => {
  let nowMs = 1_700_000_000_000;
  const { lake, committer } = await opened(1000, quietEffects({ now: () => nowMs }));
  await committer.add(landing('normal-transaction-list-multi', 0));
  nowMs += 10_000;
  await committer.add(landing('internal-transaction-list-multi', 0));
  expect((await lake.table('transactions').snapshot()).version).toBe(0);
  expect((await lake.table('internal_transactions').snapshot()).version).toBe(-1);
  await committer.flush();
  expect((await lake.table('internal_transactions').snapshot()).version).toBe(0);
  expect(committer.counts()).toMatchObject({ commits: 2, slices: 2, rows: 2, quarantined: 0 });
});

test('look-ups by hash are committed with eight times as many slices as others', async () => {
  const { lake, committer } = await opened(2);
  const { slice, ...rest } = landing('normal-transaction-list-multi', 0);
  const list = listNamed('mainchain/transaction/transaction-multi');
  const versions: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const keys = [`0x${String(i).padStart(64, '0')}`];
    await committer.add({ ...rest, records: [], slice: { ...slice, list, keys } });
    versions.push((await lake.table('transactions').snapshot()).version);
  }
  expect(versions.indexOf(0)).toBe(15);
  await committer.flush();
  expect((await lake.table('transactions').snapshot()).version).toBe(1);
});

test('the marker of a data root is read from the disk that the lake is opened on', async () => {
  const read = (path: string): Promise<string> => {
    expect(path).toBe(join('/nowhere', 'state', 'root.json'));
    return Promise.resolve('{"layout":"0","windrow":"0.0.1"}');
  };
  const disk = { ...localDisk, read };
  const options = { root: '/nowhere', chains: CHAINS, run: 'test', effects: quietEffects(), disk };
  await expect(openLake(options)).rejects.toThrow('has layout 0, written by windrow 0.0.1');
});

test('a broken record is kept aside, and its block alone says so', async () => {
  const { lake, committer } = await opened(1);
  const good = landing('normal-transaction-list-multi', 0);
  const odd = { ...RECORD, height: '0', txId: 'odd' };
  const records = [...good.records, ...listed(good.slice.list.entry, [odd])];
  await committer.add({ ...good, records });
  const entries = (await lake.coverage()).entries();
  expect(entries.map(({ from, to, status }) => [from, to, status])).toEqual([
    [0, 0, 'inconsistent'],
    [1, 9, 'complete'],
  ]);
  const [entry] = entries;
  expect(entry?.reason).toContain('txId is not of the kind hash');
  const [kept, ...rest] = await lake.quarantineOf('transactions').records();
  expect(rest).toEqual([]);
  expect(kept).toMatchObject({
    run: 'test',
    dataset: 'transactions',
    axis: 'primary',
    reason: 'txId is not of the kind hash: "odd"',
    raw: JSON.stringify(odd),
    claim: { keys: [A], interval: { from: 0, to: 0 }, variant: '' },
  });
  expect(entry?.reason).toContain(`(walk ${kept?.walk})`);
  expect(committer.counts()).toMatchObject({ rows: 1, quarantined: 1 });
});

const B = `0x${'b'.repeat(40)}`;

const SIMILAR = [`${B}0`, B.slice(0, -1), `,${B}`, `${A};${B}`, [B], B.replace('b', '\u200bb')];
const OTHERS = ['0x', 'Contract Creation', `0x${'c'.repeat(64)}`];

test.each([...SIMILAR, ...OTHERS])('an odd recipient may be another key: %j', async (to) => {
  const { lake, committer } = await opened(1);
  const good = landing('normal-transaction-list-multi', 0);
  const records = listed(good.slice.list.entry, [{ ...RECORD, height: '0', to }]);
  await committer.add({ ...good, slice: { ...good.slice, keys: [A, B] }, records });
  const [first] = (await lake.coverage()).get(good.slice.list, B);
  expect(first?.status).toBe(SIMILAR.includes(to) ? 'inconsistent' : 'complete');
});

test('a balance of the genesis lands, without the hash of its block and a nonce', async () => {
  const { committer } = await opened(1);
  const good = landing('normal-transaction-list-multi', 0);
  const genesis = { txId: `GENESIS_${A}`, from: 'GENESIS', blockHash: '', nonce: '' };
  const records = listed(good.slice.list.entry, [{ ...RECORD, height: '0', ...genesis }]);
  await committer.add({ ...good, records });
  expect(committer.counts()).toMatchObject({ rows: 1, quarantined: 0 });
});

test('a contradiction counts until a later commit mends it', async () => {
  const { committer } = await opened(1);
  const walk = (key: string, count: number): Landing => {
    const first = landing('normal-transaction-list-multi', 0);
    const records = Array.from({ length: count }, (_, i) => {
      return { txId: `0x${i}`, height: '5', from: A, to: B, amount: '1' };
    });
    const slice = { ...first.slice, keys: [key] };
    return { ...first, slice, records: listed(slice.list.entry, records) };
  };
  await committer.add(walk(A, 1));
  await committer.add(walk(B, 2));
  expect(await committer.contradictions()).toMatchObject([{ key: A, from: 5, to: 5 }]);
  expect(committer.counts().contradicted).toBe(1);
  await committer.add(walk(A, 2));
  expect(await committer.contradictions()).toEqual([]);
  expect(committer.counts().contradicted).toBe(0);
});

describe('unfinished records', () => {
  /** Coverage after a walk of zone blocks 0 to 9, with these changes in the record of block 5. */
  async function coverageOf(
    endpoint: string,
    change: WireRecord,
    more: Partial<Landing> = {},
  ): Promise<unknown[]> {
    const { lake, committer } = await opened(1);
    const list = listNamed(`mainchain/zone/${endpoint}`);
    const keys = list.keyColumns === undefined ? [''] : ['0x2e04', '0x2e05'];
    const slice = { ...landing('normal-transaction-list-multi', 0).slice, list, keys };
    const heads = { primary: { safe: 100 } };
    const first = crossing({ zoneTxHash: '0x2e04', zoneBlockHeight: '4' });
    const second = crossing({ zoneTxHash: '0x2e05', zoneBlockHeight: '5', ...change });
    const records = listed(list.entry, [first, second]);
    const walk = { ...landing('normal-transaction-list-multi', 0), slice, heads, records };
    // An earlier complete reading of the same records, which the walk withdraws.
    await committer.add({ ...walk, records: listed(list.entry, [first, crossing(REST)]) });
    await committer.add({ ...walk, ...more });
    await committer.flush();
    const { rows, rowsReplaced } = committer.counts();
    expect(rows - rowsReplaced).toBe(2);
    expect(committer.counts().statuses.get('complete')).toBe(2);
    return (await lake.coverage()).entries().map(({ key, from, to, status }) => {
      return [key, from, to, status];
    });
  }
  const REST = { zoneTxHash: '0x2e05', zoneBlockHeight: '5' };
  const LIST = 'cross/transaction-list';
  const LOOK_UP = 'cross/transaction-multi';
  const WHOLE = [['', 0, 9, 'complete']];
  const SPLIT = [
    ['', 0, 4, 'complete'],
    ['', 5, 5, 'provisional'],
    ['', 6, 9, 'complete'],
  ];

  test.each<[string, WireRecord, Partial<Landing>, unknown]>([
    ['has its two halves', {}, {}, WHOLE],
    ['lacks its primary hash', { mainTxHash: '' }, {}, SPLIT],
    ['lacks its primary height', { mainBlockHeight: '' }, {}, SPLIT],
    ['failed and lacks its half', { status: '0x0', mainTxHash: '' }, {}, SPLIT],
    ['is not final on the primary chain', { mainBlockHeight: '100' }, {}, SPLIT],
    ['is final on the primary chain', { mainBlockHeight: '99' }, {}, WHOLE],
    ['has a primary chain without a head', { mainBlockHeight: '100' }, { heads: {} }, WHOLE],
    ['is a withdrawal of a batch in a list', { crossType: 'BatchWithdraw' }, {}, WHOLE],
    ['is older than the last reading', { mainTxHash: '' }, { head: 30_000_005 }, WHOLE],
    ['is nearly as old', { mainTxHash: '' }, { head: 30_000_004 }, SPLIT],
  ])('make their blocks provisional: one that %s', async (_, change, more, expected) => {
    expect(await coverageOf(LIST, change, more)).toEqual(expected);
  });

  const OPEN = [...WHOLE, ['0x2e05', 0, 9, 'provisional']];

  test.each<[string, WireRecord, unknown]>([
    ['has its two halves', { batchDetail: '' }, WHOLE],
    ['lacks its primary half', { mainTxHash: '', mainBlockHeight: '' }, OPEN],
    ['lacks the parts of its batch', { crossType: 'BatchWithdraw' }, OPEN],
    ['has the parts', { crossType: 'BatchWithdraw', batchDetail: '[]' }, WHOLE],
  ])('make their look-up provisional: one that %s', async (_, change, expected) => {
    expect(await coverageOf(LOOK_UP, change)).toEqual(expected);
  });
});
