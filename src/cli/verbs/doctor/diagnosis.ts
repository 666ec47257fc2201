import { type Advice, Fault } from '../../../fault.ts';

export type Verdict = 'ok' | 'warn' | 'fail';

/** The result of one check of `windrow doctor`. */
export interface Diagnosis {
  /** The subject, as in `clock`. */
  readonly check: string;
  readonly verdict: Verdict;
  /** A sentence. */
  readonly finding: string;
  /** '' for a check that found nothing. */
  readonly remedy: Advice;
  /** Kind of the fault that a run would end with; it decides the exit code. */
  readonly kind?: Fault['kind'];
}

export function fine(check: string, finding: string): Diagnosis {
  return { check, verdict: 'ok', finding, remedy: '' };
}

export function warning(check: string, finding: string, remedy: Advice): Diagnosis {
  return { check, verdict: 'warn', finding, remedy };
}

export function failure(
  check: string,
  finding: string,
  remedy: Advice,
  kind: Fault['kind'] = 'unreachable',
): Diagnosis {
  return { check, verdict: 'fail', finding, remedy, kind };
}

/** The fault as the failure of a check; throws other errors. */
export function failureOfFault(check: string, error: unknown): Diagnosis {
  if (!(error instanceof Fault)) throw error;
  const place = error.where === undefined ? '' : `${error.where}: `;
  return failure(check, place + error.message, error.remedy, error.kind);
}

/** The exit code of the README for the failures: configuration before others, 0 without one. */
export function exitCodeFor(diagnoses: readonly Diagnosis[]): 0 | 1 | 2 {
  const failures = diagnoses.filter(({ verdict }) => verdict === 'fail');
  if (failures.length === 0) return 0;
  const isConfiguration = failures.every(
    ({ kind }) => kind === 'configuration' || kind === 'usage',
  );
  return isConfiguration ? 2 : 1;
}
