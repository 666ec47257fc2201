import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import type { Status } from '../../../../src/coverage/coverage.ts';
import { Committer, type Landing } from '../../../../src/land/committer.ts';
import { openLake } from '../../../../src/land/lake.ts';
import { pendingColumns, pendingRowOf } from '../../../../src/land/rows/pending-rows.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { readRows } from '../../../../src/land/storage/read-rows.ts';
import { CHAINS } from '../../../fixtures/chains.ts';
import { checkSmall } from '../../../fixtures/check-findings.ts';
import { contentDigest } from '../../../fixtures/content-digest.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { listed as listedRecords } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { LIST, transaction } from '../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { ShortAddresses, shortened } from '../../../fixtures/short-addresses.ts';
import { whenOver } from '../../../fixtures/when-over.ts';

/**
 * Goal: what is pending is kept apart from what is in a block, is never taken for broken, and goes
 * once it is in a block or its list no longer shows it.
 */

const small = freshLake(beforeEach);
let nowMs = 1_700_000_000_000;

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
});

const NONE = { height: '', blockHash: '', state: 'pending' };

function pending(more: WireRecord = {}): WireRecord {
  return { ...transaction({ txId: '0x99', gasUsed: '', txFee: '' }), ...NONE, ...more };
}

interface Reading {
  readonly endpoint?: string;
  readonly keys?: readonly string[];
  readonly to?: number;
  readonly status?: Status;
  readonly records?: readonly WireRecord[];
  readonly pending?: readonly WireRecord[];
  readonly params?: Readonly<Record<string, string>>;
}

/** One run, which lands these readings a second after the one before it. */
async function land(...readings: readonly Reading[]): Promise<Committer> {
  nowMs += 1000;
  const effects = quietEffects({ now: () => nowMs });
  const limits = { rows: 1000, slices: 1000, seconds: 10_000 };
  const committer = new Committer({ lake: small.lake, limits, effects, run: `run-${nowMs}` });
  for (const item of readings) await committer.add(landing(item));
  await committer.flush();
  return committer;
}

const ADDRESSES = new ShortAddresses();

function landing({ endpoint, keys, to, status, records, params, ...options }: Reading): Landing {
  const list = listNamed(endpoint ?? LIST.ownTransactions, params);
  const spelled = (record: WireRecord) => ADDRESSES.record(list.entry, record);
  return {
    slice: {
      list,
      keys: ADDRESSES.keys(list.entry, keys ?? ['0xa']),
      interval: { from: 0, to: to ?? 99 },
      provisional: false,
    },
    status: status ?? 'complete',
    reason: '',
    records: listedRecords(list.entry, (records ?? []).map(spelled)),
    pending: listedRecords(list.entry, (options.pending ?? []).map(spelled)),
    requests: 1,
    head: 120,
    generation: 0,
  };
}

const shown = (columns = 'tx_hash') =>
  small.published(`SELECT ${columns} FROM pending_transactions ORDER BY tx_hash`);

/** Hashes straight from the table. */
async function listed(): Promise<string[]> {
  const table = small.lake.pending.get('transactions');
  if (table === undefined) throw new Error('transactions can be pending');
  const rows = await readRows(
    table.stored.paths(await table.stored.snapshot()),
    pendingColumns('transactions'),
  );
  return shortened(rows.map((cells) => pendingRowOf('transactions', cells).identity)).sort();
}

async function reasons(): Promise<string[]> {
  const kept = await small.lake.quarantineOf('transactions').records();
  return shortened(kept.map(({ reason }) => reason));
}

const versions = async () => {
  const table = small.lake.pending.get('transactions');
  return {
    version: (await table?.stored.snapshot())?.version,
    files: (await table?.stored.snapshot())?.files,
  };
};

describe('a pending transaction', () => {
  test('is shown as its list shows it, with the reading, and proves nothing', async () => {
    const committer = await land({
      records: [transaction()],
      pending: [pending({ nonce: '8', methodId: '0xaa', transactionTime: '1700000100000' })],
    });
    expect(committer.counts()).toMatchObject({ rows: 1, quarantined: 0, pending: 1 });
    expect(
      await shown(
        `tx_hash, epoch_ms(broadcast_time)::VARCHAR, from_address, to_address, amount_text, nonce,
         method_id, gas_limit, as_of_block, epoch_ms(read_at)::VARCHAR, sources`,
      ),
    ).toEqual([
      [
        '0x99',
        '1700000100000',
        '0xa',
        '0xb',
        '1.5',
        8,
        '0xaa',
        21_000,
        120,
        `${nowMs}`,
        [LIST.ownTransactions],
      ],
    ]);
    const [entry] = (await small.lake.coverage()).entries();
    expect(entry).toMatchObject({ status: 'complete', from: 0, to: 99, reason: '' });
    expect(await small.rows('SELECT tx_hash FROM transactions')).toEqual([['0x01']]);
    expect(await small.rows('SELECT count(*) FROM quarantine')).toEqual([[0]]);
  });

  test('changes neither content digests nor what the checks find', async () => {
    const digest = async () => contentDigest(small.lake.table('transactions'));
    await land({ records: [transaction({ nonce: '0' })] });
    const before = await digest();
    // A gap of nonces, and the same twice.
    await land({
      records: [transaction({ nonce: '0' })],
      pending: [pending({ nonce: '5' }), pending({ txId: '0x98', nonce: '5' })],
    });
    expect(await digest()).toEqual(before);
    await small.publish();
    const findings = (await checkSmall(small)).filter(({ severity }) => severity === 'error');
    expect(findings.flatMap((check) => check.findings)).toEqual([]);
  });

  test('goes once it has landed in a block, whichever list says so', async () => {
    await land({ pending: [pending(), pending({ txId: '0x98' })] });
    expect(await shown()).toEqual([['0x98'], ['0x99']]);
    await small.land(LIST.transactions, {
      keys: ['0xb'],
      records: [transaction({ txId: '0x99' })],
    });
    expect(await shown()).toEqual([['0x98']]);
  });

  test('goes once its list was read to the same height without it', async () => {
    await land({ pending: [pending()] });
    await land({});
    expect(await listed()).toEqual([]);
    expect((await versions()).files?.size).toBe(0);
  });

  test.each([
    ['of blocks further down', { to: 98 }],
    ['of another key', { keys: ['0xb'] }],
    ['of other filters', { params: { isFromOrTo: 'from' } }],
    ['that proved nothing', { status: 'truncated' }],
    ['of another endpoint', { endpoint: LIST.transactionsByHash }],
  ] as const)('stays after a reading without it %s', async (_name, reading) => {
    await land({ pending: [pending()] });
    await land(reading);
    expect(await listed()).toEqual(['0x99']);
  });

  test('stays where the part of the list that shows it was read first', async () => {
    await land({ pending: [pending()] }, { to: 50 });
    expect(await listed()).toEqual(['0x99']);
  });

  test('is one row for each list in the lake, and one in the view, as read last', async () => {
    const both = { keys: ['0xb'], pending: [pending({ gasPrice: '7', nonce: '' })] };
    await land({ pending: [pending({ gasPrice: '5', nonce: '8' })] });
    await land(both, {
      endpoint: LIST.transactionsByHash,
      keys: ['0x99'],
      pending: both.pending,
      status: 'provisional',
    });
    expect(await shown('tx_hash, gas_price, nonce, sources')).toEqual([
      ['0x99', '7', 8, [LIST.ownTransactions, LIST.transactionsByHash].sort()],
    ]);
    expect(
      await small.rows('SELECT key, to_block FROM lake.pending_transactions ORDER BY ALL'),
    ).toEqual([
      ['0x99', 99],
      ['0xa', 99],
      ['0xb', 99],
    ]);
  });

  test('is replaced by its newest reading alone, in whatever order they land', async () => {
    await land({ pending: [pending({ gasPrice: '7' })] });
    nowMs -= 5000;
    await land({ pending: [pending({ gasPrice: '5' })] });
    await land({});
    expect(await shown('tx_hash, gas_price')).toEqual([['0x99', '7']]);
  });

  test('that breaks its contract goes to quarantine, and its slice says so', async () => {
    const committer = await land({ pending: [pending({ from: 'one', to: '' })] });
    expect(committer.counts()).toMatchObject({ quarantined: 1 });
    expect(await listed()).toEqual([]);
    expect(await reasons()).toEqual(['from is not of the kind party: "one"']);
    expect((await small.lake.coverage()).entries()[0]?.status).toBe('inconsistent');
  });
});

test('a record without a height that is not pending goes to quarantine', async () => {
  await land({ records: [pending({ state: 'success' }), pending({ state: '' })] });
  expect(await reasons()).toEqual(['the record has no height', 'the record has no height']);
  expect(await listed()).toEqual([]);
});

test('lists without pending records leave no table behind', async () => {
  await land({ records: [transaction()] });
  expect(await readdir(small.lake.layout.table('MAINCHAIN', ''))).not.toContain(
    'pending_transactions',
  );
  expect(await listed()).toEqual([]);
});

test('a reading that changes nothing makes no version', async () => {
  await land({ pending: [pending()] });
  await land({ keys: ['0xb'] });
  expect((await versions()).version).toBe(0);
});

test('what is pending is durable before its walk is', async () => {
  const { root } = small.lake.layout;
  const effects = quietEffects();
  const linkIfAbsent = (from: string, to: string): Promise<boolean> => {
    if (!to.includes('/transactions/')) return localDisk.linkIfAbsent(from, to);
    throw new Error('the power is cut');
  };
  const disk = { ...localDisk, linkIfAbsent };
  const lake = await openLake({ root, chains: CHAINS, run: 'cut', effects, disk });
  whenOver(() => lake.close());
  const limits = { rows: 1000, slices: 1000, seconds: 10_000 };
  const committer = new Committer({ lake, limits, effects, run: 'cut' });
  await committer.add(landing({ records: [transaction()], pending: [pending()] }));
  await expect(committer.flush()).rejects.toThrow('the power is cut');
  expect(await listed()).toEqual(['0x99']);
  expect((await small.lake.coverage()).entries()).toEqual([]);
});
