import { type Advice, adviceText } from '../../../fault.ts';
import { recordTable, visibleText } from '../../../load/query/text-table.ts';
import type { SubmissionState, SubmittedRow } from '../../../run/submit/submission-table.ts';

/** Characters of an id that lists show. */
const SHORT = 8;

const AGAIN = 'windrow contract submit FILE --again';

/** The next step of a submission in this state. */
const NEXT_STEPS: Readonly<Record<SubmissionState, Advice | undefined>> = {
  sent: 'sent: a command waits for the answer, or was ended; the next contract submit tells.',
  accepted: {
    text: 'accepted: the next run reads the result, and so does another submit.',
    command: 'windrow contract submit --pipeline PIPELINE',
  },
  unknown: {
    text:
      'unknown: it may have arrived, and windrow never sends it again by itself. Look the ' +
      'contract up at the explorer; if it is not verified, send it again.',
    command: AGAIN,
  },
  succeeded: undefined,
  failed: { text: 'failed: correct the submission, or send it as it is.', command: AGAIN },
};

/** Submissions as a table, and the next step for each state among them. */
export function submissionLines(root: string, rows: readonly SubmittedRow[]): Advice[] {
  if (rows.length === 0) return [`${root} has no submissions.`];
  const table = recordTable(
    rows.map((row) => ({
      id: shortId(row),
      sent: new Date(row.sentMs).toISOString(),
      state: row.state,
      address: row.address,
      name: row.name,
      job: row.guid ?? '',
      reason: row.reason,
    })),
  );
  const states = new Set(rows.map(({ state }) => state));
  const steps = Object.entries(NEXT_STEPS).flatMap(([state, step]) =>
    step !== undefined && states.has(state as SubmissionState) ? [step] : [],
  );
  return [table, ...steps];
}

function shortId({ id }: SubmittedRow): string {
  return id.slice(0, SHORT) + id.slice(id.lastIndexOf('-'));
}

/** A submission as JSON, without its source. */
export function submissionDocument(row: SubmittedRow): Record<string, unknown> {
  const { id, state, guid, verdict, reason, address, name, sentMs, changedMs } = row;
  return {
    id,
    state,
    guid: guid ?? null,
    verdict: verdict ?? null,
    reason,
    address,
    name,
    sent: new Date(sentMs).toISOString(),
    changed: new Date(changedMs).toISOString(),
    nextStep: adviceText(NEXT_STEPS[state] ?? '') || null,
  };
}

/** A line about a submission that was sent or found. */
export function submittedLine(file: string, { state, reason, guid }: SubmittedRow): string {
  const job = guid === undefined ? '' : ` (job ${guid})`;
  return `${file}: ${state}${job}: ${visibleText(reason)}`;
}
