import { dataOption, shellQuoted } from '../../../fault.ts';
import type { RunReport, RunState } from '../../../land/reports/run-reports.ts';
import { momentText } from '../../../pipeline/syntax/duration.ts';

/** The facts that decide on the next command. */
export interface StepFacts {
  readonly root: string;
  readonly isUnderWay: boolean;
  readonly isDamaged: boolean;
  /** Curated tables that are older than the lake. */
  readonly isBehind: boolean;
  /** Whether records wait in quarantine. */
  readonly isWaiting: boolean;
  /** The newest run of the pipeline, and its state. */
  readonly last: RunReport | undefined;
  readonly state: RunState | undefined;
  /** Whether runs have succeeded, but only with blocks that their command lines named. */
  readonly isPartOnly: boolean;
  /** When the daily quota of the pipeline's key allows requests again, if it is used up. */
  readonly usedUpUntilMs?: number | undefined;
}

/** A command to type, and the reason for it. */
export interface NextStep {
  /** Null where nothing is to be done. */
  readonly command: string | null;
  readonly reason: string;
}

/** The most urgent step for one pipeline of a data root. */
export function nextStep(facts: StepFacts): NextStep {
  const { root, isUnderWay, isDamaged, isBehind, isWaiting, last, state } = facts;
  const { isPartOnly, usedUpUntilMs } = facts;
  const run = last?.command ?? `run ${shellQuoted(last?.pipelineFile ?? 'FILE')}`;
  // The demo has a default data root of its own, and its service runs only meanwhile.
  const data = run === 'demo' ? ` --data ${shellQuoted(root)}` : dataOption(root);
  const step = (command: string, reason: string): NextStep => {
    return { command: `windrow ${command}${data}`, reason };
  };
  const again = (reason: string): NextStep => {
    if (usedUpUntilMs === undefined) return step(run, reason);
    const until = `the daily quota is used up until ${momentText(usedUpUntilMs)}`;
    return { command: null, reason: `${until}; windrow ${run}${data} continues then` };
  };
  if (isDamaged) return step('verify', 'files of the lake are damaged');
  if (isUnderWay) return { command: null, reason: 'a run is under way' };
  if (last === undefined) return step(run, 'no pipeline has run yet');
  if (state === 'killed') return again('the last run was killed');
  switch (last.exitCode) {
    case 0:
      break;
    case 4:
      return step('check', 'checks have findings');
    case 3:
      return isWaiting && (last.failed?.length ?? 0) === 0
        ? step('quarantine list', 'records wait in quarantine')
        : again('the last run was partial');
    case 130:
      return again('the last run was interrupted');
    default:
      return step(run.replace(/^run /, 'doctor '), 'the last run failed');
  }
  if (isBehind) return step('load', 'curated tables are older than the lake');
  if (isPartOnly) return again('no run of all blocks has ended with exit code 0 yet');
  return { command: null, reason: `all is well; windrow ${run}${data} reads newer blocks` };
}
