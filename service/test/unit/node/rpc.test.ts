import { describe, expect, it } from 'vitest';
import { decodeResult, rpcMethods } from '../../../../src/catalogue/rpc/rpc-catalogue.ts';
import { balancesAt } from '../../../../test/fixtures/balances.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { createRpc } from '../../../src/node/rpc.ts';
import { nodeMethods } from '../../../src/node/rpc-methods.ts';
import type { PreconfirmedPart } from '../../../src/node/rpc-state.ts';
import { nodeState } from '../../../src/node/rpc-state.ts';
import { ENDLESS_SLICE } from '../../../src/protocol/time-slices.ts';
import { createService } from '../../../src/server/service.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { ledgerOf } from '../../../src/simulated/ledger.ts';

const HEAD = 120;
const chain = simulatedChain({ seed: 'node', head: HEAD, zoneStart: 10 });
const NOBODY = `0x${'12'.repeat(20)}`;
const NO_HASH = `0x${'34'.repeat(32)}`;
/** The first height above the head with three transactions or more. */
const height = Array.from({ length: 50 }, (_, nth) => HEAD + 1 + nth).find(
  (number) => chain.executedAt(number).executed.length > 2,
);
const PENDING = height ?? 0;
const [busySender] = chain.addresses(1);
const token = (symbol: string) =>
  chain.tokens.find((candidate) => candidate.symbol === symbol)?.address ?? '';
const argument = (address: string) => address.slice(2).padStart(64, '0');
/** A height with calls between contracts. */
const busyHeight = Array.from({ length: HEAD }, (_, nth) => nth).findIndex((number) =>
  chain.executedAt(number).executed.some(({ internal }) => internal.length > 2),
);

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

function node(told?: PreconfirmedPart, head = HEAD) {
  const effects = quietEffects();
  const at = simulatedChain({ seed: 'node', head, zoneStart: 10 });
  const source = chainSource(at);
  const ledger = ledgerOf(at, ENDLESS_SLICE);
  const inputs = { chain: at, source, ledger, preconfirmed: () => told };
  const rpc = createRpc(nodeMethods(inputs), effects);
  const post = (body: string, headers: Record<string, string> = JSON_HEADERS, method = 'POST') =>
    rpc.answer({ method, target: '/rpc', headers, body });
  const send = async (value: unknown): Promise<Answer> => {
    const { body } = await post(typeof value === 'string' ? value : JSON.stringify(value));
    return JSON.parse(body) as Answer;
  };
  const call = (method: string, ...params: unknown[]) =>
    send({ jsonrpc: '2.0', id: 7, method, params });
  const result = async (method: string, ...params: unknown[]) => {
    const { result: answer, error } = await call(method, ...params);
    if (error !== undefined) throw new Error(error.message);
    return answer as Record<string, unknown>;
  };
  return { rpc, source, post, send, call, result };
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };
const code = async (answer: Promise<Answer>): Promise<number | undefined> =>
  (await answer).error?.code;

describe('a body', () => {
  it('that is not JSON, not a call, or calls an unknown method, gets its error code', async () => {
    const { send, call } = node();
    expect(await send('{')).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_700 } });
    for (const wrong of [1, null, 'text', [1], { id: 1 }, { jsonrpc: '1.0', id: 1, method: 'x' }]) {
      const answer = await send(JSON.stringify(wrong));
      const [one] = Array.isArray(answer) ? (answer as Answer[]) : [answer];
      expect(one?.error?.code, JSON.stringify(wrong)).toBe(-32_600);
    }
    expect(await code(send({ jsonrpc: '2.0', id: {}, method: 'eth_chainId' }))).toBe(-32_600);
    expect(await code(call('eth_sendRawTransaction', '0x'))).toBe(-32_601);
    expect(await code(call('constructor'))).toBe(-32_601);
    const named = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: { a: 1 } };
    expect(await code(send(named))).toBe(-32_602);
  });

  it('may hold several calls, answered in their order, some of them in vain', async () => {
    const { send } = node();
    const calls = ['eth_chainId', 'nothing', 'eth_blockNumber'].map((method, id) => ({
      jsonrpc: '2.0',
      id,
      method,
    }));
    const answers = (await send(calls)) as unknown as Answer[];
    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual([
      '0x539',
      -32_601,
      `0x${HEAD.toString(16)}`,
    ]);
  });

  it('may hold neither no call nor more than a hundred', async () => {
    const { send } = node();
    const calls = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }));
    expect(await code(send([]))).toBe(-32_600);
    expect(await send(calls(100))).toHaveLength(100);
    expect(await code(send(calls(101)))).toBe(-32_600);
  });

  it('without an id is not answered', async () => {
    const { post } = node();
    const quiet = { jsonrpc: '2.0', method: 'eth_chainId' };
    expect(await post(JSON.stringify(quiet))).toMatchObject({ status: 204, body: '' });
    expect(await post(JSON.stringify([quiet, quiet]))).toMatchObject({ status: 204 });
    const { body } = await post(JSON.stringify([quiet, { ...quiet, id: null }]));
    expect(JSON.parse(body)).toEqual([{ jsonrpc: '2.0', id: null, result: '0x539' }]);
  });

  it('is taken by POST alone, and as JSON alone', async () => {
    const { post } = node();
    const got = await post('', JSON_HEADERS, 'GET');
    expect(got).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('{}', {})).status).toBe(415);
    const charset = { 'content-type': 'application/json; charset=utf-8' };
    expect((await post('{}', charset)).status).toBe(200);
  });
});

describe('the mount', () => {
  it('answers at its path and leaves all others to the service', async () => {
    const { rpc, source } = node();
    const nodes = { rpcs: new Map([['/rpc', rpc]]), streams: new Map() };
    const service = createService({ source, effects: quietEffects(), nodes });
    const ask = (target: string) =>
      service.answer({ method: 'GET', target, headers: {}, body: '' });
    expect((await ask('/rpc')).status).toBe(405);
    expect((await ask('/rpc?x=1')).status).toBe(405);
    expect((await ask('/rpc/x')).status).toBe(404);
  });
});

describe('the methods of the catalogue', () => {
  it('are answered with every declared member, each of them readable', async () => {
    const { result } = node({ height: PENDING, count: 3, blockHash: NO_HASH }, PENDING - 1);
    const block = await result('eth_getBlockByNumber', 'pending', true);
    const [first] = block['transactions'] as { hash: string; from: string; to: string }[];
    const values = { hash: first?.hash, address: first?.from, block: 'pending', flag: true };
    const call = { to: first?.from, data: '0x' };
    for (const entry of rpcMethods) {
      const params = entry.params.map(({ type }) => ({ ...values, call })[type]);
      const answer: unknown = await result(entry.method, ...params);
      const { texts, extra } = decodeResult(entry, answer);
      const missing = entry.fields.filter(({ column, wire }) => {
        return !texts.has(column) && (answer as Record<string, unknown>)[wire] !== null;
      });
      expect(missing, entry.method).toEqual([]);
      expect(
        Object.keys(extra).filter((name) => entry.fields.some((f) => f.wire === name)),
      ).toEqual([]);
    }
  });
});

describe('parameters', () => {
  it('that are malformed are refused, and not repeated', async () => {
    const { call } = node();
    const wrong: [string, ...unknown[]][] = [
      ['eth_getBlockByNumber', 'newest', true],
      ['eth_getBlockByNumber', '0x01', true],
      ['eth_getBlockByNumber', 5, true],
      ['eth_getBlockByNumber', `0x${'f'.repeat(20)}`, true],
      ['eth_getBlockByNumber', 'latest', 'yes'],
      ['eth_getBalance', '0x12', 'latest'],
      ['eth_getBalance'],
      ['eth_getTransactionByHash', NOBODY],
      ['eth_call', 'x', 'latest'],
      ['eth_call', { to: NOBODY, data: '0x123' }, 'latest'],
      ['eth_call', { to: '0x' }, 'latest'],
      ['eth_estimateGas', { to: NOBODY, data: 12 }],
    ];
    for (const [method, ...params] of wrong) {
      const { error } = await call(method, ...params);
      expect(error?.code, `${method} ${JSON.stringify(params)}`).toBe(-32_602);
      for (const param of params) expect(error?.message).not.toContain(JSON.stringify(param));
    }
  });

  it('name blocks by number and by all five tags', async () => {
    const { result } = node();
    const at = async (tag: string) => (await result('eth_getBlockByNumber', tag, false))['number'];
    expect(await at('earliest')).toBe('0x0');
    expect(await at('latest')).toBe(`0x${HEAD.toString(16)}`);
    expect(await at('pending')).toBe(`0x${(HEAD + 1).toString(16)}`);
    expect(await at('safe')).toBe(`0x${(HEAD - 32).toString(16)}`);
    expect(await at('finalized')).toBe(`0x${(HEAD - 64).toString(16)}`);
    expect(await at('0x10')).toBe('0x10');
  });
});

describe('a missing block or method', () => {
  it('is null as a block, a transaction or a receipt, and an error as a state', async () => {
    const { result, call } = node();
    const above = `0x${(HEAD + 1).toString(16)}`;
    expect(await result('eth_getBlockByNumber', above, true)).toBeNull();
    expect(await result('eth_getTransactionByHash', NO_HASH)).toBeNull();
    expect(await result('eth_getTransactionReceipt', NO_HASH)).toBeNull();
    expect(await code(call('eth_getBalance', NOBODY, above))).toBe(-32_000);
    expect(await result('eth_getBalance', NOBODY, 'latest')).toBe('0x0');
    expect(await result('eth_getTransactionCount', NOBODY)).toBe('0x0');
  });

  it('is the state of a chain too long to be counted', async () => {
    const { call } = node(undefined, 400_000);
    expect(await code(call('eth_getBalance', NOBODY, 'latest'))).toBe(-32_000);
    expect((await call('eth_getBalance', NOBODY, '0x5')).result).toBe('0x0');
  });
});

describe('a block', () => {
  it('is linked to the one before, and lists hashes or whole transactions', async () => {
    const { result } = node();
    const hashes = await result('eth_getBlockByNumber', '0x40', false);
    const full = await result('eth_getBlockByNumber', '0x40', true);
    const before = await result('eth_getBlockByNumber', '0x3f', false);
    expect(hashes['parentHash']).toBe(before['hash']);
    const listed = full['transactions'] as Record<string, unknown>[];
    expect(hashes['transactions']).toEqual(listed.map(({ hash }) => hash));
    for (const entry of listed) expect(entry['blockHash']).toBe(full['hash']);
    const [record] = chain.recordsAt(0x40).blocks;
    expect(Number(full['gasUsed'])).toBe(Number(record?.['gas_used']));
    expect(Number(full['timestamp']) * 1000).toBe(Number(record?.['block_time']));
  });
});

describe('the methods of archive nodes', () => {
  it('list the receipts and the calls of a block in the order of its transactions', async () => {
    const { result, call } = node();
    const tag = `0x${busyHeight.toString(16)}`;
    const { transactions } = await result('eth_getBlockByNumber', tag, false);
    const hashes = transactions as string[];
    const single = await Promise.all(
      hashes.map((hash) => result('eth_getTransactionReceipt', hash)),
    );
    expect(await result('eth_getBlockReceipts', tag)).toEqual(single);
    const traces = await result('debug_traceBlockByNumber', tag, { tracer: 'callTracer' });
    const { executed } = chain.executedAt(busyHeight);
    expect(traces).toMatchObject(
      executed.map(({ raw, sender, internal }) => {
        const calls = internal.map(({ movedWei }) => ({ value: `0x${movedWei.toString(16)}` }));
        return { txHash: raw.hash, result: { from: sender, calls } };
      }),
    );
    const above = `0x${(HEAD + 1).toString(16)}`;
    expect(await result('eth_getBlockReceipts', above)).toBeNull();
    expect(await code(call('debug_traceBlockByNumber', above))).toBe(-32_000);
  });

  it('list the events of a range by contract and topic', async () => {
    const { result, call } = node();
    const range = { fromBlock: 'earliest', toBlock: 'latest' };
    const contract = token('HAY');
    const moves = Array.from({ length: HEAD + 1 }, (_, at) => chain.executedAt(at).executed)
      .flat()
      .flatMap(({ raw, transfers }) => transfers.map((move) => ({ ...move, hash: raw.hash })))
      .filter(({ tokenAddress }) => tokenAddress === contract);
    const logsOf = async (filter: object) => {
      const logs: unknown = await result('eth_getLogs', { ...range, ...filter });
      return logs as { readonly transactionHash: string; readonly topics: readonly string[] }[];
    };
    const logs = await logsOf({ address: contract });
    const hashes = moves.map(({ hash }) => hash);
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual(hashes);
    const topic = `0x${argument(moves[0]?.to ?? '')}`;
    const received = await logsOf({ topics: [null, null, [topic]] });
    expect(received.length).toBeGreaterThan(0);
    for (const { topics } of received) expect(topics[2]).toBe(topic);
    const long = node(undefined, 3_000);
    expect(await code(long.call('eth_getLogs', range))).toBe(-32_000);
    expect(await code(call('eth_getLogs', { address: 5 }))).toBe(-32_602);
  });

  it('tell contracts from accounts, and name the program', async () => {
    const { result } = node();
    const codes = [busySender, chain.tokens[0]?.address].map((key) => result('eth_getCode', key));
    expect(await Promise.all(codes)).toEqual(['0x', '0xfe']);
    expect(String(await result('web3_clientVersion'))).toContain('windrow');
  });
});

describe('the pending block', () => {
  const told = { height: PENDING, count: 2, blockHash: NO_HASH };
  const all = chain.executedAt(PENDING).executed;

  it('holds the preconfirmed part of the next height, and of no other height', async () => {
    const { result } = node(told, PENDING - 1);
    const block = await result('eth_getBlockByNumber', 'pending', false);
    expect(block).toMatchObject({ hash: null, nonce: null, logsBloom: null });
    expect(block['transactions']).toEqual(all.slice(0, 2).map(({ raw }) => raw.hash));
    for (const other of [undefined, { ...told, height: PENDING + 1 }]) {
      const empty = await node(other, PENDING - 1).result('eth_getBlockByNumber', 'pending', false);
      expect(empty['transactions']).toEqual([]);
      expect(empty['number']).toBe(`0x${PENDING.toString(16)}`);
    }
  });

  it('shows its transactions one by one too, and no others', async () => {
    const { result } = node(told, PENDING - 1);
    const hashes = all.map(({ raw }) => raw.hash);
    const shown = await result('eth_getTransactionByHash', hashes[1]);
    expect(shown).toMatchObject({ blockHash: null, transactionIndex: '0x1' });
    const receipt = await result('eth_getTransactionReceipt', hashes[1]);
    expect(receipt).toMatchObject({ blockHash: NO_HASH, transactionIndex: '0x1' });
    expect(await result('eth_getTransactionByHash', hashes[2])).toBeNull();
  });

  it('lies above the head that there is when the state below it is known', async () => {
    const source = chainSource(simulatedChain({ seed: 'node', head: PENDING - 2 }));
    const counted = ledgerOf(chain, ENDLESS_SLICE);
    const ledger = {
      ...counted,
      // The chain grows while blocks are counted.
      reach: async (to: number) => {
        await counted.reach(to);
        if (source.head('primary') < PENDING - 1) source.growTo(PENDING - 1);
      },
    };
    const state = nodeState({ chain, source, ledger, preconfirmed: () => told });
    const accounts = await state.accounts('pending');
    const before = chain.executedAt(PENDING - 1).executed;
    await counted.reach(PENDING - 1);
    expect(before.length).toBeGreaterThan(0);
    for (const { sender } of [...before, ...all.slice(0, 2)]) {
      const sent = all.slice(0, 2).filter((entry) => entry.sender === sender).length;
      expect(accounts.sent(sender)).toBe(counted.sentAt(sender, PENDING - 1) + sent);
    }
  });

  it('changes balances and nonces by its transactions', async () => {
    const { result } = node(told, PENDING - 1);
    const whole = node({ ...told, count: all.length }, PENDING - 1);
    const mined = node(undefined, PENDING);
    const senders = new Set(all.slice(0, 2).map(({ sender }) => sender));
    const { native } = balancesAt(chain, PENDING);
    for (const address of [...senders]) {
      const count = async (tag: string) =>
        Number(await result('eth_getTransactionCount', address, tag));
      const number = all.slice(0, 2).filter(({ sender }) => sender === address).length;
      expect((await count('pending')) - (await count('latest'))).toBe(number);
      const balance = await whole.result('eth_getBalance', address, 'pending');
      expect(balance).toEqual(await mined.result('eth_getBalance', address, 'latest'));
      const wei = chain.allocationWei(address) + (native.get(address) ?? 0n);
      expect(BigInt(String(balance))).toBe(wei);
    }
  });
});

describe('calls', () => {
  it('are answered by tokens, and by nothing else', async () => {
    const { result } = node();
    const ask = (to: string | undefined, data: string) => result('eth_call', { to, data });
    expect(await ask(token('USDR'), '0x313ce567')).toBe(`0x${'6'.padStart(64, '0')}`);
    // Its amounts are raw, and its decimals are unknown.
    expect(await ask(token('CHAFF'), '0x313ce567')).toBe('0x');
    expect(await ask(token('BALE'), '0x313ce567')).toBe('0x');
    expect(String(await ask(token('Wíesé'), '0x95d89b41'))).toContain(
      Buffer.from('Wíesé').toString('hex'),
    );
    expect(await ask(token('USDR'), '0x12345678')).toBe('0x');
    expect(await ask(token('USDR'), '0x70a08231')).toBe('0x');
    expect(await ask(NOBODY, '0x313ce567')).toBe('0x');
    expect(await ask(undefined, '0x6080')).toBe('0x');
  });

  it('tell balances as the contract counts them, by id where tokens have ids', async () => {
    const { result } = node();
    const { tokens } = balancesAt(chain, HEAD);
    let calls = 0;
    for (const [key, units] of tokens) {
      const [address = '', contract = '', id = ''] = key.split('|');
      const asset = chain.tokens.find((candidate) => candidate.address === contract);
      if (asset === undefined || units <= 0n || asset.standard === 'token_721') continue;
      const isMulti = asset.standard === 'token_1155';
      const data = isMulti
        ? `0x00fdd58e${argument(address)}${BigInt(id).toString(16).padStart(64, '0')}`
        : `0x70a08231${argument(address)}`;
      const allocated = chain.allocations.has(address) ? chain.tokenAllocations.get(contract) : 0n;
      const raw = ((allocated ?? 0n) + units) / 10n ** BigInt(18 - (asset.decimals ?? 0));
      expect(BigInt(String(await result('eth_call', { to: contract, input: data })))).toBe(raw);
      calls += 1;
    }
    expect(calls).toBeGreaterThan(20);
  });

  it('tell nothing where more was passed on than came in', async () => {
    const { result } = node();
    const { tokens } = balancesAt(chain, HEAD);
    const owing = [...tokens].find(
      ([key, units]) =>
        units < 0n && key.includes(`|${token('HAY')}|`) && !chain.allocations.has(key.slice(0, 42)),
    );
    const [address = ''] = owing?.[0].split('|') ?? [];
    expect(address).not.toBe('');
    const data = `0x70a08231${argument(address)}`;
    expect(await result('eth_call', { to: token('HAY'), data })).toBe(`0x${'0'.repeat(64)}`);
  });

  it('cost more gas the more they say, and a plain transfer 21,000', async () => {
    const { result } = node();
    const gas = async (request: object) => Number(await result('eth_estimateGas', request));
    expect(await gas({ to: NOBODY })).toBe(21_000);
    expect(await gas({ to: NOBODY, data: '0x00ff' })).toBe(21_020);
    expect(await gas({ to: token('HAY'), data: '0xa9059cbb' })).toBeGreaterThan(60_000);
    expect(await gas({ data: '0x6080' })).toBeGreaterThan(53_000);
  });
});
