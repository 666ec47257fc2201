import { keccak256, parseUnits } from 'viem';
import { describe, expect, it } from 'vitest';
import { nodeBlocks } from '../../../src/node/rpc-blocks.ts';
import type { Log } from '../../../src/node/rpc-logs.ts';
import { bloomOf } from '../../../src/node/rpc-logs.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';

const chain = simulatedChain({ seed: 'logs', head: 300, zoneStart: 20 });
const blockAt = nodeBlocks(chain);
const told = Array.from({ length: 300 }, (_, height) => blockAt(height)).flatMap(
  ({ transactions }) => transactions,
);

/** The bits of a text by the definition: 11 low bits of each of the first three pairs of bytes. */
function bitsOf(text: string): number[] {
  const digest = keccak256(text as `0x${string}`).slice(2);
  return [0, 4, 8].map((at) => Number.parseInt(digest.slice(at, at + 4), 16) & 2047);
}

describe('the bloom of events', () => {
  it('has the bits of all their addresses and topics, and no others', () => {
    for (const { logs } of told.filter((block) => block.logs.length > 0)) {
      const texts = logs.flatMap(({ address, topics }) => [address, ...topics]);
      const expected = new Set(texts.flatMap(bitsOf));
      const bloom = bloomOf(logs);
      expect(bloom).toHaveLength(2 + 512);
      const set = Array.from({ length: 2048 }, (_, bit) => bit).filter(
        (bit) => (BigInt(bloom) >> BigInt(bit)) & 1n,
      );
      expect(new Set(set)).toEqual(expected);
    }
  });

  it('is empty for none', () => {
    expect(bloomOf([])).toBe(`0x${'0'.repeat(512)}`);
  });
});

describe('events', () => {
  const word = (data: string, nth: number): bigint =>
    BigInt(`0x${data.slice(2 + nth * 64, 66 + nth * 64)}`);
  const partyIn = (log: Log, nth: number): string => `0x${log.topics[nth]?.slice(26)}`;

  it('stand for token transfers one by one, in the form of their standard', () => {
    const met = new Set<unknown>();
    for (const { executed, logs } of told) {
      expect(logs).toHaveLength(executed.transfers.length);
      for (const [nth, { record }] of executed.transfers.entries()) {
        const log = logs[nth] ?? { address: '', topics: [], data: '0x' };
        const standard = record['token_standard'];
        const token = chain.tokens.find(({ address }) => address === log.address);
        const first = standard === 'token_1155' ? 2 : 1;
        met.add(standard);
        expect(log.address).toBe(record['token_address']);
        expect(partyIn(log, first)).toBe(record['from_address']);
        expect(partyIn(log, first + 1)).toBe(record['to_address']);
        if (standard === 'token_721') {
          expect(BigInt(log.topics[3] ?? 0)).toBe(BigInt(String(record['token_id'])));
          expect(log.data).toBe('0x');
          continue;
        }
        const raw = parseUnits(String(record['amount']), token?.decimals ?? 0);
        if (standard === 'token_1155') {
          expect(partyIn(log, 1)).toBe(executed.sender);
          expect(word(log.data, 0)).toBe(BigInt(String(record['token_id'])));
          expect(word(log.data, 1)).toBe(raw);
        } else expect(BigInt(log.data)).toBe(raw);
      }
    }
    expect(met).toEqual(new Set(['token_20', 'token_721', 'token_1155', 'token_10']));
  });
});
