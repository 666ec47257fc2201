import { type RunReport, runSeconds } from '../../land/reports/run-reports.ts';

/** The result of a run in words; `kind` is its colour. */
export interface RunVerdict {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly text: string;
}

const OUTCOMES: Readonly<Record<number, RunVerdict>> = {
  0: { kind: 'good', text: 'Complete: all requested records below the safe height are there.' },
  3: {
    kind: 'warn',
    text: 'Partial: a slice failed, its records are not complete, or a capture read nothing.',
  },
  4: { kind: 'warn', text: 'Complete, but checks have findings.' },
  130: { kind: 'warn', text: 'Interrupted: run again to continue.' },
};

export function verdictOf(run: RunReport): RunVerdict {
  const { exitCode, nothingToDo, endedAt, error, captured = [] } = run;
  if (error !== null && error !== undefined) {
    return { kind: 'bad', text: `Failed: ${error.message} ${error.advice ?? ''}`.trim() };
  }
  if (typeof endedAt !== 'string') {
    return { kind: 'bad', text: 'Not ended: the run was killed, or is still under way.' };
  }
  if (nothingToDo === true && exitCode === 0 && captured.every(({ rows }) => rows === 0)) {
    return { kind: 'good', text: 'Nothing to fetch: everything was there already.' };
  }
  return (
    OUTCOMES[exitCode ?? -1] ?? { kind: 'bad', text: `Ended with exit code ${exitCode ?? '?'}.` }
  );
}

/** Planned and actual figures, side by side. The least price of a plan is not shown as planned. */
export function planRows(run: RunReport): (readonly [string, number | null, number | null])[] {
  const { planned, actual } = run;
  const isKnown = planned?.isLowerBound !== true;
  const minutes = isKnown ? planned?.minutes : null;
  return [
    ['requests', (isKnown ? planned?.requests : null) ?? null, actual?.requests ?? null],
    ['slices', planned?.slices ?? null, actual?.slices ?? null],
    ['rows', planned?.rows ?? null, actual?.rows ?? null],
    ['KiB received', kib(planned?.bytes), kib(actual?.bytes)],
    ['seconds', typeof minutes === 'number' ? Math.ceil(minutes * 60) : null, runSeconds(run)],
  ];
}

function kib(bytes: number | null | undefined): number | null {
  return typeof bytes === 'number' ? Math.round(bytes / 1024) : null;
}
