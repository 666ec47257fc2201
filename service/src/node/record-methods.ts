import { decimalOf } from '../../../src/catalogue/decimal.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { ethBlockByNumber } from '../../../src/catalogue/rpc/methods/eth-get-block-by-number.ts';
import { ethTransactionByHash } from '../../../src/catalogue/rpc/methods/eth-get-transaction-by-hash.ts';
import { ethTransactionReceipt } from '../../../src/catalogue/rpc/methods/eth-get-transaction-receipt.ts';
import { rpcMethods } from '../../../src/catalogue/rpc/rpc-catalogue.ts';
import { blockHash, txHash } from '../../../src/catalogue/vocabulary.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';
import type { Naming, Selection, Source } from '../protocol/source.ts';
import { RpcError, type RpcErrorKind } from './rpc-errors.ts';
import { hexQuantity } from './rpc-hex.ts';
import { answering, type BlockTag, type RpcAnswerer } from './rpc-params.ts';
import type { JsonObject } from './rpc-shapes.ts';

/**
 * JSON-RPC over records of the past: a lake, or NDJSON files. Results have the members that records
 * of the interface have; others, such as the logs of a receipt, are absent. A member that records
 * have, but that was not exported, is an error, and so is a method that needs the state of a node.
 */

const ethBlockByHash = {
  method: 'eth_getBlockByHash',
  params: [
    { name: 'hash', type: 'hash', required: true, meaning: 'the hash', column: blockHash },
    ethBlockByNumber.params[1],
  ],
} as const;

const IDENTITIES = [{ method: 'eth_chainId' }, { method: 'net_version' }];
/** More transactions than any block has. */
const MOST_TRANSACTIONS = 1_000_000;
const WEI_PLACES = 18;

/** The methods over a source without a node. */
export function recordMethods(source: Source): ReadonlyMap<string, RpcAnswerer> {
  const steady = <T>(work: (at: Source) => Promise<T>): Promise<T> => {
    source.requested?.();
    return source.steady === undefined ? work(source) : source.steady(work);
  };
  return new Map<string, RpcAnswerer>([
    ...refused(rpcMethods, 'method-not-found', 'the method needs a node: records have no state'),
    ...refused(IDENTITIES, 'unavailable', 'the records do not have the id of their chain'),
    ['eth_blockNumber', () => steady(async (at) => hexQuantity(headOf(at)))],
    answering(ethBlockByNumber, ([tag, full]) =>
      steady(async (at) => blockShape(at, await blockAt(at, heightOf(tag, at)), full)),
    ),
    answering(ethBlockByHash, ([hash, full]) =>
      steady(async (at) => blockShape(at, await named(at, 'blocks', blockHash.column, hash), full)),
    ),
    answering(ethTransactionByHash, ([hash]) =>
      steady(async (at) => transactionShape(await transactionOf(at, hash))),
    ),
    answering(ethTransactionReceipt, ([hash]) =>
      steady(async (at) => receiptShape(await transactionOf(at, hash))),
    ),
  ]);
}

function refused(
  methods: readonly { readonly method: string }[],
  kind: RpcErrorKind,
  message: string,
): (readonly [string, RpcAnswerer])[] {
  const refusal = (): never => {
    throw new RpcError(kind, message);
  };
  return methods.map(({ method }) => [method, refusal] as const);
}

function headOf(source: Source): number {
  const head = source.head('primary');
  if (head >= 0 && source.lacksBlocks?.('primary') !== true) return head;
  throw new RpcError('unavailable', 'no blocks were exported, so the newest one is unknown');
}

function heightOf(tag: BlockTag, source: Source): number {
  if (typeof tag === 'number') return tag;
  if (tag === 'earliest') return 0;
  if (tag === 'latest') return headOf(source);
  throw new RpcError('unavailable', `the records do not say which block is ${tag}`);
}

const ALL = { from: 0, to: Number.MAX_SAFE_INTEGER };

function selection(dataset: string, interval: Interval, filters: Naming[] = []) {
  return { dataset, interval, filters, bounds: [], oncePerKey: false };
}

/** The record, undefined if the chain has none. Throws if the records do not tell. */
async function only(source: Source, query: Selection): Promise<CanonicalRecord | undefined> {
  const record = await source.newest(query);
  if (record === undefined) await checkExported(source, query);
  return record;
}

async function checkExported(source: Source, query: Selection): Promise<void> {
  const lacking = await source.lacks?.(query, false);
  if (lacking !== undefined) throw new RpcError('unavailable', `${lacking} were not exported`);
}

function named(source: Source, dataset: string, column: string, value: string) {
  return only(source, selection(dataset, ALL, [{ columns: [column], values: [value] }]));
}

function transactionOf(source: Source, hash: string) {
  return named(source, 'transactions', txHash.column, hash);
}

/** Blocks above the head do not exist yet, as far as the records go. */
async function blockAt(source: Source, height: number): Promise<CanonicalRecord | undefined> {
  if (height < 0 || height > headOf(source)) return undefined;
  return only(source, selection('blocks', { from: height, to: height }));
}

async function blockShape(source: Source, record: CanonicalRecord | undefined, full: boolean) {
  if (record === undefined) return null;
  const { text, quantity, wei, optional } = reader(record, 'the block');
  const height = Number(text('block_number'));
  const interval = { from: height, to: height };
  const parents = selection('blocks', { from: height - 1, to: height - 1 });
  const parent = height === 0 ? undefined : await source.newest(parents);
  const transactions = selection('transactions', interval);
  await checkExported(source, transactions);
  const { records } = await source.find({ ...transactions, offset: 0, count: MOST_TRANSACTIONS });
  if (records.length !== Number(text('txn_count'))) {
    throw new RpcError('unavailable', `the transactions of block ${height} are not all exported`);
  }
  return {
    number: quantity('block_number'),
    hash: text('block_hash'),
    ...(parent === undefined ? {} : { parentHash: parent['block_hash'] }),
    timestamp: hexQuantity(BigInt(text('block_time')) / 1000n),
    size: quantity('block_size'),
    gasLimit: quantity('gas_limit'),
    gasUsed: quantity('gas_used'),
    ...optional('miner', 'miner', text),
    ...optional('difficulty', 'difficulty', quantity),
    ...optional('baseFeePerGas', 'base_fee_per_gas', wei),
    transactions: records
      .toReversed()
      .map((row) => (full ? transactionShape(row) : (row[txHash.column] ?? null))),
  };
}

function transactionShape(record: CanonicalRecord | undefined): JsonObject | null {
  if (record === undefined) return null;
  const { text, quantity, wei, value } = reader(record, 'the transaction');
  return {
    hash: text('tx_hash'),
    blockHash: text('block_hash'),
    blockNumber: quantity('block_number'),
    from: text('from_address'),
    to: value('to_address'),
    value: wei('amount'),
    nonce: quantity('nonce'),
    gas: quantity('gas_limit'),
    gasPrice: quantity('gas_price'),
    type: quantity('tx_type'),
  };
}

const STATUSES: ReadonlyMap<string, string> = new Map([
  ['success', '0x1'],
  ['fail', '0x0'],
]);

function receiptShape(record: CanonicalRecord | undefined): JsonObject | null {
  if (record === undefined) return null;
  const { text, quantity, value } = reader(record, 'the transaction');
  const status = STATUSES.get(text('tx_status'));
  if (status === undefined) throw new RpcError('unavailable', 'the transaction is pending');
  return {
    transactionHash: text('tx_hash'),
    blockHash: text('block_hash'),
    blockNumber: quantity('block_number'),
    from: text('from_address'),
    to: value('to_address'),
    status,
    gasUsed: quantity('gas_used'),
    effectiveGasPrice: quantity('gas_price'),
    type: quantity('tx_type'),
  };
}

/** Reads the columns of a record. Throws an RpcError for a column without the wanted value. */
function reader(record: CanonicalRecord, owner: string) {
  const lacking = (column: string): RpcError =>
    new RpcError('unavailable', `${column} of ${owner} was not exported`);
  /** A value, or null where the chain has none. */
  const value = (column: string) => {
    const cell = record[column];
    if (cell === undefined) throw lacking(column);
    return cell;
  };
  const text = (column: string): string => {
    const cell = value(column);
    if (typeof cell !== 'string') throw lacking(column);
    return cell;
  };
  const scaled = (column: string, places: number): string => {
    const decimal = decimalOf(text(column));
    if (decimal === undefined || decimal.scale > places || decimal.digits < 0n) {
      throw new RpcError('unavailable', `${column} of ${owner} is not a whole number`);
    }
    return hexQuantity(decimal.digits * 10n ** BigInt(places - decimal.scale));
  };
  const quantity = (column: string): string => scaled(column, 0);
  const wei = (column: string): string => scaled(column, WEI_PLACES);
  /** The member, if the records of the block have it: lists of blocks lack some. */
  const optional = (member: string, column: string, read: (column: string) => string) =>
    typeof record[column] === 'string' ? { [member]: read(column) } : {};
  return { value, text, quantity, wei, optional };
}
