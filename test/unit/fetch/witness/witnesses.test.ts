import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import type { RpcCall } from '../../../../src/fetch/rpc/rpc-client.ts';
import type { RpcReply } from '../../../../src/fetch/rpc/rpc-reply.ts';
import { balanceAt, sentAt } from '../../../../src/fetch/witness/question.ts';
import { Witnesses } from '../../../../src/fetch/witness/witnesses.ts';

/** Goal: no answer counts that a failing, lagging, pruned or lying node could have made alone. */

type Answers = (call: RpcCall) => RpcReply;

const IDENTITY: Readonly<Record<string, string>> = {
  eth_chainId: '0x1',
  web3_clientVersion: 'node/1',
  eth_blockNumber: '0x64',
};

const honest: Answers = ({ entry }) => ({ result: IDENTITY[entry.method] ?? '0x7' });

function node(origin: string, answer: Answers = honest) {
  const call = async (calls: readonly RpcCall[]) => calls.map(answer);
  return { origin, client: { call, requests: 0 } };
}

/** A node with this answer to one method. */
function saying(origin: string, method: string, reply: RpcReply) {
  return node(origin, (call) => (call.entry.method === method ? reply : honest(call)));
}

async function opened(...nodes: readonly ReturnType<typeof node>[]) {
  const witnesses = new Witnesses(nodes, new AbortController().signal);
  await witnesses.open();
  return witnesses;
}

const BALANCE = [balanceAt('0xaa', '0x5')];
const states = (witnesses: Witnesses) => witnesses.reports().map(({ status }) => status);

describe('several witnesses', () => {
  it('leave out the one of three that lies', async () => {
    const liar = saying('b', 'eth_getBalance', { result: '0x8' });
    const witnesses = await opened(node('a'), liar, node('c'));
    expect(await witnesses.ask(BALANCE)).toEqual([{ value: 7n }]);
    expect(states(witnesses)).toEqual(['used', 'disagrees', 'used']);
  });

  it('give no answer where one stands against one', async () => {
    const witnesses = await opened(node('a'), saying('b', 'eth_getBalance', { result: '0x8' }));
    const [reading] = await witnesses.ask(BALANCE);
    expect(reading).toMatchObject({ reason: expect.stringMatching(/a and b disagree/) });
  });

  it('give no answer that half of them contradict, each in another way', async () => {
    const liars = ['0x8', '0x9'].map((result) => saying(result, 'eth_getBalance', { result }));
    const witnesses = await opened(node('a'), node('b'), ...liars);
    const [reading] = await witnesses.ask(BALANCE);
    expect(reading).toMatchObject({ reason: expect.stringMatching(/disagree/) });
    expect(states(witnesses)).toEqual(['used', 'used', 'used', 'used']);
  });

  it('leave out a node of another chain, and one that lags', async () => {
    const [stranger, late] = [
      saying('b', 'eth_chainId', { result: '0x2' }),
      saying('c', 'eth_blockNumber', { result: '0x32' }),
    ];
    const witnesses = await opened(node('a'), stranger, late, node('d'));
    witnesses.needHead(100);
    expect(states(witnesses)).toEqual(['used', 'another_chain', 'lags', 'used']);
  });

  it('answer for one that keeps no old state, and for one that fails', async () => {
    const error = { code: -32_000, message: 'missing trie node 0x1' };
    const dead = node('c', () => {
      throw new Fault('unreachable', 'The node does not answer.', { advice: 'Start it.' });
    });
    const pruned = saying('b', 'eth_getBalance', { error });
    const witnesses = await opened(node('a'), pruned, dead);
    expect(await witnesses.ask(BALANCE)).toEqual([{ value: 7n }]);
    expect(states(witnesses)).toEqual(['used', 'pruned', 'fails']);
  });
});

it('a single witness without the state of a block gives the reason, and no balance', async () => {
  const error = { code: -32_000, message: 'missing trie node 0x1' };
  const witnesses = await opened(saying('a', 'eth_getBalance', { error }));
  expect(await witnesses.ask(BALANCE)).toEqual([{ reason: 'missing trie node 0x1' }]);
});

it('a single witness below the end of the complete ranges answers, and is reported as behind', async () => {
  const witnesses = await opened(node('a'));
  witnesses.needHead(100, 130);
  expect(await witnesses.ask(BALANCE)).toEqual([{ value: 7n }]);
  expect(witnesses.reports()).toMatchObject([
    { status: 'lags', reason: 'its newest block is 100, and the lake is complete to 130' },
  ]);
});

describe('many balances of one height', () => {
  const address = (nth: number) => `0x${(nth + 0xaa).toString(16)}`;
  const many = Array.from({ length: 900 }, (_, nth) => balanceAt(address(nth), '0x5'));
  const values = many.map((_, nth) => ({ value: BigInt(address(nth)) }));
  const word = (value: number) => value.toString(16).padStart(64, '0');
  /** Digits of the parts of a call: its offset, its tuple, and the address in its data. */
  const [OFFSET, TUPLE, PARTY] = [64, 6 * 64, 4 * 64 + 8];

  /** A node with Multicall3, in which the fourth call fails. A balance is its address and `more`. */
  function deployed(origin: string, code = '0x60', more = 0) {
    const counts = new Map<string, number>();
    const witness = node(origin, (call) => {
      const { method } = call.entry;
      counts.set(method, (counts.get(method) ?? 0) + 1);
      if (method === 'eth_getCode') return { result: code };
      if (method === 'eth_getBalance') return { result: call.params[0] };
      if (method !== 'eth_call') return honest(call);
      const [{ data }] = call.params as [{ data: string }];
      const digits = data.slice(10 + 2 * 64);
      const count = digits.length / (OFFSET + TUPLE);
      const offsets = Array.from({ length: count }, (_, nth) => word(32 * count + 128 * nth));
      const results = offsets.map((_, nth) => {
        const at = count * OFFSET + nth * TUPLE + PARTY;
        const balance = Number(`0x${digits.slice(at, at + 64)}`) + more;
        return word(nth === 3 ? 0 : 1) + word(64) + word(32) + word(balance);
      });
      return { result: `0x${[word(32), word(count), ...offsets, ...results].join('')}` };
    });
    return { ...witness, counts };
  }

  it('are asked by few calls of Multicall3, and singly where one fails in it', async () => {
    const witness = deployed('a');
    const witnesses = await opened(witness);
    const readings = await witnesses.ask([sentAt('0xaa', '0x5'), ...many]);
    expect(readings).toEqual([{ value: 7n }, ...values]);
    const counts = { eth_call: 3, eth_getCode: 1, eth_getBalance: 3, eth_getTransactionCount: 1 };
    expect(Object.fromEntries(witness.counts)).toMatchObject(counts);
  });

  it('are asked singly before the height at which it was deployed, and for the pending state', async () => {
    for (const tag of ['0x5', 'pending']) {
      const witness = deployed('a', tag === 'pending' ? '0x60' : '0x');
      const questions = values.map((_, nth) => balanceAt(address(nth), tag));
      expect(await (await opened(witness)).ask(questions)).toEqual(values);
      expect(witness.counts.get('eth_getBalance')).toBe(many.length);
      expect(witness.counts.has('eth_call')).toBe(false);
    }
  });

  it('are asked singly where the results of nodes differ, and where one refuses the call', async () => {
    const refusing = node('d', (call) => {
      if (call.entry.method === 'eth_call') throw new Fault('refused', 'Too long.', { advice: '' });
      if (call.entry.method === 'eth_getBalance') return { result: call.params[0] };
      return call.entry.method === 'eth_getCode' ? { result: '0x60' } : honest(call);
    });
    for (const other of [refusing, deployed('b', '0x60', 1)]) {
      const witnesses = await opened(deployed('a'), other, deployed('c'));
      expect(await witnesses.ask(many)).toEqual(values);
      expect(states(witnesses)).toEqual(['used', 'used', 'used']);
    }
  });
});
