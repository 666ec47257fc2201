import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Committer, type Landing } from '../../../src/land/committer.ts';
import { openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';

const A = `0x${'a'.repeat(40)}`;

function landing(endpoint: string, from: number): Landing {
  return {
    slice: {
      list: listNamed(`mainchain/address/${endpoint}`),
      keys: [A],
      interval: { from, to: from + 9 },
      provisional: false,
    },
    status: 'complete',
    reason: '',
    records: [{ txId: '0x1', height: String(from), from: A, to: A, amount: '1' }],
    pending: [],
    requests: 1,
    head: 999,
    generation: 0,
  };
}

test('a batch is committed when its time is up, whichever dataset comes next', async () => {
  const root = await mkdtemp(join(tmpdir(), 'windrow-committer-'));
  let nowMs = 1_700_000_000_000;
  const effects = quietEffects({ now: () => nowMs });
  const disk = localDisk;
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk });
  try {
    const limits = { rows: 1000, slices: 1000, seconds: 10 };
    const committer = new Committer({ lake, limits, effects, run: 'test' });
    await committer.add(landing('normal-transaction-list-multi', 0));
    nowMs += 10_000;
    await committer.add(landing('internal-transaction-list-multi', 0));
    expect((await lake.table('transactions').snapshot()).version).toBe(0);
    expect((await lake.table('internal_transactions').snapshot()).version).toBe(-1);
    await committer.flush();
    expect((await lake.table('internal_transactions').snapshot()).version).toBe(0);
    expect(committer.counts()).toMatchObject({ commits: 2, slices: 2, rows: 2, quarantined: 0 });
  } finally {
    lake.close();
    await rm(root, { recursive: true, force: true });
  }
});

test('look-ups by hash are committed with eight times as many slices as others', async () => {
  const root = await mkdtemp(join(tmpdir(), 'windrow-committer-'));
  const effects = quietEffects();
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  try {
    const limits = { rows: 1000, slices: 2, seconds: 10 };
    const committer = new Committer({ lake, limits, effects, run: 'test' });
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
    expect((await lake.coverage()).entries()).toHaveLength(20);
  } finally {
    lake.close();
    await rm(root, { recursive: true, force: true });
  }
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

test('a broken record is kept aside, and its slice says so', async () => {
  const root = await mkdtemp(join(tmpdir(), 'windrow-committer-'));
  const effects = quietEffects();
  const disk = localDisk;
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk });
  try {
    const limits = { rows: 1000, slices: 1, seconds: 10 };
    const committer = new Committer({ lake, limits, effects, run: 'test' });
    const good = landing('normal-transaction-list-multi', 0);
    const [record = {}] = good.records;
    await committer.add({ ...good, records: [record, { ...record, amount: '1e18' }] });
    const [entry] = (await lake.coverage()).entries();
    expect(entry).toMatchObject({ status: 'inconsistent' });
    expect(entry?.reason).toContain('amount is no amount');
    const [kept, ...rest] = await lake.quarantineOf('transactions').records();
    expect(rest).toEqual([]);
    expect(kept).toMatchObject({
      run: 'test',
      dataset: 'transactions',
      axis: 'primary',
      reason: 'amount is no amount: "1e18"',
      raw: JSON.stringify({ ...record, amount: '1e18' }),
      claim: {
        keys: [A],
        interval: { from: 0, to: 9 },
        variant: '',
        status: 'complete',
        reason: '',
        head: 999,
      },
    });
    expect(entry?.reason).toContain(`(walk ${kept?.walk})`);
    expect(committer.counts()).toMatchObject({ rows: 1, quarantined: 1 });
  } finally {
    lake.close();
    await rm(root, { recursive: true, force: true });
  }
});

test('a contradiction counts until a later commit mends it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'windrow-committer-'));
  const effects = quietEffects();
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  try {
    const limits = { rows: 1000, slices: 1, seconds: 10 };
    const committer = new Committer({ lake, limits, effects, run: 'test' });
    const B = `0x${'b'.repeat(40)}`;
    const walk = (key: string, count: number): Landing => {
      const of = landing('normal-transaction-list-multi', 0);
      const records = Array.from({ length: count }, (_, i) => {
        return { txId: `0x${i}`, height: '5', from: A, to: B, amount: '1' };
      });
      return { ...of, slice: { ...of.slice, keys: [key] }, records };
    };
    await committer.add(walk(A, 1));
    await committer.add(walk(B, 2));
    expect(await committer.contradictions()).toMatchObject([{ key: A, from: 5, to: 5 }]);
    expect(committer.counts().contradicted).toBe(1);
    await committer.add(walk(A, 2));
    expect(await committer.contradictions()).toEqual([]);
    expect(committer.counts().contradicted).toBe(0);
  } finally {
    lake.close();
    await rm(root, { recursive: true, force: true });
  }
});
