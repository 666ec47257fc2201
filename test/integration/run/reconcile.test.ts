import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { reconcileIfDue, reconcileRun } from '../../../src/run/shell/reconcile-run.ts';
import { INTERNAL, internal, SmallLake, TRANSACTIONS } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';

/** Goal: a difference stays in sight until a comparison includes its block, and then it goes. */

const OWN = `0x${'a'.repeat(40)}`;
const GIFT = { height: '50', from: `0x${'b'.repeat(40)}`, to: OWN, amount: '0.000000000000000003' };
const HOUR_MS = 3_600_000;

/** A node of a chain on which the address got 3 wei in block 50, and nothing else happened. */
const node: Server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[];
  const reply = ({ id, method, params: [, tag] }: Call) => {
    const result = resultOf(method, Number(tag));
    return { jsonrpc: '2.0', id, ...(result === undefined ? { error: REFUSAL } : { result }) };
  };
  const replies = Array.isArray(body) ? body.map(reply) : reply(body);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(replies));
});
const REFUSAL = { code: -32601, message: 'no such method' };
interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

function resultOf(method: string, height: number): string | undefined {
  if (method === 'eth_chainId' || method === 'web3_clientVersion') return '0x1';
  if (method === 'eth_blockNumber') return '0x3e8';
  if (method === 'eth_getTransactionCount') return '0x0';
  if (method === 'eth_getBalance') return height < 50 ? '0x0' : '0x3';
  return undefined;
}

let small: SmallLake;
let nowMs = Date.UTC(2026, 0, 2);
const effects = quietEffects({
  now: () => {
    nowMs += 1;
    return nowMs;
  },
  sleep: async (delayMs) => {
    nowMs += delayMs;
  },
});
beforeAll(async () => {
  small = await SmallLake.open(undefined, effects);
  await small.land(TRANSACTIONS, { keys: [OWN] });
  await small.land(INTERNAL, { keys: [OWN] });
  await small.publish();
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  node.close();
  node.closeAllConnections();
  await small.close();
});

function options() {
  const { port } = node.address() as AddressInfo;
  const text = `version: 1
name: small
source: { url: http://127.0.0.1:1, chain: MAINCHAIN, zoneChain: ZONECHAIN, credentials: none }
keys: { addresses: { list: ["${OWN}"] } }
datasets:
  transactions: [{ endpoint: ${TRANSACTIONS}, keys: addresses }]
witness: { url: "http://127.0.0.1:${port}" }
reconcile: { every: 1d, strict: true }`;
  const loaded = {
    pipeline: parsePipeline({ text, file: 'small.yaml' }),
    keys: { addresses: [OWN] },
    notes: [],
    resolve: String,
  };
  const surroundings = { root: small.root, effects, env: {}, note: () => undefined };
  return { ...surroundings, loaded: loaded as never };
}

const compared = async () => {
  nowMs += HOUR_MS;
  const { reconciliations, findings, exitCode } = await reconcileRun(options());
  const [native] = reconciliations.filter(({ asset_kind: kind }) => kind === 'native');
  const blocks = findings.map(({ block_number: block }) => block);
  return { exitCode, verdict: native?.verdict, cause: native?.cause, blocks };
};
const open = () => small.rows('SELECT block_number, what FROM reconciliation_findings');
const isDue = async () => (await reconcileIfDue(options(), small.lake)) !== undefined;

test('a withdrawn block that differed stays a difference until it is read again', async () => {
  const differs = { exitCode: 4, verdict: 'differs', blocks: [50] };
  expect(await compared()).toMatchObject(differs);
  const sql = `SELECT DISTINCT from_block, to_block FROM coverage WHERE status = 'inconsistent'`;
  expect(await small.rows(sql)).toEqual([[50, 50]]);

  const cause = 'block 50 differed, and is not complete since then';
  expect(await compared()).toMatchObject({ ...differs, cause });
  expect(await open()).toEqual([[50, 'unnamed']]);

  await small.land(INTERNAL, { keys: [OWN], from: 50, to: 50, records: [internal(GIFT)] });
  await small.publish();
  expect(await isDue()).toBe(true);
  expect(await open()).toEqual([]);
  expect(await isDue()).toBe(false);
  expect(await small.rows(`SELECT verdict FROM reconciliations WHERE address IS NOT NULL`)).toEqual(
    [['agrees'], ['agrees']],
  );
});
