import fc from 'fast-check';
import { recoverTransactionAddress, serializeTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { preconfirmedTransaction } from '../../../../src/land/stream/raw-transaction.ts';

type Recovered = Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction'];

const ACCOUNT = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const FIELDS = { nonce: 1, gas: 21_000n, to: `0x${'22'.repeat(20)}`, value: 1n } as const;
const TYPES = [
  { ...FIELDS, gasPrice: 7n, type: 'legacy' },
  { ...FIELDS, gasPrice: 7n, type: 'legacy', chainId: 196 },
  { ...FIELDS, gasPrice: 7n, type: 'eip2930', chainId: 1 },
  { ...FIELDS, maxFeePerGas: 7n, type: 'eip1559', chainId: 1 },
] as const;

/** viem's answer, in JavaScript; null where it refuses the signature. */
function peer(raw: string): Promise<string | null> {
  return recoverTransactionAddress({ serializedTransaction: raw as Recovered }).then(
    (address) => address.toLowerCase(),
    () => null,
  );
}

it.each(TYPES)('gives the signer of a transaction: %o', async (fields) => {
  const raw = await ACCOUNT.signTransaction(fields);
  expect((await preconfirmedTransaction(raw)).from).toBe(ACCOUNT.address.toLowerCase());
});

it('recovers the senders that viem recovers, from signatures of any numbers', async () => {
  const edges = fc.constantFrom(0n, 1n, ORDER / 2n, ORDER - 1n, ORDER, 2n ** 256n - 1n);
  const number = fc.oneof(fc.bigInt(0n, ORDER), edges);
  const signed = fc.tuple(
    fc.constantFrom(...TYPES),
    number,
    number,
    fc.integer({ min: 0, max: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(signed, async ([fields, r, s, yParity]) => {
      const [left, right] = [r, s].map((half) => `0x${half.toString(16)}` as const);
      const signature = { r: left ?? '0x', s: right ?? '0x', yParity, v: BigInt(27 + yParity) };
      const raw = serializeTransaction(fields, signature);
      expect((await preconfirmedTransaction(raw)).from).toBe(await peer(raw));
    }),
    { seed: 45, numRuns: 300 },
  );
});
