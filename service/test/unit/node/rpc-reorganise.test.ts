import { describe, expect, it } from 'vitest';
import { balancesAt } from '../../../../test/fixtures/balances.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import type { ChainSource } from '../../../src/memory/chain-source.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { createRpc } from '../../../src/node/rpc.ts';
import { nodeMethods } from '../../../src/node/rpc-methods.ts';
import type { JsonObject } from '../../../src/node/rpc-shapes.ts';
import { ENDLESS_SLICE, timeSlices } from '../../../src/protocol/time-slices.ts';
import type { SimulatedChain } from '../../../src/simulated/chain.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { ledgerOf } from '../../../src/simulated/ledger.ts';
import { publicNodes } from '../../../src/stream/nodes.ts';
import { createProducer } from '../../../src/stream/producer.ts';

/** Goal: a node and its stream know at once that the chain below them is another one. */

interface Heard {
  readonly payload: string;
  readonly index: number;
  readonly height: number;
  readonly hash: string;
  /** How many transactions the message has. */
  readonly size: number;
  /** How many the node knew when it was sent. */
  readonly count: number;
}

describe('a node whose chain is reorganised', () => {
  const NODE_HEAD = 120;
  const young = simulatedChain({ seed: 'node', head: NODE_HEAD, zoneStart: 10 });

  const asking = (source: ChainSource) => {
    const rpc = publicNodes(young, source, { effects: quietEffects() }).rpcs.get('/rpc');
    return async (method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      const answer = await rpc?.answer({ method: 'POST', target: '/rpc', headers, body });
      return (JSON.parse(answer?.body ?? '') as { result: JsonObject }).result;
    };
  };
  /** Everything that it can say of blocks, transactions and accounts around the head. */
  const told = async (ask: ReturnType<typeof asking>, chains: readonly SimulatedChain[]) => {
    const answers: string[] = [];
    const tell = async (method: string, ...params: unknown[]): Promise<void> => {
      answers.push(JSON.stringify(await ask(method, ...params)));
    };
    for (const tag of ['latest', 'pending', 'safe', '0x60', '0x6f', '0x70', '0x71']) {
      await tell('eth_getBlockByNumber', tag, true);
    }
    const executed = chains.flatMap((source) =>
      Array.from({ length: 12 }, (_, nth) => source.executedAt(NODE_HEAD - nth).executed).flat(),
    );
    for (const { raw } of executed) await tell('eth_getTransactionReceipt', raw.hash);
    for (const { sender, to } of executed) {
      for (const tag of ['latest', '0x70']) {
        await tell('eth_getTransactionCount', sender, tag);
        await tell('eth_getBalance', to?.split(',')[0] ?? sender, tag);
      }
    }
    return answers;
  };

  it('shows the present blocks, their parents and their movements', async () => {
    const source = chainSource(young);
    const warm = asking(source);
    const replaced = young.forked({ from: 0x70, salt: young.executedAt(0x70).place.hash });
    const old = await told(warm, [young, replaced]);
    source.reorganise(NODE_HEAD - 0x70 + 1);
    const now = await told(warm, [young, replaced]);
    const expected = await told(asking(chainSource(replaced)), [young, replaced]);
    expect(now.filter((text, nth) => text !== expected[nth])).toEqual([]);
    expect(now.filter((text, nth) => text !== old[nth]).length).toBeGreaterThan(40);
    for (let height = 0x6e; height <= NODE_HEAD; height += 1) {
      const [lower, block] = [
        await warm('eth_getBlockByNumber', `0x${height.toString(16)}`, false),
        await warm('eth_getBlockByNumber', `0x${(height + 1).toString(16)}`, false),
      ];
      if (block !== null) expect(block['parentHash']).toBe(lower['hash']);
    }
    const pending = await warm('eth_getBlockByNumber', 'pending', false);
    expect(pending['parentHash']).toBe(replaced.executedAt(NODE_HEAD).place.hash);
  });

  it('counts on with the new blocks where they come while it counts', async () => {
    const source = chainSource(simulatedChain({ seed: 'node', head: 500 }));
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
      if (pauses === 2) source.reorganise(250);
    };
    // A block of the ledger takes a millisecond of this clock.
    const { now } = quietEffects();
    const ledger = ledgerOf(source.chain, timeSlices({ pause, now, sliceMs: 200 }));
    await ledger.reach(500);
    expect(pauses).toBeGreaterThan(2);
    const { native } = balancesAt(source.chain, 500);
    for (const [address, wei] of native) {
      expect(ledger.nativeAt(address, 500)).toBe(source.chain.allocationWei(address) + wei);
    }
    // Replaced blocks are counted again without another call of `reach`.
    source.reorganise(3);
    const [sender = ''] = source.chain.addresses(1);
    const sent = (at: SimulatedChain) =>
      Array.from({ length: 501 }, (_, height) => at.executedAt(height).executed)
        .flat()
        .filter((entry) => entry.sender === sender).length;
    expect(ledger.sentAt(sender, 500)).toBe(sent(source.chain));
    for (const [address, wei] of balancesAt(source.chain, 500).native) {
      expect(ledger.nativeAt(address, 500)).toBe(source.chain.allocationWei(address) + wei);
    }
  });

  it('forgets the preconfirmed part; the stream restarts the height with a new block', async () => {
    const clock = virtualClock();
    const source = chainSource(young);
    const { chain } = source;
    const heard: Heard[] = [];
    const ledger = ledgerOf(chain, ENDLESS_SLICE);
    const producer = createProducer({
      chain,
      source,
      ledger,
      blocksPerSecond: 1,
      effects: clock,
      audience: {
        send: (message) => {
          const diff = message['diff'] as JsonObject;
          heard.push({
            payload: String(message['payload_id']),
            index: Number(message['index']),
            height: Number((message['metadata'] as JsonObject)['block_number']),
            hash: String(diff['block_hash']),
            size: (diff['transactions'] as unknown[]).length,
            count: producer.preconfirmed()?.count ?? -1,
          });
        },
        disconnect: () => {},
      },
    });
    const { preconfirmed } = producer;
    const rpc = createRpc(nodeMethods({ chain, source, ledger, preconfirmed }), clock);
    const stop = new AbortController();
    const run = producer.run(stop.signal);
    const height =
      [2, 3, 4, 5, 6, 7, 8]
        .map((above) => NODE_HEAD + above)
        .find((candidate) => young.executedAt(candidate).executed.length > 2) ?? 0;
    await clock.pass((height - NODE_HEAD) * 1_000 - 50);
    expect(producer.preconfirmed()?.height).toBe(height);
    const before = heard.filter((block) => block.height === height);
    expect(before.at(-1)?.count).toBeGreaterThan(0);
    source.reorganise(2);
    expect(producer.preconfirmed()).toBe(undefined);
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['pending'] };
    const { body } = await rpc.answer({
      method: 'POST',
      target: '/rpc',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    expect((JSON.parse(body) as { result: JsonObject }).result['transactions']).toEqual([]);
    await clock.pass(3_000);
    stop.abort();
    await clock.run(run);
    const again = heard.filter((block) => block.height === height).slice(before.length);
    const [first, last] = [again[0], again.at(-1)];
    expect(first?.index).toBe(0);
    expect(new Set(again.map(({ payload }) => payload)).size).toBe(1);
    expect(heard.filter(({ payload }) => payload === first?.payload)).toEqual(again);
    expect(again.map(({ count }) => count)).toEqual(
      again.map((_, nth) => again.slice(0, nth + 1).reduce((sum, { size }) => sum + size, 0)),
    );
    expect(last?.hash).toBe(source.chain.executedAt(height).place.hash);
    expect(source.head('primary')).toBeGreaterThan(height);
  });
});
