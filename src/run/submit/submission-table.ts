import type { Cell } from '../../catalogue/column-kind.ts';
import { type ColumnWord, columnsOf } from '../../catalogue/entry.ts';
import { wordsOfDataset } from '../../catalogue/index.ts';
import * as z from '../../catalogue/zone-vocabulary.ts';
import type { StoredTable } from '../../land/delta/stored-table.ts';
import type { Lake } from '../../land/lake.ts';
import { microsOf } from '../../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { readRows } from '../../land/storage/read-rows.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { SUBMISSION, type SubmissionBody } from './declaration.ts';

/**
 * - `sent`: recorded and then sent; without an answer if windrow was ended meanwhile;
 * - `accepted`: the service named a job, which has no result yet;
 * - `unknown`: it may have arrived, and no job is known;
 * - `succeeded`, `failed`: the result of the job, or a refusal.
 */
export type SubmissionState = 'sent' | 'accepted' | 'unknown' | 'succeeded' | 'failed';

/** A row of the table. */
export interface SubmittedRow {
  readonly id: string;
  readonly state: SubmissionState;
  readonly guid: string | undefined;
  readonly verdict: string | undefined;
  readonly reason: string;
  readonly address: string;
  readonly name: string;
  readonly sentMs: number;
  readonly changedMs: number;
  /** Cells by the columns of the table. */
  readonly cells: Readonly<Record<string, Cell>>;
}

/** A change of a row: its new state, and what came with it. */
export interface StateChange {
  readonly state: SubmissionState;
  readonly reason: string;
  readonly guid?: string;
  readonly verdict?: string;
}

const COLUMNS = tableColumns(SUBMISSION.dataset);
const ID = z.submissionId.column;
const DIGEST_DIGITS = 32;

/** The first part of the ids of all submissions with this digest. */
export function idStart(digest: string): string {
  return `${digest.slice(0, DIGEST_DIGITS)}-`;
}

/**
 * The submissions of a chain, in the table of their dataset. Each change of a row is a commit, so a
 * row with the state `sent` is durable before its request is sent: the table is the journal. Only
 * the holder of the lock of the data root changes rows.
 */
export class SubmissionTable {
  readonly #stored: StoredTable;
  readonly #run: string;
  readonly #rows: Map<string, SubmittedRow>;

  private constructor(stored: StoredTable, run: string, rows: readonly SubmittedRow[]) {
    this.#stored = stored;
    this.#run = run;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  /** Reads the submissions of a lake. */
  static async open({ table, run }: Pick<Lake, 'table' | 'run'>): Promise<SubmissionTable> {
    const { stored } = table(SUBMISSION.dataset);
    const cells = await readRows(stored.paths(await stored.snapshot()), COLUMNS);
    const rows = cells.map((row) => {
      return rowOf(Object.fromEntries(COLUMNS.map(({ name }, at) => [name, row[at] ?? null])));
    });
    return new SubmissionTable(stored, run, rows);
  }

  /** All submissions, oldest first. */
  get rows(): readonly SubmittedRow[] {
    return [...this.#rows.values()].sort((a, b) => a.sentMs - b.sentMs || (a.id < b.id ? -1 : 1));
  }

  /** Whether an equal submission was recorded. */
  has({ digest }: { readonly digest: string }): boolean {
    return this.rows.some(({ id }) => id.startsWith(idStart(digest)));
  }

  /** Commits a new row in the state `sent`, and returns it. */
  async begin(
    id: string,
    body: SubmissionBody,
    { asOfBlock, nowMs }: { readonly asOfBlock: number; readonly nowMs: number },
  ): Promise<SubmittedRow> {
    const micros = microsOf(nowMs);
    const cells: Record<string, Cell> = {};
    for (const word of wordsOfDataset(SUBMISSION.dataset)) {
      const param = SUBMISSION.params.find((param) => {
        return param.role === 'body' && param.column?.column === word.column;
      });
      const value = param && body[param.name];
      if (value === undefined) continue;
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      const decoded = word.kind.decode(text) ?? [];
      for (const [nth, { name }] of columnsOf(word).entries()) cells[name] = decoded[nth] ?? null;
    }
    const row = rowOf({
      ...cells,
      [ID]: id,
      [z.submissionState.column]: 'sent',
      [z.stateReason.column]: 'no answer was recorded',
      [z.sentTime.column]: micros,
      [z.changedTime.column]: micros,
      [z.asOfBlock.column]: BigInt(asOfBlock),
      _endpoint: SUBMISSION.path,
      _variant: '',
      _occurrence: 1n,
      _slice: id,
      _fetched_at: micros,
      _run: this.#run,
    });
    await this.#put(row);
    return row;
  }

  /** Commits a change of a row, and returns the new row. */
  async change(row: SubmittedRow, change: StateChange, nowMs: number): Promise<SubmittedRow> {
    const changed = rowOf({
      ...row.cells,
      [z.submissionState.column]: change.state,
      [z.stateReason.column]: change.reason,
      [z.verificationGuid.column]: change.guid ?? row.guid ?? null,
      [z.verdict.column]: change.verdict ?? row.verdict ?? null,
      [z.changedTime.column]: microsOf(nowMs),
    });
    await this.#put(changed);
    return changed;
  }

  /** Removes the row of a submission that never left this machine, or is to be forgotten. */
  async drop({ id }: Pick<SubmittedRow, 'id'>): Promise<void> {
    await this.#publish(id);
    this.#rows.delete(id);
  }

  async #put(row: SubmittedRow): Promise<void> {
    await this.#publish(row.id, row.cells);
    this.#rows.set(row.id, row);
  }

  /** Commits the row in place of the one with its id. */
  async #publish(id: string, cells?: SubmittedRow['cells']): Promise<void> {
    const row = cells && COLUMNS.map(({ name }) => cells[name] ?? null);
    const condition = `${identifier(ID)} = ${literal(id)}`;
    await this.#stored.publish('WINDROW SUBMISSION', (snapshot) => {
      return this.#stored.replaced(snapshot, () => condition, row && [row]);
    });
  }
}

function rowOf(cells: SubmittedRow['cells']): SubmittedRow {
  const cell = (word: ColumnWord): Cell => cells[columnsOf(word)[0]?.name ?? ''] ?? null;
  const text = (word: ColumnWord): string | undefined => {
    const value = cell(word);
    return value === null ? undefined : String(value);
  };
  const ms = (word: ColumnWord): number => Number(cell(word) ?? 0) / 1000;
  return {
    id: text(z.submissionId) ?? '',
    state: (text(z.submissionState) ?? 'unknown') as SubmissionState,
    guid: text(z.verificationGuid),
    verdict: text(z.verdict),
    reason: text(z.stateReason) ?? '',
    address: text(z.contractAddress) ?? '',
    name: text(z.contractName) ?? '',
    sentMs: ms(z.sentTime),
    changedMs: ms(z.changedTime),
    cells,
  };
}
