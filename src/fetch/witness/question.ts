import { transactionsOf } from '../../catalogue/rpc/rpc-block.ts';
import { FORMS, hashOf } from '../../catalogue/rpc/rpc-form.ts';
import { asMapping, type Mapping } from '../../json-in.ts';
import type { RpcCall } from '../rpc/rpc-client.ts';

/** A call of a contract that Multicall3 can make, among others, at one height. */
export interface AggregatedCall {
  readonly target: string;
  readonly data: string;
  /** The height, in hex. */
  readonly tag: string;
}

/** A call to a node, and the value in its result; undefined for a result of another form. */
export interface NodeQuestion<T> {
  readonly call: RpcCall;
  read(result: unknown): T | undefined;
  /** The call of a contract that has the same result. */
  readonly part?: AggregatedCall;
}

export function question<T>(
  method: string,
  params: readonly unknown[],
  read: (result: unknown) => T | undefined,
): NodeQuestion<T> {
  return { call: { entry: { method }, params }, read };
}

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** A whole number in hex; undefined for anything else. */
export function wholeIn(value: unknown): bigint | undefined {
  const digits = FORMS.quantity.text(value);
  return digits === undefined ? undefined : BigInt(digits);
}

export function lowerText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

export function objectsIn(value: unknown): readonly Mapping[] | undefined {
  return Array.isArray(value) ? value.map(asMapping) : undefined;
}

export const chainId = question('eth_chainId', [], wholeIn);
export const clientVersion = question('web3_clientVersion', [], lowerText);
export const newestBlock = question('eth_blockNumber', [], wholeIn);

/** The hash of a block and those of its transactions; null for a block that is not there. */
export interface BlockHead {
  readonly hash: string;
  readonly timeMs: number;
  readonly hashes: readonly string[];
}

export function blockHead(height: number): NodeQuestion<BlockHead | null> {
  return question('eth_getBlockByNumber', [hex(height), false], (result) => {
    if (result === null) return null;
    const { hash: text, timestamp } = asMapping(result);
    const hash = lowerText(text);
    const timeMs = Number(wholeIn(timestamp) ?? 0n) * 1000;
    if (hash === undefined) return undefined;
    return { hash, timeMs, hashes: transactionsOf(result).map(hashOf) };
  });
}

/** The address of Multicall3 on the chains that have it. */
export const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';
const ETH_BALANCE = '0x4d2301cc';
export const WORD_DIGITS = 64;

export function abiWord(value: string | number | bigint): string {
  const digits = typeof value === 'string' ? value.slice(2) : value.toString(16);
  return digits.padStart(WORD_DIGITS, '0');
}

export function balanceAt(address: string, tag: string): NodeQuestion<bigint> {
  const part = { target: MULTICALL3, data: ETH_BALANCE + abiWord(address), tag };
  return { ...question('eth_getBalance', [address, tag], wholeIn), part };
}

/** Number of transactions of the address. */
export function sentAt(address: string, tag: string): NodeQuestion<bigint> {
  return question('eth_getTransactionCount', [address, tag], wholeIn);
}

export function codeAt(address: string, tag: string): NodeQuestion<string> {
  return question('eth_getCode', [address, tag], lowerText);
}

const BALANCE_OF = '0x70a08231';
const BALANCE_OF_ID = '0x00fdd58e';
const DECIMALS = '0x313ce567';

/** The data of a call of balanceOf; of token_1155 with the id. */
function balanceData(address: string, tokenId: string | null): string {
  if (tokenId === null) return BALANCE_OF + abiWord(address);
  return BALANCE_OF_ID + abiWord(address) + abiWord(BigInt(tokenId));
}

/** Before a contract is created, calls of it give nothing. `isMade` refuses that. */
export function tokenBalance(
  token: string,
  address: string,
  tokenId: string | null,
  tag: string,
  isMade = false,
): NodeQuestion<bigint> {
  const data = balanceData(address, tokenId);
  return contractCall({ target: token, data, tag }, (result) =>
    result === '0x' ? (isMade ? undefined : 0n) : firstWord(result),
  );
}

export function decimalsOf(token: string, tag: string): NodeQuestion<bigint> {
  return contractCall({ target: token, data: DECIMALS, tag }, firstWord);
}

function contractCall<T>(part: AggregatedCall, read: NodeQuestion<T>['read']): NodeQuestion<T> {
  const { target: to, data, tag } = part;
  return { ...question('eth_call', [{ to, data }, tag], read), part };
}

function firstWord(result: unknown): bigint | undefined {
  const digits = lowerText(result)?.slice(2, 2 + WORD_DIGITS) ?? '';
  return digits.length === WORD_DIGITS ? wholeIn(`0x${digits}`) : undefined;
}

/** The receipt of a transaction; null where the node has none. */
export interface Receipt {
  readonly hash: string;
  readonly height: number;
  readonly isSuccess: boolean;
  /** Fees of execution, of blobs and of layer 1 [wei]. */
  readonly fee: bigint;
  readonly gasUsed: bigint;
  readonly created: string | undefined;
}

export function receiptOf(hash: string): NodeQuestion<Receipt | null> {
  return question('eth_getTransactionReceipt', [hash], (result) =>
    result === null ? null : receiptIn(asMapping(result)),
  );
}

export function receiptsIn(height: number): NodeQuestion<readonly Receipt[]> {
  return question('eth_getBlockReceipts', [hex(height)], (result) => {
    const receipts = objectsIn(result)?.map(receiptIn);
    return receipts?.every((receipt) => receipt !== undefined) ? receipts : undefined;
  });
}

function receiptIn(receipt: Mapping): Receipt | undefined {
  const [hash, height] = [lowerText(receipt['transactionHash']), wholeIn(receipt['blockNumber'])];
  const [gasUsed, price] = [wholeIn(receipt['gasUsed']), wholeIn(receipt['effectiveGasPrice'])];
  if (hash === undefined || height === undefined || gasUsed === undefined) return undefined;
  const blobFee =
    (wholeIn(receipt['blobGasUsed']) ?? 0n) * (wholeIn(receipt['blobGasPrice']) ?? 0n);
  return {
    hash,
    height: Number(height),
    isSuccess: wholeIn(receipt['status']) !== 0n,
    fee: gasUsed * (price ?? 0n) + blobFee + (wholeIn(receipt['l1Fee']) ?? 0n),
    gasUsed,
    created: lowerText(receipt['contractAddress']),
  };
}
