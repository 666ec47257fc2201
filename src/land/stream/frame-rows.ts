import { createHash } from 'node:crypto';
import type { Cell } from '../../catalogue/column-kind.ts';
import { asList, isMapping, jsonIn, type Mapping } from '../../json-in.ts';
import { frameText } from './frame-message.ts';
import type { JournalGap, JournalRecord } from './journal-record.ts';
import { preconfirmedTransaction } from './raw-transaction.ts';

/** Rows of one record of the journal, by table. Each has one cell per column of its table. */
export type FrameRows = Readonly<Record<string, readonly (readonly Cell[])[]>>;

/** The stream so far. */
export interface StreamState {
  readonly network: string;
  newest: bigint | null;
  /** Heights of the latest payloads: an end message has none. */
  readonly ofPayload: Map<string, bigint>;
}

const REMEMBERED_PAYLOADS = 64;
const MOST_DECIMAL = 10n ** 38n;
const WORD_MAX = (1n << 64n) - 1n;
/** The view of gaps counts as far (sql/views/preconf_gaps.sql). */
const MOST_INDEX = 9_999n;
/** Beginning of an unreadable frame in the table of gaps. */
const SHOWN_CHARACTERS = 200;

/** The cells of members by name; null for a value that has no place in them. */
type Cells = Readonly<Record<string, (value: unknown) => Cell>>;

const sameCells = (names: string, cell: Cells[string]): Cells =>
  Object.fromEntries(names.split(' ').map((name) => [name, cell]));
const MESSAGE = {
  ...sameCells('payload_id', hex),
  ...sameCells('index target_index', word),
  ...sameCells('base diff metadata', ofMembers),
};
const BASE = {
  ...sameCells('parent_hash parent_beacon_block_root prev_randao fee_recipient', hex),
  gas_limit: word,
  timestamp: seconds,
  base_fee_per_gas: decimalText,
  extra_data: hex,
};
const DIFF = {
  ...sameCells('block_hash state_root receipts_root logs_bloom', hex),
  ...sameCells('gas_used blob_gas_used', word),
  withdrawals: json,
  withdrawals_root: hex,
};
const METADATA = { block_number: word, new_account_balances: ofBalances, receipts: ofMembers };
const RECEIPT = {
  ...sameCells('type logs', json),
  status: statusOf,
  ...sameCells('cumulativeGasUsed cumulative_gas_used', word),
};

/** The rows of a record. */
export async function frameRows(record: JournalRecord, stream: StreamState): Promise<FrameRows> {
  if (record.kind === 'stopped') return {};
  if (record.kind === 'gap') {
    const gap = JSON.parse(record.bytes.toString('utf8')) as JournalGap;
    return { preconf_gaps: [gapRow(record, stream, gap)] };
  }
  const text = frameText(record.bytes, record.kind === 'binary');
  const message = text === undefined ? undefined : members(jsonIn(text));
  const payload = message?.['payload_id'];
  if (message === undefined || typeof payload !== 'string' || payload === '' || isFar(message)) {
    const detail = (text ?? record.bytes.toString('hex')).slice(0, SHOWN_CHARACTERS);
    const gap = { fromMs: record.atMs, reason: 'unreadable', detail };
    return { preconf_gaps: [gapRow(record, stream, gap)] };
  }
  const digest = createHash('sha256')
    .update(text ?? '')
    .digest('hex');
  return messageRows({ ...record, digest }, message, payload.toLowerCase(), stream);
}

/** Whether an index or a height is beyond those of every chain: views count up to an index. */
function isFar({ index, target_index: target, base, metadata }: Mapping): boolean {
  const heights = [base, metadata].map((part) => word(members(part)?.['block_number']));
  return (
    [word(index), word(target)].some((value) => (value ?? 0n) > MOST_INDEX) ||
    heights.some((height) => (height ?? 0n) > BigInt(Number.MAX_SAFE_INTEGER))
  );
}

async function messageRows(
  { frame, atMs, digest }: Pick<JournalRecord, 'frame' | 'atMs'> & { readonly digest: string },
  message: Mapping,
  payload: string,
  stream: StreamState,
): Promise<FrameRows> {
  const parts = ['base', 'diff', 'metadata'].map((name) => members(message[name]));
  const [base, diff, metadata] = parts;
  const height =
    word(metadata?.['block_number']) ??
    word(base?.['block_number']) ??
    stream.ofPayload.get(payload) ??
    null;
  remember(stream, payload, height);
  const index = word(message['index']);
  const place = [payload, index, height, BigInt(frame), micros(atMs)];
  const raws = asList(diff?.['transactions']).filter((raw) => isHexBytes(raw));
  const transactions = await Promise.all(raws.map((raw) => preconfirmedTransaction(raw)));
  const receipts = Object.entries(members(metadata?.['receipts']) ?? {});
  const balances = Object.entries(members(metadata?.['new_account_balances']) ?? {});
  const ofHeight = (value: unknown): Cell => (word(value) === height ? true : null);
  const ofRaws = (value: unknown): Cell =>
    Array.isArray(value) && raws.length === value.length ? true : null;
  const extra = {
    ...without(message, MESSAGE),
    ...nested('base', without(base, { ...BASE, block_number: ofHeight })),
    ...nested('diff', without(diff, { ...DIFF, transactions: ofRaws })),
    ...nested('metadata', without(metadata, METADATA)),
  };
  const fragment: Cell[] = [
    ...place,
    stream.network,
    digest,
    diff === undefined && index === null,
    word(message['target_index']),
    base !== undefined,
    BigInt(raws.length),
    transactions.map(({ hash }) => hash),
    ...cellsOf(diff, DIFF),
    ...cellsOf(base, BASE),
    Object.keys(extra).length > 0 ? JSON.stringify(extra) : null,
  ];
  return {
    preconf_fragments: [fragment],
    preconf_transactions: transactions.map((transaction, position) => [
      ...place,
      BigInt(position),
      transaction.hash,
      transaction.type,
      transaction.from,
      transaction.to,
      fits(transaction.nonce),
      text(transaction.value),
      fits(transaction.gas),
      text(transaction.maxFee),
      text(transaction.maxPriorityFee),
      transaction.methodId,
      raws[position] ?? '',
      transaction.isDecoded,
    ]),
    preconf_receipts: receipts.map(([hash, receipt]) => [...place, ...receiptCells(hash, receipt)]),
    preconf_balances: balances.map(([address, balance]) => [
      ...place,
      address.toLowerCase(),
      ...balanceCells(balance),
    ]),
  };
}

/** `{ Legacy: { ... } }`, or a flat receipt with a type. */
function receiptCells(hash: string, value: unknown): Cell[] {
  const outer = members(value) ?? { value };
  const [name, ...others] = Object.keys(outer);
  const inner = others.length === 0 && name !== undefined ? members(outer[name]) : undefined;
  const receipt = inner ?? outer;
  const flat = receipt['type'];
  const logs = receipt['logs'];
  const rest = without(receipt, RECEIPT);
  return [
    hash.toLowerCase(),
    inner === undefined ? (flat === undefined ? null : String(flat)) : (name ?? null),
    statusOf(receipt['status']),
    word(receipt['cumulativeGasUsed'] ?? receipt['cumulative_gas_used']),
    Array.isArray(logs) ? BigInt(logs.length) : null,
    json(logs),
    Object.keys(rest).length > 0 ? JSON.stringify(rest) : null,
  ];
}

/** A status in hex, as a boolean or as a number. */
function statusOf(status: unknown): string | null {
  if (status === true || word(status) === 1n) return 'success';
  return status === false || word(status) === 0n ? 'fail' : null;
}

/** The exact balance in wei; as a number of the native token, wei are its 18 decimals. */
function balanceCells(balance: unknown): Cell[] {
  const wei = wholeNumber(balance);
  return [text(wei), wei !== null && wei < MOST_DECIMAL ? wei : null];
}

function gapRow({ frame, atMs }: JournalRecord, stream: StreamState, gap: JournalGap): Cell[] {
  const from = gap.fromMs === null ? null : micros(gap.fromMs);
  const to = micros(atMs);
  return [BigInt(frame), to, stream.newest, from, to, gap.reason, gap.detail];
}

function remember(stream: StreamState, payload: string, height: bigint | null): void {
  if (height === null) return;
  stream.newest = height;
  stream.ofPayload.delete(payload);
  stream.ofPayload.set(payload, height);
  const [oldest] = stream.ofPayload.keys();
  if (stream.ofPayload.size > REMEMBERED_PAYLOADS && oldest !== undefined) {
    stream.ofPayload.delete(oldest);
  }
}

function members(value: unknown): Mapping | undefined {
  return isMapping(value) ? value : undefined;
}

function isHexBytes(value: unknown): value is string {
  return typeof value === 'string' && /^0x([0-9a-fA-F]{2})+$/.test(value);
}

function cellsOf(value: Mapping | undefined, cells: Cells): Cell[] {
  return Object.entries(cells).map(([name, cell]) => cell(value?.[name]));
}

/** The members that have no cell, or a value that has no place in it. */
function without(value: Mapping = {}, cells: Cells): Mapping {
  return Object.fromEntries(
    Object.entries(value).filter(([name, inner]) => {
      const cell = Object.hasOwn(cells, name) ? cells[name] : undefined;
      return cell === undefined || (inner !== null && cell(inner) === null);
    }),
  );
}

/** True for an object. */
function ofMembers(value: unknown): Cell {
  return members(value) === undefined ? null : true;
}

function ofBalances(value: unknown): Cell {
  const balances = Object.values(members(value) ?? { value: null });
  return balances.every((balance) => wholeNumber(balance) !== null) ? true : null;
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function nested(name: string, value: Mapping): Mapping {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

/** A whole number of at most 64 bits without a sign, in hex or as a number; null for others. */
function word(value: unknown): bigint | null {
  return fits(wholeNumber(value));
}

function wholeNumber(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null;
  if (typeof value !== 'string' || !/^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value)) return null;
  return BigInt(value);
}

function fits(value: bigint | null): bigint | null {
  return value !== null && value >= 0n && value <= WORD_MAX ? value : null;
}

function text(value: bigint | null): string | null {
  return value === null ? null : String(value);
}

function decimalText(value: unknown): string | null {
  return text(wholeNumber(value));
}

function hex(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null;
}

function seconds(value: unknown): bigint | null {
  const whole = word(value);
  return whole !== null && whole < 1n << 40n ? whole * 1_000_000n : null;
}

function micros(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1000n;
}
