import { paramOf, resultOf } from '../../catalogue/index.ts';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { CallFailure, unlessRefused } from '../../fetch/http/call-failure.ts';
import { type Caller, PRIORITY } from '../../fetch/http/caller.ts';
import { PostedBody, UncertainFailure } from '../../fetch/http/posted-body.ts';
import type { Lake } from '../../land/lake.ts';
import { SUBMISSION, type SubmissionBody } from './declaration.ts';
import type { ContractSubmission } from './read-submission.ts';
import {
  idStart,
  type StateChange,
  SubmissionTable,
  type SubmittedRow,
} from './submission-table.ts';

export interface SubmitJob {
  readonly table: SubmissionTable;
  readonly caller: Caller;
  /** Short name of the chain. */
  readonly chain: string;
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'reached'>;
  readonly signal: AbortSignal;
}

/** The newest row of a submission, and whether it was sent now. */
export interface SubmitResult {
  readonly row: SubmittedRow;
  readonly isNew: boolean;
}

const ENDED = 'windrow ended before it recorded an answer';
const LOST = 'the answer was lost';
const NOT_FINAL = 'the service has no result yet';

/**
 * Names the submissions without a recorded answer as unknown. The caller holds the lock of the data
 * root, so no other process waits for these answers.
 */
export async function settleEnded({
  table,
  effects,
}: Pick<SubmitJob, 'table' | 'effects'>): Promise<void> {
  for (const row of table.rows) {
    if (row.state !== 'sent') continue;
    await table.change(row, { state: 'unknown', reason: ENDED }, effects.now());
  }
}

/**
 * Sends a submission, unless an equal one is in the table; `isAgain` sends it again where that one
 * is unknown or failed. The row is committed before the request, which is never sent again by
 * itself once it may have arrived. Removes the row and throws where nothing arrived.
 */
export async function submit(
  job: SubmitJob,
  { body, digest }: ContractSubmission,
  { asOfBlock, isAgain }: { readonly asOfBlock: number; readonly isAgain: boolean },
): Promise<SubmitResult> {
  const { table, effects, signal } = job;
  const start = idStart(digest);
  const earlier = table.rows.filter(({ id }) => id.startsWith(start));
  const last = earlier.at(-1);
  const isRepeated = isAgain && (last?.state === 'unknown' || last?.state === 'failed');
  if (last !== undefined && !isRepeated) return { row: last, isNew: false };
  signal.throwIfAborted();
  const times = { asOfBlock, nowMs: effects.now() };
  const row = await table.begin(`${start}${earlier.length + 1}`, body, times);
  effects.reached('submission recorded');
  const answer = await answerTo(body, job);
  effects.reached('submission answered');
  if ('unsent' in answer) {
    await table.drop(row);
    throw answer.unsent;
  }
  const changed = await withGuid(answer.guid, table.change(row, answer, effects.now()));
  if (answer.state === 'unknown') signal.throwIfAborted();
  return { row: changed, isNew: true };
}

/** The state that an answer gives; an error of a submission that did not arrive. */
async function answerTo(
  body: SubmissionBody,
  { caller, signal }: SubmitJob,
): Promise<StateChange | { readonly unsent: unknown }> {
  const posted = new PostedBody(body, { isRepeatable: false });
  const options = { priority: PRIORITY.firstPage, signal, body: posted };
  try {
    const { text: guid } = await caller.call(SUBMISSION, {}, options);
    return guid === undefined
      ? { state: 'unknown', reason: LOST }
      : { state: 'accepted', reason: NOT_FINAL, guid };
  } catch (error) {
    if (error instanceof UncertainFailure) {
      return { state: 'unknown', reason: `${LOST}: ${error.message}` };
    }
    if (!(error instanceof CallFailure) || error.outcome !== 'permanent') return { unsent: error };
    return { state: 'failed', reason: `refused: ${error.detail} (${error.code})` };
  }
}

/** The commit of an answer; a fault of it names the job, which no one else knows. */
function withGuid<T>(guid: string | undefined, commit: Promise<T>): Promise<T> {
  return commit.catch((error: unknown) => {
    if (!(error instanceof Fault) || guid === undefined) throw error;
    throw new Fault(error.kind, `The service accepted job ${guid}. ${error.message}`, {
      where: error.where,
      advice: `Note the job down. ${error.advice}`,
      cause: error,
    });
  });
}

const VERDICTS: Readonly<Record<string, 'succeeded' | 'failed' | 'accepted'>> = {
  Success: 'succeeded',
  Fail: 'failed',
  Pending: 'accepted',
};

/** Requests the result of each accepted job once; returns the number of jobs without a result. */
async function readResults(job: SubmitJob): Promise<number> {
  const { table, caller, chain, effects, signal } = job;
  const endpoint = resultOf(SUBMISSION);
  const chainName = paramOf(endpoint, 'chain')?.name ?? '';
  let open = 0;
  for (const row of table.rows) {
    if (row.state !== 'accepted' || row.guid === undefined) continue;
    signal.throwIfAborted();
    const question = { [chainName]: chain, guid: row.guid };
    const body = new PostedBody(question, { isRepeatable: true });
    const options = { priority: PRIORITY.firstPage, signal, body };
    const reply = await caller.call(endpoint, {}, options).catch(unlessRefused);
    const verdict = reply?.text;
    const state = verdict === undefined ? undefined : VERDICTS[verdict];
    if (state === undefined || state === 'accepted') open += 1;
    if (state === 'accepted') continue;
    const change =
      state === undefined || verdict === undefined
        ? { state: 'accepted' as const, reason: `no result: ${verdict ?? 'the job is refused'}` }
        : { state, reason: `the job ended: ${verdict}`, verdict };
    if (change.reason !== row.reason) await table.change(row, change, effects.now());
  }
  return open;
}

/** Requests results once, for a run. A failed request leaves the others to the next run. */
export async function readResultsOnce(
  lake: Pick<Lake, 'table' | 'run'>,
  job: Omit<SubmitJob, 'table' | 'effects'> & { readonly effects: Effects },
): Promise<void> {
  const table = await SubmissionTable.open(lake);
  await readResults({ ...job, table }).catch((error: unknown) => {
    if (job.signal.aborted) return;
    if (!(error instanceof CallFailure)) throw error;
    job.effects.log('warn', `Results of contract submissions were not read: ${error.message}`);
  });
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Requests results until every job has one, for at most `waitMs`, with pauses that grow. Returns
 * the number of jobs without a result.
 */
export async function awaitResults(job: SubmitJob, waitMs: number): Promise<number> {
  const { effects, signal } = job;
  const untilMs = effects.now() + waitMs;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const open = await readResults(job);
    const leftMs = untilMs - effects.now();
    if (open === 0 || leftMs <= 0) return open;
    await effects.sleep(Math.min(pauseMs, leftMs), signal);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}
