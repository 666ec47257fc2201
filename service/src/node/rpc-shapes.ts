import {
  BLOB_GAS,
  BLOB_GAS_PRICE_WEI,
  keccakHex,
  MAX_BLOB_FEE_WEI,
  SIMULATED_CHAIN_ID,
} from '../simulated/chain.ts';
import { type NodeTransaction, placeholderRoot, totalsOf } from './rpc-blocks.ts';
import { hexBytes, hexQuantity } from './rpc-hex.ts';
import { bloomOf, type Log } from './rpc-logs.ts';
import type { SeenBlock } from './rpc-state.ts';

/** Blocks, transactions and receipts in the form of node replies. */

export type JsonObject = Readonly<Record<string, unknown>>;
export type LogShape = Log & JsonObject;

/** keccak256 of the empty list: a block without ommers. */
const NO_OMMERS = keccakHex(Uint8Array.of(0xc0));
/** Root of an empty trie. */
export const EMPTY_ROOT = keccakHex(Uint8Array.of(0x80));
export const EXTRA_DATA = hexBytes(Buffer.from('windrow'));
const BLOCK_NONCE = '0x0000000000000000';
const ADDRESS_DIGITS = 42;

/** A pending block has neither hash nor nonce nor bloom yet. */
export function blockShape(seen: SeenBlock, full: boolean): JsonObject {
  const { block, transactions, isPending } = seen;
  const { gasUsed, blobGasUsed, logsBloom } = totalsOf(transactions);
  return {
    number: hexQuantity(block.height),
    hash: isPending ? null : block.hash,
    parentHash: block.parentHash,
    nonce: isPending ? null : BLOCK_NONCE,
    mixHash: placeholderRoot('mix', block.hash),
    sha3Uncles: NO_OMMERS,
    logsBloom: isPending ? null : logsBloom,
    transactionsRoot: block.transactionsRoot,
    stateRoot: placeholderRoot('state', block.hash),
    receiptsRoot: placeholderRoot('receipts', block.hash),
    miner: block.miner,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: EXTRA_DATA,
    size: hexQuantity(block.sizeBytes),
    gasLimit: hexQuantity(block.gasLimit),
    gasUsed: hexQuantity(gasUsed),
    timestamp: hexQuantity(block.timeSeconds),
    baseFeePerGas: hexQuantity(block.baseFeeWei),
    blobGasUsed: hexQuantity(blobGasUsed),
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: placeholderRoot('beacon', block.hash),
    uncles: [],
    withdrawals: [],
    withdrawalsRoot: EMPTY_ROOT,
    transactions: transactions.map((transaction) =>
      full ? transactionShape(seen, transaction) : transaction.executed.raw.hash,
    ),
  };
}

/** The hash of a pending block is not known yet. */
export function transactionShape(
  { block, isPending }: SeenBlock,
  { executed, index }: NodeTransaction,
): JsonObject {
  const { raw, transaction } = executed;
  const { type, yParity } = raw;
  const legacyV = 35 + 2 * SIMULATED_CHAIN_ID + yParity;
  return {
    blockHash: isPending ? null : block.hash,
    blockNumber: hexQuantity(block.height),
    transactionIndex: hexQuantity(index),
    hash: raw.hash,
    type: `0x${type}`,
    chainId: hexQuantity(SIMULATED_CHAIN_ID),
    from: executed.sender,
    to: raw.to,
    nonce: hexQuantity(Number(transaction['nonce'])),
    value: hexQuantity(raw.wei),
    gas: hexQuantity(Number(transaction['gas_limit'])),
    gasPrice: hexQuantity(BigInt(String(transaction['gas_price']))),
    input: hexBytes(raw.input),
    r: hexQuantity(BigInt(hexBytes(raw.r))),
    s: hexQuantity(BigInt(hexBytes(raw.s))),
    ...(type === '0'
      ? { v: hexQuantity(legacyV) }
      : { v: hexQuantity(yParity), yParity: hexQuantity(yParity), accessList: [] }),
    ...(type === '2' || type === '3'
      ? { maxFeePerGas: hexQuantity(raw.maxFeeWei), maxPriorityFeePerGas: hexQuantity(raw.tipWei) }
      : {}),
    ...(type === '3'
      ? {
          maxFeePerBlobGas: hexQuantity(MAX_BLOB_FEE_WEI),
          blobVersionedHashes: raw.blobHashes.map(hexBytes),
        }
      : {}),
  };
}

/** The receipt of a pending transaction has the block hash of the newest fragment. */
export function receiptShape(seen: SeenBlock, entry: NodeTransaction): JsonObject {
  const { executed, logs, cumulativeGas } = entry;
  const { raw, transaction, failed } = executed;
  return {
    ...placeShape(seen, entry),
    type: `0x${raw.type}`,
    status: failed ? '0x0' : '0x1',
    from: executed.sender,
    to: raw.to,
    contractAddress: raw.to === null ? createdBy(executed.internal[0]?.from) : null,
    gasUsed: hexQuantity(executed.gasUsed),
    cumulativeGasUsed: hexQuantity(cumulativeGas),
    effectiveGasPrice: hexQuantity(BigInt(String(transaction['gas_price']))),
    logs: logShapes(seen, entry),
    logsBloom: bloomOf(logs),
    ...(raw.type === '3'
      ? { blobGasUsed: hexQuantity(BLOB_GAS), blobGasPrice: hexQuantity(BLOB_GAS_PRICE_WEI) }
      : {}),
  };
}

function placeShape({ block, blockHash }: SeenBlock, { executed, index }: NodeTransaction) {
  return {
    blockHash,
    blockNumber: hexQuantity(block.height),
    transactionHash: executed.raw.hash,
    transactionIndex: hexQuantity(index),
  };
}

/** The events of a transaction. */
export function logShapes(seen: SeenBlock, transaction: NodeTransaction): LogShape[] {
  const place = placeShape(seen, transaction);
  return transaction.logs.map((log, nth) => ({
    ...log,
    ...place,
    logIndex: hexQuantity(transaction.firstLog + nth),
    removed: false,
  }));
}

/** The calls of a transaction as the tracer of nodes named callTracer has them. */
export function traceShape({ executed }: NodeTransaction): JsonObject {
  const { raw, transaction, failed, gasUsed, sender, internal } = executed;
  const error = failed ? { error: 'execution reverted' } : {};
  const calls = internal.map(({ record, from, to, movedWei }) => ({
    type: String(record['operation']).toUpperCase(),
    from: from.slice(0, ADDRESS_DIGITS),
    to: to.slice(0, ADDRESS_DIGITS),
    value: hexQuantity(movedWei),
  }));
  return {
    txHash: raw.hash,
    result: {
      type: raw.to === null ? 'CREATE' : 'CALL',
      from: sender,
      to: raw.to ?? createdBy(internal[0]?.from),
      value: hexQuantity(raw.wei),
      gas: hexQuantity(Number(transaction['gas_limit'])),
      gasUsed: hexQuantity(gasUsed),
      input: hexBytes(raw.input),
      ...error,
      calls,
    },
  };
}

/** A new contract makes the calls of its creation; a call may have a second sender behind it. */
function createdBy(caller: string | undefined): string | null {
  return caller?.slice(0, ADDRESS_DIGITS) ?? null;
}
