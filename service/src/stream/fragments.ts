import type { NodeBlock, NodeTransaction } from '../node/rpc-blocks.ts';
import { placeholderRoot, totalsOf } from '../node/rpc-blocks.ts';
import { hexBytes, hexQuantity } from '../node/rpc-hex.ts';
import { EMPTY_ROOT, EXTRA_DATA, type JsonObject } from '../node/rpc-shapes.ts';
import { keccakHex, settle } from '../simulated/chain.ts';
import type { FullStreamSettings } from './stream-settings.ts';

/** A part of a block, sent before the block is complete. */
export interface Fragment {
  readonly index: number;
  readonly payloadId: string;
  /** The message of the interface's Events part. */
  readonly message: JsonObject;
  /** Number of the block's transactions up to and including this fragment. */
  readonly count: number;
  /** The hash of the partial block so far; in the last fragment, that of the block. */
  readonly blockHash: string;
}

/** The balance of an address before the block, in wei; undefined if it has not been counted. */
export type BalanceBefore = (address: string) => bigint | undefined;

const LEAST_FRAGMENTS = 3;
const MOST_FRAGMENTS = 11;
const PAYLOAD_ID_DIGITS = 18;
const ZERO_HASH = `0x${'0'.repeat(64)}`;
/** The names of receipts by the type of their transaction. */
const RECEIPT_NAMES = { 0: 'Legacy', 1: 'Eip2930', 2: 'Eip1559', 3: 'Eip4844' } as const;

/**
 * The 3 to 11 fragments of a block, with its transactions in order; some fragments have none. The
 * division depends on the block and on `payload`: 0 for its first payload, then 1.
 */
export function fragmentsOf(
  block: NodeBlock,
  payload: number,
  balanceBefore: BalanceBefore,
  settings: FullStreamSettings,
): Fragment[] {
  const digest = Buffer.from(keccakHex(Buffer.from(`${payload} ${block.hash}`)).slice(2), 'hex');
  const payloadId = hexBytes(digest).slice(0, PAYLOAD_ID_DIGITS);
  const fragments = LEAST_FRAGMENTS + ((digest[8] ?? 0) % (MOST_FRAGMENTS - LEAST_FRAGMENTS + 1));
  const balances = runningBalances(balanceBefore);
  const all = block.transactions.length;
  const lastOf = (index: number): number => Math.floor(((index + 1) * all) / fragments);
  return Array.from({ length: fragments }, (_, index) => {
    const count = lastOf(index);
    const transactions = block.transactions.slice(index === 0 ? 0 : lastOf(index - 1), count);
    const isLast = index === fragments - 1;
    const blockHash = isLast ? block.hash : placeholderRoot(`${payload} ${index}`, block.hash);
    const base = index === 0 ? baseOf(block) : settings.nullBase ? null : undefined;
    const message = {
      payload_id: payloadId,
      index,
      ...(base === undefined ? {} : { base }),
      diff: diffOf(block, transactions, count, blockHash),
      metadata: {
        block_number: block.height,
        new_account_balances: balances(transactions),
        receipts: Object.fromEntries(transactions.map(receiptOf)),
      },
      ...(settings.targetIndex ? { target_index: fragments - 1 } : {}),
    };
    return { index, payloadId, message, count, blockHash };
  });
}

function baseOf(block: NodeBlock): JsonObject {
  return {
    parent_beacon_block_root: placeholderRoot('beacon', block.hash),
    parent_hash: block.parentHash,
    fee_recipient: block.miner,
    prev_randao: placeholderRoot('mix', block.hash),
    block_number: hexQuantity(block.height),
    gas_limit: hexQuantity(block.gasLimit),
    timestamp: hexQuantity(block.timeSeconds),
    extra_data: EXTRA_DATA,
    base_fee_per_gas: hexQuantity(block.baseFeeWei),
  };
}

/**
 * Contains this fragment's transactions alone; gas, bloom, hash and roots cover the partial block
 * so far.
 */
function diffOf(
  block: NodeBlock,
  transactions: readonly NodeTransaction[],
  count: number,
  blockHash: string,
): JsonObject {
  const { gasUsed, blobGasUsed, logsBloom } = totalsOf(block.transactions.slice(0, count));
  return {
    // Computing it for every fragment would be too slow.
    state_root: ZERO_HASH,
    receipts_root: placeholderRoot('receipts', blockHash),
    logs_bloom: logsBloom,
    gas_used: hexQuantity(gasUsed),
    blob_gas_used: hexQuantity(blobGasUsed),
    block_hash: blockHash,
    transactions: transactions.map(({ executed }) => hexBytes(executed.raw.bytes)),
    withdrawals: [],
    withdrawals_root: EMPTY_ROOT,
  };
}

function receiptOf({ executed, logs, cumulativeGas }: NodeTransaction): [string, JsonObject] {
  const { raw, failed } = executed;
  const receipt = {
    cumulativeGasUsed: hexQuantity(cumulativeGas),
    logs,
    status: failed ? '0x0' : '0x1',
  };
  return [raw.hash, { [RECEIPT_NAMES[raw.type]]: receipt }];
}

/** The balances that transactions change, fragment after fragment of one block. */
function runningBalances(before: BalanceBefore) {
  const native = new Map<string, bigint>();
  return (transactions: readonly NodeTransaction[]): Readonly<Record<string, string>> => {
    const moved = { native: new Map<string, bigint>(), tokens: new Map<string, bigint>() };
    for (const { executed } of transactions) settle(moved, executed);
    const changed: Record<string, string> = {};
    for (const [address, wei] of moved.native) {
      const balance = native.get(address) ?? before(address);
      if (balance === undefined) continue;
      native.set(address, balance + wei);
      changed[address] = hexQuantity(balance + wei);
    }
    return changed;
  };
}
