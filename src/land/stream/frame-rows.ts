import { createHash } from 'node:crypto';
import type { Cell } from '../../catalogue/column-kind.ts';
import { jsonIn } from '../../json-in.ts';
import { frameText } from './frame-message.ts';
import type { JournalGap, JournalRecord } from './journal-record.ts';
import { preconfirmedTransaction } from './raw-transaction.ts';

/** Rows of one record of the journal, by table. Each has one cell per column of its table. */
export type FrameRows = Readonly<Partial<Record<StreamTable, readonly (readonly Cell[])[]>>>;

type StreamTable =
  | 'preconf_fragments'
  | 'preconf_transactions'
  | 'preconf_receipts'
  | 'preconf_balances'
  | 'preconf_gaps';

/** The stream so far. */
export interface StreamState {
  readonly network: string;
  newest: bigint | null;
  /** Heights of the latest payloads: an end message has none. */
  readonly ofPayload: Map<string, bigint>;
}

const REMEMBERED_PAYLOADS = 64;
const MESSAGE = ['payload_id', 'index', 'base', 'diff', 'metadata', 'target_index'];
const BASE = [
  'base_fee_per_gas',
  'block_number',
  'extra_data',
  'fee_recipient',
  'gas_limit',
  'parent_beacon_block_root',
  'parent_hash',
  'prev_randao',
  'timestamp',
];
const DIFF = [
  'blob_gas_used',
  'block_hash',
  'gas_used',
  'logs_bloom',
  'receipts_root',
  'state_root',
  'transactions',
  'withdrawals',
  'withdrawals_root',
];
const METADATA = ['block_number', 'new_account_balances', 'receipts'];
const RECEIPT = ['cumulativeGasUsed', 'logs', 'status', 'type'];
const MOST_DECIMAL = 10n ** 38n;
const WORD_MAX = (1n << 64n) - 1n;
/** The view of gaps counts as far (sql/views/preconf_gaps.sql). */
const MOST_INDEX = 9_999n;
/** Beginning of an unreadable frame in the table of gaps. */
const SHOWN_CHARACTERS = 200;

type Members = Readonly<Record<string, unknown>>;

/** The rows of a record. */
export async function frameRows(record: JournalRecord, stream: StreamState): Promise<FrameRows> {
  if (record.kind === 'stopped') return {};
  if (record.kind === 'gap') return { preconf_gaps: [gapRow(record, stream, gapIn(record))] };
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
function isFar({ index, target_index: target, base, metadata }: Members): boolean {
  const heights = [base, metadata].map((part) => word(members(part)?.['block_number']));
  return (
    [word(index), word(target)].some((value) => (value ?? 0n) > MOST_INDEX) ||
    heights.some((height) => (height ?? 0n) > BigInt(Number.MAX_SAFE_INTEGER))
  );
}

async function messageRows(
  { frame, atMs, digest }: Pick<JournalRecord, 'frame' | 'atMs'> & { readonly digest: string },
  message: Members,
  payload: string,
  stream: StreamState,
): Promise<FrameRows> {
  const { base, diff, metadata } = {
    base: members(message['base']),
    diff: members(message['diff']),
    metadata: members(message['metadata']),
  };
  const height =
    word(metadata?.['block_number']) ??
    word(base?.['block_number']) ??
    stream.ofPayload.get(payload) ??
    null;
  remember(stream, payload, height);
  const index = word(message['index']);
  const place = [payload, index, height, BigInt(frame), micros(atMs)];
  const raws = list(diff?.['transactions']).filter((raw) => isHexBytes(raw));
  const transactions = await Promise.all(raws.map((raw) => preconfirmedTransaction(raw)));
  const receipts = Object.entries(members(metadata?.['receipts']) ?? {});
  const balances = Object.entries(members(metadata?.['new_account_balances']) ?? {});
  const odd = list(diff?.['transactions']).filter((raw) => !isHexBytes(raw));
  const extra = {
    ...without(message, MESSAGE),
    ...nested('base', without(base ?? {}, BASE)),
    ...nested('diff', without(diff ?? {}, DIFF)),
    ...nested('metadata', without(metadata ?? {}, METADATA)),
    ...(odd.length > 0 ? { transactions: odd } : {}),
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
    ...['block_hash', 'state_root', 'receipts_root', 'logs_bloom'].map((name) => hex(diff?.[name])),
    word(diff?.['gas_used']),
    word(diff?.['blob_gas_used']),
    diff?.['withdrawals'] === undefined ? null : JSON.stringify(diff['withdrawals']),
    hex(diff?.['withdrawals_root']),
    ...['parent_hash', 'parent_beacon_block_root', 'prev_randao', 'fee_recipient'].map((name) =>
      hex(base?.[name]),
    ),
    word(base?.['gas_limit']),
    seconds(base?.['timestamp']),
    decimalText(base?.['base_fee_per_gas']),
    hex(base?.['extra_data']),
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
  const outer = members(value) ?? {};
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
    logs === undefined ? null : JSON.stringify(logs),
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

/** Gap records are written by windrow, and their digest was compared. */
function gapIn({ bytes }: JournalRecord): JournalGap {
  return JSON.parse(bytes.toString('utf8')) as JournalGap;
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

function members(value: unknown): Members | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Members) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isHexBytes(value: unknown): value is string {
  return typeof value === 'string' && /^0x([0-9a-fA-F]{2})+$/.test(value);
}

function without(value: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function nested(name: string, value: Members): Members {
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
