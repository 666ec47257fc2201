import { blockHeightOf, transactionsOf } from '../../catalogue/rpc/rpc-block.ts';
import { hashOf } from '../../catalogue/rpc/rpc-form.ts';
import { type Effects, pause } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import type { RpcClient } from '../../fetch/rpc/rpc-client.ts';
import type { RpcReply } from '../../fetch/rpc/rpc-reply.ts';
import type { Lake } from '../../land/lake.ts';
import { scanSql } from '../../land/storage/scan.ts';
import { withScratch } from '../../land/storage/scratch.ts';
import { rowsAs } from '../../load/query/query.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Capture, CaptureCounts } from '../capture/capture.ts';
import {
  blockQuestion,
  questionsAt,
  type ReadSubjects,
  receiptQuestion,
  settledQuestion,
} from './questions.ts';
import {
  failedRow,
  type ReadingRow,
  type RowQuestion,
  rowOf,
  type StateReading,
} from './reading.ts';

export interface PendingCaptureOptions extends ReadSubjects {
  readonly rpc: RpcClient;
  readonly everyMs: number;
  readonly lake: Pick<Lake, 'captured'>;
  readonly commit: Pipeline['commit'];
  readonly effects: Effects;
}

/** A height that was pending: the hashes of its transactions, each with or without a receipt. */
interface OpenHeight {
  readonly hashes: Map<string, boolean>;
  /** Readings in vain of the settled block. */
  attempts: number;
}

interface LandedHeight {
  readonly height: number;
  readonly hashes: readonly string[];
}

/** Heights that wait for their settled values; the oldest ones are left beyond this. */
const MOST_OPEN = 64;
/** Readings that ask for a settled block, because a replica may lag. */
const MOST_ATTEMPTS = 5;

/**
 * Reads the pending state over and over. A reading begins and ends with the pending block, because
 * the head may move while it is under way. Each height that was pending is read once more when it
 * is in the chain, by a later run if this one ends before. Failed readings are rows with an error.
 */
export class PendingCapture implements Capture {
  readonly name = 'pending';
  readonly #options: PendingCaptureOptions;
  readonly #open = new Map<number, OpenHeight>();
  #isResumed = false;
  #rows: ReadingRow[] = [];
  #waitingSinceMs = 0;
  #readings = 0;
  #landed = 0;
  #gaps = 0;
  #isFailing = false;

  constructor(options: PendingCaptureOptions) {
    this.#options = options;
  }

  async capture(stop: AbortSignal, extent: 'once' | 'until stopped'): Promise<void> {
    const { effects, everyMs, commit, lake } = this.#options;
    if (!this.#isResumed) {
      for (const { height, hashes } of await openHeights(lake, MOST_OPEN)) {
        const state = { hashes: new Map(hashes.map((hash) => [hash, false])), attempts: 0 };
        this.#open.set(height, state);
      }
      this.#isResumed = true;
    }
    while (!stop.aborted) {
      const startedMs = effects.now();
      const isLimited = await this.#attempt(startedMs, stop);
      if (isLimited || extent === 'once') return;
      // The clock may have been set back.
      const waitedMs = Math.abs(effects.now() - this.#waitingSinceMs);
      const isDue = waitedMs >= commit.seconds * 1000;
      if (this.#rows.length >= commit.rows || isDue) await this.land();
      const leftMs = startedMs + everyMs - effects.now();
      if (leftMs < 0) this.#gaps += 1;
      await pause(effects, Math.min(everyMs, leftMs), stop);
    }
  }

  async land(): Promise<CaptureCounts> {
    const rows = this.#rows;
    this.#rows = [];
    for (const [name, table] of this.#options.lake.captured) {
      const added = rows.filter((row) => row.table === name).map(({ cells }) => cells);
      await table.add(added);
      this.#landed += added.length;
    }
    const { name } = this;
    return { name, readings: this.#readings, rows: this.#landed, gaps: this.#gaps };
  }

  /** True if the limits of the run allow no more requests. */
  async #attempt(readAtMs: number, stop: AbortSignal): Promise<boolean> {
    try {
      this.#keep(await this.#read(readAtMs, stop));
      this.#readings += 1;
      this.#isFailing = false;
    } catch (error) {
      if (stop.aborted) return false;
      if (!(error instanceof Fault)) throw error;
      if (error.kind === 'limited') return true;
      const level = this.#isFailing ? 'debug' : 'warn';
      this.#options.effects.log(level, `The pending state was not read: ${error.message}`);
      this.#isFailing = true;
      this.#gaps += 1;
      const reading = { readAtMs, tag: 'pending', height: undefined, after: undefined } as const;
      this.#keep([failedRow(error.message, reading)]);
    }
    return false;
  }

  #keep(rows: readonly ReadingRow[]): void {
    if (this.#rows.length === 0) this.#waitingSinceMs = this.#options.effects.now();
    this.#rows.push(...rows);
  }

  /** The rows of one reading, and of the heights that have settled since the last one. */
  async #read(readAtMs: number, stop: AbortSignal): Promise<ReadingRow[]> {
    const end = blockQuestion('pending');
    const questions = [blockQuestion('pending'), ...questionsAt('pending', this.#options), end];
    const replies = await this.#ask(questions, stop);
    if (this.#readings === 0) this.#checkFirst(replies);
    const block = resultOf(replies[0]);
    const height = blockHeightOf(block);
    const after = blockHeightOf(resultOf(replies.at(-1)));
    const reading: StateReading = { readAtMs, tag: 'pending', height, after };
    const rows = this.#rowsOf(questions.slice(0, -1), replies, reading);
    if (height === undefined) return rows;
    rows.push(...(await this.#receipts(block, height, reading, stop)));
    for (const [open, state] of [...this.#open].sort(([a], [b]) => a - b)) {
      if (open < Math.min(height, after ?? height)) {
        rows.push(...(await this.#settled(open, state, stop)));
      }
    }
    return rows;
  }

  /** The rows of transactions that are new, or have a receipt for the first time. */
  async #receipts(
    block: unknown,
    height: number,
    reading: StateReading,
    stop: AbortSignal,
  ): Promise<ReadingRow[]> {
    const { hashes } = this.#openAt(height);
    if (!this.#options.reads.includes('receipts')) return [];
    const waiting = transactionsOf(block).filter((record) => hashes.get(hashOf(record)) !== true);
    const questions = waiting.map(receiptQuestion);
    const replies = await this.#ask(questions, stop);
    const isNews = waiting.map((transaction, at) => {
      const hash = hashOf(transaction);
      const hasReceipt = resultOf(replies[at]) !== null;
      const isNew = !hashes.has(hash) || hasReceipt;
      hashes.set(hash, hasReceipt);
      return isNew;
    });
    return this.#rowsOf(questions, replies, reading).filter((_, at) => isNews[at]);
  }

  #openAt(height: number): OpenHeight {
    const state = this.#open.get(height) ?? { hashes: new Map<string, boolean>(), attempts: 0 };
    this.#open.set(height, state);
    const [oldest = height] = this.#open.keys();
    if (this.#open.size > MOST_OPEN) this.#open.delete(oldest);
    return state;
  }

  /** The rows of a height that is in the chain now; none while the service does not have it. */
  async #settled(height: number, state: OpenHeight, stop: AbortSignal): Promise<ReadingRow[]> {
    const readAtMs = this.#options.effects.now();
    const block = `0x${height.toString(16)}`;
    const questions = [
      blockQuestion(block),
      ...questionsAt(block, this.#options),
      ...[...state.hashes.keys()].map(settledQuestion),
    ];
    const replies = await this.#ask(questions, stop);
    state.attempts += 1;
    const isThere = blockHeightOf(resultOf(replies[0])) === height;
    if (!isThere && state.attempts < MOST_ATTEMPTS) return [];
    this.#open.delete(height);
    const reading = { readAtMs, tag: 'settled', height, after: height } as const;
    return this.#rowsOf(questions, replies, reading);
  }

  #ask(questions: readonly RowQuestion[], stop: AbortSignal): Promise<RpcReply[]> {
    return this.#options.rpc.call(
      questions.flatMap(({ calls }) => calls),
      stop,
    );
  }

  #rowsOf(
    questions: readonly RowQuestion[],
    replies: readonly RpcReply[],
    reading: StateReading,
  ): ReadingRow[] {
    let from = 0;
    const rows = questions.map((question) => {
      const answers = replies.slice(from, from + question.calls.length);
      from += answers.length;
      return rowOf(question, answers, reading);
    });
    const { reads } = this.#options;
    return reads.includes('block') ? rows : rows.filter(({ table }) => table !== 'pending_blocks');
  }

  #checkFirst(replies: readonly RpcReply[]): void {
    const errors = replies.flatMap((reply) => ('error' in reply ? [reply.error.message] : []));
    if (errors.length < replies.length) return;
    throw new Fault('refused', `The JSON-RPC endpoint refuses every call (${errors[0]}).`, {
      advice: 'Check that pending.url leads to a node with a pending state.',
    });
  }
}

function resultOf(reply: RpcReply | undefined): unknown {
  return reply === undefined || 'error' in reply ? null : reply.result;
}

/**
 * The newest landed heights that have been read as pending and not yet as settled, in order, each
 * with the hashes of its transactions: a run ends before its last height is in the chain.
 */
async function openHeights(
  { captured }: Pick<Lake, 'captured'>,
  most: number,
): Promise<LandedHeight[]> {
  return withScratch(async (connection) => {
    const scans: string[] = [];
    for (const { stored } of captured.values()) {
      const { columns } = stored.shape;
      const used = columns.filter(({ name }) => ['block_number', 'tag', 'tx_hash'].includes(name));
      if (!used.some(({ name }) => name === 'tag')) continue;
      scans.push(`(${await scanSql(connection, stored.paths(await stored.snapshot()), used)})`);
    }
    return rowsAs<LandedHeight>(
      connection,
      `WITH readings AS (${scans.join(' UNION ALL BY NAME ')}),
       open AS (
         SELECT block_number FROM readings WHERE block_number IS NOT NULL
         GROUP BY ALL HAVING NOT bool_or(tag = 'settled') ORDER BY ALL DESC LIMIT ${most}
       )
       SELECT block_number AS height,
         coalesce(list(DISTINCT tx_hash) FILTER (WHERE tx_hash IS NOT NULL), []) AS hashes
       FROM readings JOIN open USING (block_number) GROUP BY block_number ORDER BY block_number`,
    );
  });
}
