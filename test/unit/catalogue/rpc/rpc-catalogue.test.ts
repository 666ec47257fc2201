import { describe, expect, it } from 'vitest';
import {
  decodeResult,
  PENDING_TABLES,
  rpcMethods,
} from '../../../../src/catalogue/rpc/rpc-catalogue.ts';

/** Goal: results of JSON-RPC, typed here by hand, become the texts that columns are read from. */

const decoded = (method: string, result: unknown) => {
  const entry = rpcMethods.find((candidate) => candidate.method === method);
  if (entry === undefined) throw new Error(method);
  const { texts, extra } = decodeResult(entry, result);
  return { ...Object.fromEntries(texts), extra };
};
const HASHES = [1, 2].map((nth) => `0x${`0${nth}`.repeat(32)}`);

describe('the methods of JSON-RPC', () => {
  it('are the seven of the interface, each in a table with columns of its own', () => {
    expect(rpcMethods.map(({ method }) => method)).toEqual([
      'eth_call',
      'eth_estimateGas',
      'eth_getBalance',
      'eth_getBlockByNumber',
      'eth_getTransactionByHash',
      'eth_getTransactionCount',
      'eth_getTransactionReceipt',
    ]);
    for (const { name, columns } of PENDING_TABLES) {
      const names = columns.map((column) => column.name);
      expect(new Set(names).size, name).toBe(names.length);
      expect(rpcMethods.some(({ table }) => table === name)).toBe(true);
    }
  });

  it('state numbers of any size exactly', () => {
    expect(decoded('eth_getBalance', `0x${'f'.repeat(64)}`)).toEqual({
      balance_raw: String(2n ** 256n - 1n),
      balance: '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
      extra: {},
    });
    expect(decoded('eth_getBalance', '0x0')).toEqual({ balance_raw: '0', balance: '0', extra: {} });
    expect(decoded('eth_getTransactionCount', '0xffffffffffffffff')).toEqual({
      next_nonce: '18446744073709551615',
      extra: {},
    });
  });

  it('list transactions as hashes or whole, and keep members that have no column', () => {
    const block = { number: '0x10', hash: null, timestamp: '0x5', odd: [1], gasUsed: 'many' };
    const rest = { block_number: '16', block_time: '5000', txn_count: '2' };
    const hashes = { ...rest, tx_hashes: HASHES.join(), extra: { odd: [1], gasUsed: 'many' } };
    const whole = HASHES.map((hash) => ({ hash, value: '0x1' }));
    for (const transactions of [HASHES, whole]) {
      expect(decoded('eth_getBlockByNumber', { ...block, transactions })).toEqual(hashes);
    }
  });

  it('have no columns where the result is null', () => {
    expect(decoded('eth_getTransactionReceipt', null)).toEqual({ extra: {} });
    expect(decoded('eth_getTransactionReceipt', { status: '0x0', logs: [] })).toEqual({
      tx_status: 'fail',
      log_count: '0',
      logs: '[]',
      extra: {},
    });
  });
});
