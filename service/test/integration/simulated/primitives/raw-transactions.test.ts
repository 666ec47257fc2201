import fc from 'fast-check';
import type { Hex } from 'viem';
import { fromRlp, keccak256, parseEther, parseTransaction, toRlp } from 'viem';
import { describe, expect, it } from 'vitest';
import { simulatedChain } from '../../../../src/simulated/chain.ts';
import type { RlpItem } from '../../../../src/simulated/primitives/rlp.ts';
import { rlpEncoded } from '../../../../src/simulated/primitives/rlp.ts';

/**
 * Goal: a transaction's hash is keccak256 of bytes that another implementation reads as the very
 * transaction that the record tells of.
 */

const HEIGHTS = 3_000;
const chain = simulatedChain({ seed: 'raw', head: HEIGHTS, zoneStart: 500 });
const executed = Array.from({ length: HEIGHTS }, (_, height) => chain.executedAt(height)).flatMap(
  (block) => block.executed,
);
const HALF_OF_N = 2n ** 255n;

const hexOf = (bytes: Buffer): Hex => `0x${bytes.toString('hex')}`;

describe('the hash of a transaction', () => {
  it('is keccak256 of its raw bytes, in every record that names it', () => {
    for (const { raw, transaction, internal, transfers } of executed) {
      expect(raw.hash).toBe(keccak256(hexOf(raw.bytes)));
      const records = [transaction, ...internal.map((call) => call.record)];
      for (const record of [...records, ...transfers.map((move) => move.record)]) {
        expect(record['tx_hash']).toBe(raw.hash);
      }
    }
  });

  it('depends on seed and height alone', () => {
    const taller = simulatedChain({ seed: 'raw', head: 1_000_000, zoneStart: 500 });
    const hashes = (source: typeof chain, height: number): string[] =>
      source.executedAt(height).executed.map(({ raw }) => raw.hash);
    for (const height of [700, 3, 1_500]) {
      expect(hashes(taller, height)).toEqual(hashes(chain, height));
    }
    const other = simulatedChain({ seed: 'row', head: 10 });
    expect(hashes(other, 3)).not.toEqual(hashes(chain, 3));
  });
});

interface Offer {
  readonly gasPrice?: bigint | undefined;
  readonly maxFeePerGas?: bigint | undefined;
  readonly maxPriorityFeePerGas?: bigint | undefined;
}

describe('raw transactions', () => {
  const types = { 0: 'legacy', 1: 'eip2930', 2: 'eip1559', 3: 'eip4844' } as const;

  it('say what their records say, to the last wei', () => {
    const met = new Set<string>();
    for (const { raw, transaction } of executed) {
      const parsed = parseTransaction(hexOf(raw.bytes) as `0x02${string}`);
      met.add(String(transaction['tx_type']));
      expect(parsed.type).toBe(types[raw.type]);
      expect(raw.type).toBe(transaction['tx_type']);
      expect(parsed.chainId).toBe(1337);
      expect(String(parsed.nonce ?? 0)).toBe(transaction['nonce']);
      // Nothing and zero are the same to parsing.
      expect(parsed.value ?? 0n).toBe(parseEther(String(transaction['amount'])));
      expect(parsed.gas).toBe(BigInt(String(transaction['gas_limit'])));
      expect(parsed.data?.slice(0, 10) ?? null).toBe(transaction['method_id']);
    }
    expect([...met].sort()).toEqual(['0', '1', '2', '3']);
  });

  it('offer prices from which the price of the record follows', () => {
    for (let height = 0; height < 300; height += 1) {
      const { baseFeeWei, executed: inBlock } = chain.executedAt(height);
      for (const { raw, transaction } of inBlock) {
        const offer: Offer = parseTransaction(hexOf(raw.bytes) as `0x02${string}`);
        const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = offer;
        const most = maxFeePerGas ?? 0n;
        const offered = baseFeeWei + (maxPriorityFeePerGas ?? 0n);
        const price = gasPrice ?? (offered < most ? offered : most);
        expect(String(price)).toBe(transaction['gas_price']);
      }
    }
  });

  it('go to one address, the first where the record has several, or create a contract', () => {
    let several = 0;
    let creations = 0;
    for (const { raw, transaction } of executed) {
      const { to } = parseTransaction(hexOf(raw.bytes) as `0x02${string}`);
      const named = transaction['to_address'];
      const [first] = typeof named === 'string' ? named.split(',') : [];
      expect(to ?? undefined).toBe(first);
      expect(raw.to ?? undefined).toBe(first);
      if (String(named).includes(',')) several += 1;
      if (first === undefined) creations += 1;
      if (raw.type === '3') expect(first).toBeDefined();
    }
    expect(several).toBeGreaterThan(0);
    expect(creations).toBeGreaterThan(0);
  });

  it('carry blobs to somebody only: where a contract is created, there are none', () => {
    // Here one was drawn that would have.
    for (const { raw } of chain.executedAt(3_674).executed) {
      if (raw.to === null) expect(raw.type).toBe('2');
    }
    expect(chain.executedAt(3_674).executed.some(({ raw }) => raw.to === null)).toBe(true);
  });

  it('have signatures of the form that chains accept', () => {
    for (const { raw } of executed) {
      const isTyped = (raw.bytes[0] ?? 0) < 0x80;
      const items = fromRlp(hexOf(isTyped ? raw.bytes.subarray(1) : raw.bytes)) as Hex[];
      // Numbers have no leading zeros.
      for (const text of items.slice(-2)) expect(text.slice(2, 4)).not.toBe('00');
      expect(BigInt(hexOf(raw.r))).toBeGreaterThan(0n);
      expect(BigInt(hexOf(raw.s))).toBeGreaterThan(0n);
      expect(BigInt(hexOf(raw.s))).toBeLessThan(HALF_OF_N);
    }
    expect(new Set(executed.map(({ raw }) => raw.yParity))).toEqual(new Set([0, 1]));
  });
});

describe('the encoding', () => {
  it('is the one that others have, whatever is encoded', () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    const { tree } = fc.letrec<{ tree: RlpItem }>((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, bytes, fc.array(tie('tree'), { maxLength: 4 })),
    }));
    type Nested = Hex | Nested[];
    const nested = (item: RlpItem): Nested =>
      Array.isArray(item) ? item.map(nested) : hexOf(Buffer.from(item as Uint8Array));
    fc.assert(
      fc.property(tree, (item) => {
        const expected = toRlp(nested(item) as Hex);
        fc.pre(expected.length < 2 * 3_000);
        expect(hexOf(rlpEncoded(item))).toBe(expected);
      }),
    );
  });

  it('writes numbers without leading zeros, the same whatever their type', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        const digits = value === 0n ? '' : value.toString(16);
        const even = digits.length % 2 === 0 ? digits : `0${digits}`;
        expect(hexOf(rlpEncoded(value))).toBe(toRlp(`0x${even}`));
        if (value < 2n ** 53n) expect(rlpEncoded(Number(value))).toEqual(rlpEncoded(value));
      }),
    );
    expect(rlpEncoded([0, 1, 127, 128, 2 ** 53 - 1]).toString('hex')).toBe(
      'cd80017f8180871fffffffffffff',
    );
  });

  it('refuses what is too long for it', () => {
    expect(() => rlpEncoded(Buffer.alloc(5_000))).toThrow(RangeError);
    for (const item of [Buffer.alloc(100), 2n ** 200n, 5, []]) {
      expect(() => rlpEncoded(Array.from({ length: 5_000 }, () => item))).toThrow(RangeError);
    }
    expect(() =>
      rlpEncoded(
        Array.from({ length: 4_092 }, () => 5),
        2,
      ),
    ).not.toThrow();
    expect(() =>
      rlpEncoded(
        Array.from({ length: 4_093 }, () => 5),
        2,
      ),
    ).toThrow(RangeError);
  });
});
