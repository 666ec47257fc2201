import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { listPendingTransactions } from '../../../service/src/stream/pending-transactions.ts';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import { layout } from '../../../src/land/storage/layout.ts';
import { query } from '../../../src/load/query/query.ts';
import type { RunResult } from '../../../src/run/run.ts';
import { exitCodeOf } from '../../../src/run/shell/run-document.ts';
import { windrow } from '../../e2e/command-line.ts';
import { digestsOf, exportLake, serve } from '../../e2e/harness.ts';
import { pipelineHead } from '../../fixtures/pipeline-head.ts';
import { freshFolder, portOf } from '../../fixtures/when-over.ts';

/**
 * Goal: an analyst whose addresses have transactions under way sees these, in a place of their own,
 * with coverage and digests as if there were none; once they are mined they are where all others
 * are. The service is a server of its own, typed from the interface alone.
 */

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const hash = (i: number): string => `0x${String(i).padStart(64, '0')}`;

function mined(i: number, height: number): WireRecord {
  return {
    ...{ txId: hash(i), blockHash: hash(9000 + height), height: String(height) },
    ...{ transactionTime: String(1_700_000_000_000 + 12_000 * height), from: A, to: B },
    ...{ isFromContract: false, isToContract: false, amount: '1.5', state: 'success' },
    ...{ methodId: '', symbol: 'ETH', nonce: String(i), gasUsed: '21000', gasLimit: '21000' },
    ...{ gasPrice: '1000000000', txFee: '0.000021', transactionType: '2' },
  };
}

/** Broadcast, and in no block. */
function pending(i: number): WireRecord {
  const none = { blockHash: '', height: '', gasUsed: '', txFee: '', state: 'pending' };
  return { ...mined(i, 0), ...none, transactionTime: '1700009999000' };
}

/** A chain that can be asked for its head, its blocks, and the transactions of A. */
class Chain {
  head = 60;
  records: WireRecord[] = Array.from({ length: 30 }, (_, i) => mined(i, 2 * i)).reverse();
  pending: WireRecord[] = [pending(31), pending(30)];
  /** A hash that look-ups take for pending, though it is mined: they are behind the lists. */
  behind: string | undefined = hash(20);
  /** Hashes that were asked for, one list a request. */
  readonly hashes: string[][] = [];
  readonly #showsAlways: boolean;

  /** Some services show pending transactions in every list, some in those that reach the head. */
  constructor(showsAlways: boolean) {
    this.#showsAlways = showsAlways;
  }

  answer(target: string): unknown {
    const { pathname, searchParams: params } = new URL(target, 'http://x');
    const number = (name: string, other: number): number => Number(params.get(name) ?? other);
    const path = pathname.replace('/api/v5/mainchain/', '');
    const block = (height: number) => {
      return { hash: hash(9000 + height), height: String(height), blockTime: '1700000000000' };
    };
    if (path === 'block/block-fills') return [block(number('height', 0))];
    if (path === 'block/block-list') {
      const list = { blockList: [block(this.head)] };
      return [{ page: '1', limit: params.get('limit'), totalPage: String(this.head + 1), ...list }];
    }
    if (path === 'transaction/transaction-multi') {
      const hashes = params.get('txId')?.split(',') ?? [];
      this.hashes.push(hashes);
      const all = [...this.records, ...this.pending];
      const records = all.filter(({ txId }) => hashes.includes(String(txId)));
      return records.map((record) => (record['txId'] === this.behind ? pending(20) : record));
    }
    if (path !== 'address/normal-transaction-list') throw new Error(`${path} was asked`);
    const [from, to] = [number('startBlockHeight', 0), number('endBlockHeight', this.head)];
    const list = [
      ...(this.#showsAlways || to >= this.head ? this.pending : []),
      ...this.records.filter(({ height }) => Number(height) >= from && Number(height) <= to),
    ];
    const [page, limit] = [number('page', 1), number('limit', 20)];
    const transactionList = list.slice((page - 1) * limit, page * limit);
    const totalPage = Math.ceil(list.length / limit);
    const paging = { page: String(page), limit: String(limit), totalPage: String(totalPage) };
    return [{ ...paging, transactionList }];
  }

  /** Twenty blocks later: one is mined, and the other was given up. */
  grow(): void {
    this.head = 80;
    this.records = [mined(30, 61), ...this.records];
    this.pending = [];
    this.behind = undefined;
  }
}

const PIPELINE = `${pipelineHead('pending', 10)}keys:
  addresses: { list: ["${A}"] }
  found: { from: [transactions] }
blocks: { to: head }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list, keys: addresses, pageSize: 10 }
    - { endpoint: mainchain/transaction/transaction-multi, keys: found }
`;

async function serving(chain: Chain): Promise<string> {
  const server: Server = createServer((request, response) => {
    const body = { code: '0', msg: '', data: chain.answer(request.url ?? '') };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  });
  server.on('connection', (socket) => socket.unref());
  return `http://127.0.0.1:${await portOf(server)}`;
}

const exported = (url: string, root: string): Promise<RunResult> =>
  exportLake({ url, root, addresses: [A], text: PIPELINE });

async function rows(root: string, sql: string): Promise<unknown[][]> {
  const answer = await query(layout(root).warehouse, sql);
  return answer.rows.map((row) => Object.values(row));
}

const SHOWN =
  'SELECT tx_hash, nonce, as_of_block, len(sources) FROM pending_transactions ORDER BY 1';
const OPEN = `SELECT key, status FROM coverage
  WHERE to_block < head - 10 AND status <> 'complete' ORDER BY ALL`;

/** Content digests of lakes that were filled while transactions were pending. */
const grown: Record<string, string>[] = [];

describe.each([
  ['in every list', true],
  ['in lists that reach the head', false],
])('pending transactions that are shown %s', (_name, showsAlways) => {
  test('are in a view of their own until they are mined or gone', async () => {
    const chain = new Chain(showsAlways);
    const url = await serving(chain);
    const root = await freshFolder();
    const file = join(root, 'pipeline.yaml');
    await writeFile(file, PIPELINE);
    const before = await windrow(['run', file, '--source-url', url, '--data', root]);
    expect(before.code, before.stderr).toBe(0);
    // A pending answer is no empty one, which would be doubted and asked for again.
    expect(chain.hashes.flat().filter((key) => key === hash(20))).toHaveLength(1);
    // Where two slices show them, they are counted once.
    expect(before.stdout).toContain(
      '3 records pending, in no block yet: see the view pending_transactions.',
    );
    expect(before.stdout).not.toContain('quarantine');
    expect(await rows(root, SHOWN)).toEqual([
      [hash(30), 30, 60, 1],
      [hash(31), 31, 60, 1],
    ]);
    expect(
      await rows(root, 'SELECT count(*), count(*) FILTER (nonce > 29) FROM transactions'),
    ).toEqual([[30, 0]]);
    const raw = 'SELECT tx_hash FROM lake.pending_transactions ORDER BY 1';
    expect(await rows(root, raw)).toEqual([[hash(20)], [hash(30)], [hash(31)]]);
    expect(await rows(root, OPEN)).toEqual([[hash(20), 'provisional']]);

    chain.grow();
    chain.hashes.length = 0;
    const after = await exported(url, root);
    expect(exitCodeOf(after)).toBe(0);
    const again = chain.hashes.flat();
    expect(again).toContain(hash(20));
    expect(again).not.toContain(hash(19));
    expect(await rows(root, SHOWN)).toEqual([]);
    expect(await rows(root, raw)).toEqual([]);
    expect(await rows(root, OPEN)).toEqual([]);
    const mine = `SELECT block_number, tx_status FROM transactions WHERE tx_hash = '${hash(30)}'`;
    expect(await rows(root, mine)).toEqual([[61, 'success']]);

    grown.push(await digestsOf(root));
  });
});

test('leave a lake as if there had been none', async () => {
  const chain = new Chain(true);
  chain.grow();
  const root = await freshFolder();
  await exported(await serving(chain), root);
  const digests = await digestsOf(root);
  expect(grown).toEqual([digests, digests]);
});

test('of the service itself land as pending too, and as mined once the head has them', async () => {
  const HEAD = 60;
  const chain = simulatedChain({ seed: 'underway', head: HEAD });
  const source = chainSource(chain);
  const [coming] = chain.recordsAt(HEAD + 1).transactions;
  const told = { height: HEAD + 1, count: 1, blockHash: hash(1) };
  const pending = listPendingTransactions({ chain, source, preconfirmed: () => told });
  const service = await serve({ ...source, pending });
  const root = await freshFolder();
  const announced = String(coming?.['tx_hash']);
  const address = String(coming?.['from_address']);
  const { url } = service;
  await exportLake({ url, root, addresses: [address], text: PIPELINE });
  const raw = 'SELECT tx_hash, nonce FROM lake.pending_transactions';
  expect(await rows(root, raw)).toEqual([[announced, Number(coming?.['nonce'])]]);
  const quarantined = await readdir(join(root, 'lake', 'MAINCHAIN'));
  expect(quarantined).not.toContain('quarantine');
  source.growTo(HEAD + 20);
  await exportLake({ url, root, addresses: [address], text: PIPELINE });
  expect(await rows(root, raw)).toEqual([]);
  const mined = `SELECT block_number FROM transactions WHERE tx_hash = '${announced}'`;
  expect(await rows(root, mined)).toEqual([[HEAD + 1]]);
});
