import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqlFiles } from '../../../../src/curate/rule/sql-files.ts';
import type { Effects } from '../../../../src/effects.ts';
import { connect } from '../../../../src/fetch/connect.ts';
import { parseCalls } from '../../../../src/pipeline/csv/calls-file.ts';
import { pipelineSchema, toPipeline } from '../../../../src/pipeline/pipeline.ts';
import { PendingCapture } from '../../../../src/run/pending/pending-capture.ts';
import { systemEffects } from '../../../../src/system.ts';
import { SmallLake } from '../../../fixtures/load-lake.ts';
import { portOf } from '../../../fixtures/when-over.ts';

/**
 * Goal: every value that a node shows as pending lands with its height, and again as settled. The
 * node is a small server of this file. Its state is a list of blocks; the last one is pending.
 */

const ADDRESS = `0x${'11'.repeat(20)}`;
const TOKEN = `0x${'22'.repeat(20)}`;
const hashOf = (nth: number) => `0x${String(nth).padStart(64, '0')}`;
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const word = (value: bigint) => value.toString(16).padStart(64, '0');

/** Transactions by number, and the state after them. */
interface Block {
  readonly transactions: readonly number[];
  readonly balance: bigint;
}

let blocks: Block[];
let failing: boolean;
let server: Server;
let small: SmallLake;
let close: () => Promise<void>;
let read: () => Promise<void>;
let readUntil: (stop: AbortSignal) => Promise<void>;
let nextRun: (more?: Partial<Effects>) => void;

function answer(method: string, params: unknown[]): unknown {
  const last = blocks.length - 1;
  const at = (tag: unknown) => (tag === 'pending' ? last : Number(tag));
  const placeOf = (hash: unknown) => {
    return blocks.findIndex(({ transactions: all }) => all.some((nth) => hashOf(nth) === hash));
  };
  switch (method) {
    case 'eth_getBlockByNumber': {
      const number = at(params[0]);
      const transactions = (blocks[number]?.transactions ?? []).map((nth) => {
        return { hash: hashOf(nth), from: ADDRESS, nonce: hex(nth), value: hex(10n ** 18n) };
      });
      const hash = number === last ? null : hashOf(9000 + number);
      return { number: hex(number), hash, timestamp: hex(1_700_000_000 + number), transactions };
    }
    case 'eth_getBalance':
      return hex(blocks[at(params[1])]?.balance ?? 0n);
    case 'eth_getTransactionCount':
      return hex(blocks.slice(0, at(params[1]) + 1).flatMap((entry) => entry.transactions).length);
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionReceipt': {
      const height = placeOf(params[0]);
      if (height === -1 || height === last) return null;
      return { blockNumber: hex(height), status: '0x1', gasUsed: hex(21_000), logs: [] };
    }
    case 'eth_call':
      return `0x${word((blocks[at(params[1])]?.balance ?? 0n) * 2n)}`;
    default:
      throw Object.assign(new Error('execution reverted'), { code: 3 });
  }
}

beforeEach(async () => {
  blocks = [{ transactions: [], balance: 0n }];
  failing = false;
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    if (failing) {
      response.writeHead(404).end('gone');
      return;
    }
    const calls = JSON.parse(body) as { id: number; method: string; params: unknown[] }[];
    const answers = [calls].flat().map(({ id, method, params }) => {
      try {
        return { id, result: answer(method, params) };
      } catch (error) {
        const { code, message } = error as Error & { code: number };
        return { id, error: { code, message } };
      }
    });
    response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]));
  });
  const url = `http://127.0.0.1:${await portOf(server)}`;
  const pipeline = toPipeline(
    pipelineSchema.parse({
      version: 1,
      name: 'p',
      source: { url, chain: 'MAINCHAIN', rate: { startPerSecond: 1000, maxPerSecond: 1000 } },
      pending: { url: '/rpc', reads: ['block'] },
    }),
  );
  const effects = systemEffects('warn', {}, () => undefined);
  const connection = connect(pipeline.source, undefined, undefined, effects);
  small = await SmallLake.open();
  const options = {
    reads: ['block', 'balances', 'nonces', 'receipts'],
    addresses: [ADDRESS],
    calls: parseCalls({
      text: `contract,function,arguments\n${TOKEN},totalSupply()(uint256),\n`,
      file: 'c.csv',
    }),
    rpc: connection.rpc(`${url}/rpc`),
    everyMs: 1000,
    lake: small.lake,
    commit: pipeline.commit,
    effects,
  } as const;
  let capture = new PendingCapture(options);
  nextRun = (more = {}) => {
    capture = new PendingCapture({ ...options, effects: { ...effects, ...more } });
  };
  read = async () => {
    await capture.capture(new AbortController().signal, 'once');
    await capture.land();
  };
  readUntil = (stop) => capture.capture(stop, 'until stopped');
  close = async () => {
    await connection.close();
    await small.close();
  };
});

afterEach(() => close());

async function settledRows(): Promise<unknown[][]> {
  await small.publish();
  return small.rows(
    `SELECT what, block_number, readings, pending_value, settled_value, agrees
     FROM pending_vs_settled ORDER BY block_number, what, subject`,
  );
}

describe('a capture of the pending state', () => {
  it('lands each value at its height, and compares the last one with the settled one', async () => {
    const large = 2n ** 200n;
    blocks.push({ transactions: [1], balance: 5n });
    await read();
    blocks[1] = { transactions: [1, 2], balance: large };
    await read();
    blocks.push({ transactions: [], balance: large });
    await read();
    const [one, two] = [hashOf(1), hashOf(2)];
    const rows = await settledRows();
    expect(rows.slice(0, 6)).toEqual(
      [
        ['balance', '1', '2', String(large), String(large), true],
        ['block', '1', '2', `${one},${two}`, `${one},${two}`, true],
        ['call', '1', '2', `0x${word(large * 2n)}`, `0x${word(large * 2n)}`, true],
        ['nonce', '1', '2', '2', '2', true],
        ['receipt', '1', '1', null, 'success 21000', null],
        ['receipt', '1', '1', null, 'success 21000', null],
      ].map((row) => row.map((cell, at) => (at === 1 || at === 2 ? expect.anything() : cell))),
    );
    const exact = await small.rows(
      `SELECT tag, balance_text, balance FROM lake.pending_balances
       WHERE block_number = 1 ORDER BY read_at`,
    );
    expect(exact.map(([tag]) => tag)).toEqual(['pending', 'pending', 'settled']);
    expect(String(exact[2]?.[1])).toBe(
      '1606938044258990275541962092341162602522202.993782792835301376',
    );
    const calls = await small.rows(
      `SELECT decoded, value_text, error FROM lake.pending_calls WHERE tag = 'settled'`,
    );
    expect(calls).toEqual([
      [
        `["${large * 2n}"]`,
        String(large * 2n),
        '{"eth_estimateGas":{"code":3,"message":"execution reverted"}}',
      ],
    ]);
  });

  it('shows what changed after the last reading, and transactions that left the block', async () => {
    blocks.push({ transactions: [1, 2], balance: 5n });
    await read();
    blocks[1] = { transactions: [1], balance: 7n };
    blocks.push({ transactions: [], balance: 7n });
    await read();
    const rows = await settledRows();
    const differ = rows.filter(([, , , , , agrees]) => agrees === false);
    expect(differ.map(([what, , , before, after]) => [what, before, after])).toEqual([
      ['balance', '5', '7'],
      ['block', `${hashOf(1)},${hashOf(2)}`, hashOf(1)],
      ['call', `0x${word(10n)}`, `0x${word(14n)}`],
      ['nonce', '2', '1'],
    ]);
    const examples = new Map((await sqlFiles('examples')).map(({ name, sql }) => [name, sql]));
    const changed = await small.rows(examples.get('pending_values_that_changed') ?? '');
    expect(changed).toHaveLength(differ.length);
    const agreement = await small.rows(examples.get('pending_agreement_by_kind') ?? '');
    expect(
      agreement.map(([what, compared, equal]) => [what, +String(compared), +String(equal)]),
    ).toEqual(['balance', 'block', 'call', 'nonce'].map((what) => [what, 1, 0]));
    const settled = await small.rows(
      `SELECT tx_hash, in_block FROM lake.pending_receipts WHERE tag = 'settled' ORDER BY 1`,
    );
    expect(settled.map(([hash, height]) => [hash, height === null])).toEqual([
      [hashOf(1), false],
      [hashOf(2), true],
    ]);
  });

  it('has the settled values of the last height of a run from the next run, once', async () => {
    blocks.push({ transactions: [1, 2], balance: 5n });
    await read();
    blocks.push({ transactions: [3], balance: 6n });
    nextRun();
    await read();
    nextRun();
    await read();
    await small.publish();
    const settled = (table: string) => {
      return small.rows(`SELECT block_number::INT FROM lake.${table} WHERE tag = 'settled'`);
    };
    expect(await settled('pending_balances')).toEqual([[1]]);
    expect(await settled('pending_receipts')).toEqual([[1], [1]]);
  });

  it('keeps a failed reading as a row, also the first one', async () => {
    failing = true;
    await read();
    failing = false;
    await read();
    await small.publish();
    const rows = await small.rows(
      'SELECT block_number IS NULL, error FROM lake.pending_blocks ORDER BY read_at',
    );
    expect(rows).toEqual([
      [true, expect.stringContaining('HTTP status 404')],
      [false, null],
    ]);
  });

  it('reads again in time after the clock was set back, and commits what waits', async () => {
    const stop = new AbortController();
    const sleeps: number[] = [];
    let nowMs = 1_700_000_000_000;
    nextRun({
      now: () => nowMs,
      sleep: async (ms) => {
        sleeps.push(ms);
        nowMs -= 3_600_000;
        if (sleeps.length === 3) stop.abort();
      },
    });
    await readUntil(stop.signal);
    expect(sleeps).toEqual([1000, 1000, 1000]);
    await small.publish();
    expect(await small.rows('SELECT count(*)::INT FROM lake.pending_blocks')).toEqual([[2]]);
  });
});
