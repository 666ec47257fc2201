import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import type { RpcCall } from '../../../../src/fetch/rpc/rpc-client.ts';
import type { RpcReply } from '../../../../src/fetch/rpc/rpc-reply.ts';
import { balanceAt } from '../../../../src/fetch/witness/question.ts';
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
