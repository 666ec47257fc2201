import { type CapturedShape, type Column, type ColumnWord, column, columnsOf } from '../entry.ts';
import { entriesUnder } from '../entry-files.ts';
import { blockNumber } from '../vocabulary.ts';
import { FORMS } from './rpc-form.ts';
import type { RpcMethod } from './rpc-method.ts';
import { callArguments, callFunction, decoded, value, valueText } from './rpc-words.ts';

/** The methods of the public JSON-RPC endpoint, and the tables that their results land in. */

export const rpcMethods: readonly RpcMethod[] = await entriesUnder<RpcMethod>('rpc/methods');

/** The part of a table that its methods do not declare. */
interface ReadingsTable {
  readonly name: string;
  readonly summary: string;
  /** Columns that windrow fills in from its own inputs. */
  readonly words?: readonly ColumnWord[];
  /** Sort order of the rows of a file, after the height. */
  readonly sortedBy: readonly string[];
}

const READINGS_TABLES: readonly ReadingsTable[] = [
  {
    name: 'pending_blocks',
    summary: 'The pending block at every reading of the pending state, and once more when settled',
    sortedBy: ['read_at'],
  },
  {
    name: 'pending_balances',
    summary: 'Balances in the pending state, and in the settled block of its height',
    sortedBy: ['address', 'read_at'],
  },
  {
    name: 'pending_nonces',
    summary: 'Next nonces in the pending state, and in the settled block of its height',
    sortedBy: ['address', 'read_at'],
  },
  {
    name: 'pending_receipts',
    summary: 'Transactions and receipts of the pending block, and as they settled',
    sortedBy: ['tx_hash', 'read_at'],
  },
  {
    name: 'pending_calls',
    summary: 'Results of contract calls in the pending state, and in the settled block',
    words: [callFunction, callArguments, decoded, valueText, value],
    sortedBy: ['contract_address', 'call_data', 'read_at'],
  },
];

/** Columns of every reading: its time, its tag and the height of the pending block. */
const READING: readonly Column[] = [
  column('read_at', 'TIMESTAMPTZ', 'When the reading began [UTC]'),
  column('tag', 'VARCHAR', 'pending, or settled: of the same height once it was in the chain'),
  column(blockNumber.column, 'BIGINT', 'Height of the block that was pending'),
  column(
    'block_number_after',
    'BIGINT',
    'Height of the pending block at the end of the reading; another one: values may be of either',
  ),
];
const REST: readonly Column[] = [
  column('error', 'VARCHAR', 'The error in place of the result, or of the whole reading, as JSON'),
  column('extra', 'VARCHAR', 'Members without a column, and odd values, as JSON'),
];

/** The tables of readings of the pending state, with all of their columns. */
export const PENDING_TABLES: readonly CapturedShape[] = READINGS_TABLES.map(
  ({ words: _, ...table }) => {
    const columns = [...READING, ...wordsOfReadings(table.name).flatMap(columnsOf), ...REST];
    return { ...table, columns, heightColumn: blockNumber.column };
  },
);

/** The words of a table between the columns of every reading and the error. */
export function wordsOfReadings(table: string): readonly ColumnWord[] {
  const words = new Map<string, ColumnWord>();
  const filledIn = READINGS_TABLES.find(({ name }) => name === table)?.words ?? [];
  const methods = rpcMethods.filter((entry) => entry.table === table);
  const declared = methods.flatMap((entry) => [...paramWords(entry), ...entry.fields]);
  for (const word of [...declared, ...filledIn]) {
    if (!words.has(word.column)) words.set(word.column, word);
  }
  words.delete(blockNumber.column);
  return [...words.values()];
}

function paramWords({ params }: RpcMethod): ColumnWord[] {
  return params.flatMap((param) => {
    if (param.type === 'call') return [param.to, param.data];
    return param.type === 'address' || param.type === 'hash' ? [param.column] : [];
  });
}

/** A result by columns, and the members that have none or hold odd values. */
export interface DecodedResult {
  readonly texts: ReadonlyMap<string, string>;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Reads a result; null has no columns. */
export function decodeResult(entry: RpcMethod, result: unknown): DecodedResult {
  const members = entry.result === 'value' ? { '': result } : asObject(result);
  const texts = new Map<string, string>();
  const extra: Record<string, unknown> = {};
  for (const [wire, member] of Object.entries(members)) {
    if (member === null || member === undefined) continue;
    const fields = entry.fields.filter((field) => field.wire === wire);
    for (const { column: name, form, kind } of fields) {
      const read = FORMS[form].text(member);
      if (read !== undefined && kind.canonical(read) !== undefined) texts.set(name, read);
      else extra[wire === '' ? name : wire] = member;
    }
    if (fields.length === 0) extra[wire] = member;
  }
  return { texts, extra };
}

function asObject(result: unknown): Readonly<Record<string, unknown>> {
  if (result === null || result === undefined) return {};
  return typeof result === 'object' && !Array.isArray(result)
    ? (result as Readonly<Record<string, unknown>>)
    : { result };
}
