import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  createPublicClient,
  decodeEventLog,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  type Signature,
  serializeTransaction,
  type Transaction,
  type TransactionSerializable,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { type Listener, listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { publicNodes } from '../../service/src/stream/nodes.ts';
import { systemEffects } from '../../src/system.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { MAIN, windrow } from './command-line.ts';
import { rowsOf } from './harness.ts';

/**
 * Goal: a client of Ethereum nodes and a plain WebSocket client need no special handling, and what
 * is told in advance is what the query endpoints show later.
 */

const HEAD = 300;
const BLOCKS_PER_SECOND = 20;
const HEARD_BLOCKS = 25;
const chain = simulatedChain({ seed: 'early', head: HEAD, zoneStart: 20 });
const effects = systemEffects('warn');
const growing = new AbortController();

interface Message {
  readonly index: number;
  readonly payload_id: string;
  readonly base?: { readonly block_number: Hex; readonly parent_hash: Hex };
  readonly diff: {
    readonly transactions: readonly Hex[];
    readonly block_hash: Hex;
    readonly gas_used: Hex;
    readonly logs_bloom: Hex;
  };
  readonly metadata: {
    readonly block_number: number;
    readonly new_account_balances: Readonly<Record<string, Hex>>;
    readonly receipts: Readonly<Record<Hex, Readonly<Record<string, { readonly status: Hex }>>>>;
  };
}

let listener: Listener;
let client: ReturnType<typeof clientAt>;
let messages: Message[];

function clientAt(url: string) {
  return createPublicClient({ transport: http(url) });
}

/** Everything that a bare client hears until the block at `lastHeight` begins. */
function heard(url: string, lastHeight: number): Promise<Message[]> {
  return new Promise((resolve, reject) => {
    const received: Message[] = [];
    const socket = new WebSocket(url);
    socket.on('error', reject);
    socket.on('message', (data, isBinary) => {
      if (isBinary) reject(new Error('the stream is text'));
      const message = JSON.parse(String(data)) as Message;
      received.push(message);
      if (message.metadata.block_number < lastHeight) return;
      socket.close();
      resolve(received);
    });
  });
}

async function queried(target: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${listener.url}/api/v5/mainchain/${target}`);
  const { data } = (await response.json()) as { data: Record<string, unknown>[] };
  return data;
}

beforeAll(async () => {
  const source = chainSource(chain);
  const nodes = publicNodes(chain, source, { effects, blocksPerSecond: BLOCKS_PER_SECOND });
  const service = createService({ source, effects, nodes });
  listener = await listen(service, { effects, streams: nodes.streams });
  client = clientAt(`${listener.url}/rpc`);
  const grown = nodes.run(growing.signal);
  growing.signal.addEventListener('abort', () => void grown);
  const stream = `${listener.url.replace('http', 'ws')}/stream`;
  messages = await heard(stream, HEAD + HEARD_BLOCKS);
});

afterAll(async () => {
  growing.abort();
  await listener.close();
});

/** The messages of every block that was heard from its first fragment to its last. */
function wholeBlocks(): Map<number, Message[]> {
  const blocks = new Map<number, Message[]>();
  for (const message of messages) {
    const height = message.metadata.block_number;
    blocks.set(height, [...(blocks.get(height) ?? []), message]);
  }
  const heights = [...blocks.keys()];
  blocks.delete(Math.max(...heights));
  if (blocks.get(Math.min(...heights))?.[0]?.index !== 0) blocks.delete(Math.min(...heights));
  return blocks;
}

describe('the stream', () => {
  it('tells what the query endpoints show later', async () => {
    for (const [height, parts] of wholeBlocks()) {
      const place = `chainShortName=MAINCHAIN&height=${height}`;
      const [block] = await queried(`block/block-fills?${place}`);
      const [page] = await queried(`block/transaction-list?${place}&limit=100`);
      const rows = (page?.['blockList'] ?? []) as Record<string, string>[];
      const listed = rows.map((row) => row['txid']);
      const hashes = parts.flatMap(({ diff }) => diff.transactions.map((raw) => keccak256(raw)));
      expect([...listed].sort()).toEqual([...hashes].sort());
      const last = parts.at(-1);
      expect(last?.diff.block_hash).toBe(block?.['hash']);
      expect(String(Number(last?.diff.gas_used))).toBe(block?.['gasUsed']);
      expect(block?.['txnCount']).toBe(String(hashes.length));
    }
  });

  it('tells what the JSON-RPC endpoint shows later: order, bloom, gas, parent and balances', async () => {
    for (const [height, parts] of wholeBlocks()) {
      const block = await client.getBlock({ blockNumber: BigInt(height) });
      const hashes = parts.flatMap(({ diff }) => diff.transactions.map((raw) => keccak256(raw)));
      expect(block.transactions).toEqual(hashes);
      const last = parts.at(-1);
      expect(block.hash).toBe(last?.diff.block_hash);
      expect(block.gasUsed).toBe(BigInt(last?.diff.gas_used ?? 0));
      expect(block.logsBloom).toBe(last?.diff.logs_bloom);
      expect(block.parentHash).toBe(parts[0]?.base?.parent_hash);
      const balances = Object.assign(
        {},
        ...parts.map((part) => part.metadata.new_account_balances),
      );
      for (const [address, balance] of Object.entries(balances).slice(0, 3)) {
        const query = { address: address as Hex, blockNumber: BigInt(height) };
        expect(await client.getBalance(query)).toBe(BigInt(balance as Hex));
      }
    }
  });

  it('has another chain on the test network', async () => {
    const test = clientAt(`${listener.url}/test/rpc`);
    const url = `${listener.url.replace('http', 'ws')}/test/stream`;
    const now = Number(await test.getBlockNumber({ cacheTime: 0 }));
    expect(now).toBeLessThan(HEAD);
    const [first] = await heard(url, now);
    expect(first?.metadata.block_number).toBeGreaterThan(now);
  });
});

describe('a client of nodes', () => {
  it('reads the newest block with transactions that give their own hashes', async () => {
    for (let height = HEAD - 20; height <= HEAD; height += 1) {
      const query = { blockNumber: BigInt(height), includeTransactions: true } as const;
      const block = await client.getBlock(query);
      for (const transaction of block.transactions) {
        expect(hashOf(transaction)).toBe(transaction.hash);
      }
      const recorded = chain.recordsAt(height).transactions.map((record) => record['tx_hash']);
      expect(block.transactions.map(({ hash }) => hash)).toEqual(recorded);
    }
  });

  it('reads receipts with the logs of token transfers', async () => {
    let logs = 0;
    for (let height = HEAD - 20; height <= HEAD; height += 1) {
      const records = chain.recordsAt(height);
      for (const record of records.transactions) {
        const hash = record['tx_hash'] as Hex;
        const receipt = await client.getTransactionReceipt({ hash });
        expect(receipt.status).toBe(record['tx_status'] === 'fail' ? 'reverted' : 'success');
        expect(receipt.blockNumber).toBe(BigInt(height));
        expect(receipt.effectiveGasPrice).toBe(BigInt(String(record['gas_price'])));
        const moved = records.token_transfers.filter((row) => row['tx_hash'] === hash);
        expect(receipt.logs).toHaveLength(moved.length);
        for (const [nth, log] of receipt.logs.entries()) {
          if (moved[nth]?.['token_standard'] !== 'token_20') continue;
          const { args } = decodeEventLog({ abi: erc20Abi, ...log, eventName: 'Transfer' });
          expect(args.to.toLowerCase()).toBe(moved[nth]?.['to_address']);
          logs += 1;
        }
      }
    }
    expect(logs).toBeGreaterThan(3);
  });

  it('sees preconfirmed transactions in the pending block before any block has them', async () => {
    for (let tries = 0; tries < 200; tries += 1) {
      const block = await client.getBlock({ blockTag: 'pending', includeTransactions: true });
      const [first] = block.transactions;
      if (first === undefined) continue;
      expect(block.hash).toBeNull();
      expect(first.blockHash).toBeNull();
      const receipt = await client.getTransactionReceipt({ hash: first.hash });
      expect(receipt.blockNumber).toBe(block.number);
      return;
    }
    throw new Error('nothing was ever pending');
  });
});

/** The hash of a transaction that is put together again from the fields a node tells. */
function hashOf({ input: data, r, s, v, yParity, ...rest }: Transaction): Hex {
  const signature = rest.type === 'legacy' ? { r, s, v } : { r, s, yParity };
  const whole = { ...rest, data } as TransactionSerializable;
  return keccak256(serializeTransaction(whole, signature as Signature));
}

describe('windrow serve', () => {
  it('lets its chain grow at the speed that was asked for, and ends when it is told to', async () => {
    const words = 'serve --chain early --head 50 --stream-speed 20 --no-auth --port 0 --json';
    const child = spawn(process.execPath, [MAIN, ...words.split(' ')]);
    const ended = once(child, 'exit');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const [first, ...more] = await heard(`${url.replace('http', 'ws')}/stream`, 52);
    expect(first?.metadata.block_number).toBeGreaterThan(50);
    expect(more.length).toBeGreaterThan(0);
    expect(await clientAt(`${url}/rpc`).getBlockNumber()).toBeGreaterThan(50n);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('refuses speeds that are none, and lets nothing else grow', async () => {
    const speed = await windrow(['serve', '--chain', 'early', '--no-auth', '--stream-speed', '0']);
    expect(speed).toMatchObject({ code: 2, stderr: expect.stringContaining('--stream-speed') });
    const words = ['serve', '--records', 'nowhere', '--no-auth', '--stream-speed', '1'];
    expect((await windrow(words)).code).toBe(2);
  });
});

it('the shipped pipeline reads the pending state, and settles it in its next run', async () => {
  const root = await freshFolder();
  const at = ['--source-url', listener.url, '--data', root];
  const readings = async () => {
    const ran = await windrow(['run', 'pipelines/pending.yaml', ...at]);
    expect([ran.code, ran.stderr]).toEqual([0, expect.anything()]);
    expect(ran.stdout).toMatch(/^No list to fetch.*\npending: 1 reading, \d+ rows, 0 gaps\.$/m);
    return rowsOf(root, 'pending_balances', 'tag, block_number, balance_text');
  };
  const first = await readings();
  expect(new Set(first.map(({ tag }) => tag))).toEqual(new Set(['pending']));
  const second = await readings();
  const settled = second.filter(({ tag }) => tag === 'settled');
  expect(settled.map((row) => row['block_number'])).toEqual(
    first.map((row) => row['block_number']),
  );
});
