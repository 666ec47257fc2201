import type { Cell } from '../../catalogue/column-kind.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { decodeResult, wordsOfReadings } from '../../catalogue/rpc/rpc-catalogue.ts';
import type { RpcMethod } from '../../catalogue/rpc/rpc-method.ts';
import type { RpcReply } from '../../fetch/rpc/rpc-reply.ts';

/** One reading of the pending state, or of a height that was pending before. */
export interface StateReading {
  readonly readAtMs: number;
  readonly tag: 'pending' | 'settled';
  /** Height of the block at the beginning and at the end; undefined if it is not known. */
  readonly height: number | undefined;
  readonly after: number | undefined;
}

/** A call of a catalogue entry. */
interface EntryCall {
  readonly entry: RpcMethod;
  readonly params: readonly unknown[];
}

/** The calls that make one row. */
export interface RowQuestion {
  readonly table: string;
  readonly calls: readonly EntryCall[];
  /** Texts by column: of the parameters, and of other results that belong to the row. */
  readonly texts: ReadonlyMap<string, string>;
  /** Derives more columns from the texts of the results. */
  complete?(texts: Map<string, string>): void;
}

/** A row of a table of readings. */
export interface ReadingRow {
  readonly table: string;
  readonly cells: readonly Cell[];
}

/** The row of a question, from the replies to its calls. Errors are kept by their methods. */
export function rowOf(
  { table, calls, texts: entries, complete }: RowQuestion,
  replies: readonly RpcReply[],
  reading: StateReading,
): ReadingRow {
  const texts = new Map(entries);
  const errors: Record<string, unknown> = {};
  let extra: Readonly<Record<string, unknown>> = {};
  for (const [at, { entry }] of calls.entries()) {
    const reply = replies[at];
    if (reply === undefined) continue;
    if ('error' in reply) {
      errors[entry.method] = reply.error;
      continue;
    }
    const decoded = decodeResult(entry, reply.result);
    for (const [column, text] of decoded.texts) texts.set(column, text);
    extra = { ...extra, ...decoded.extra };
  }
  complete?.(texts);
  return { table, cells: cellsOf(table, texts, reading, errors, extra) };
}

/** The row of a reading that failed as a whole. */
export function failedRow(reason: string, reading: StateReading): ReadingRow {
  const table = 'pending_blocks';
  return { table, cells: cellsOf(table, new Map(), reading, { reading: reason }, {}) };
}

function cellsOf(
  table: string,
  texts: ReadonlyMap<string, string>,
  { readAtMs, tag, height, after }: StateReading,
  errors: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
): Cell[] {
  const cells = wordsOfReadings(table).flatMap((word): readonly Cell[] => {
    const text = texts.get(word.column);
    return (text && word.kind.decode(text)) || columnsOf(word).map(() => null);
  });
  return [
    BigInt(Math.trunc(readAtMs)) * 1000n,
    tag,
    height === undefined ? null : BigInt(height),
    after === undefined ? null : BigInt(after),
    ...cells,
    jsonOf(errors),
    jsonOf(extra),
  ];
}

function jsonOf(members: Readonly<Record<string, unknown>>): string | null {
  return Object.keys(members).length === 0 ? null : JSON.stringify(members);
}
