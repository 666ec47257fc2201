import type { Effects } from '../../../effects.ts';
import type { ContractSubmission } from '../../../run/submit/read-submission.ts';

/** The solc that is installed with windrow, which compiles submissions before they are sent. */
export interface LocalCompiler {
  /**
   * A warning about a source that it refuses; undefined where it compiles, and where solc is not
   * installed or is another version.
   */
  warning(submission: ContractSubmission): Promise<string | undefined>;
  close(): void;
}

/** Opens the compiler of the program, which has one where it has the service. */
export type OpenCompiler = (effects: Pick<Effects, 'sleep'>) => Promise<LocalCompiler>;
