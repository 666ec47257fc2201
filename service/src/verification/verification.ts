import { randomBytes } from 'node:crypto';
import type { Effects } from '../../../src/effects.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Submission } from '../protocol/submission.ts';
import type { CompileResult, Compiler } from './compiler.ts';
import type { DeployedCode } from './deployed-code.ts';
import type { VerificationInput } from './input.ts';
import { verificationInput } from './input.ts';
import { differenceOf } from './match.ts';

/** Whether submitted sources match the contracts that they are submission for. */
export interface Verification {
  /**
   * Starts a job for a submission and returns its new GUID, 32 hex digits. Rejects with a Refusal
   * for submissions that cannot be verified here.
   */
  submit(submission: Submission): Promise<string>;
  /** The result of the job; throws a Refusal for an unknown or forgotten job. */
  result(guid: string): VerificationResult;
  /** Why a job has its result; undefined for an unknown or unfinished job. */
  reason(guid: string): string | undefined;
  /** Cancels running compilations. */
  close(): void;
}

export type VerificationResult = 'Pending' | 'Success' | 'Fail';

export interface VerificationOptions {
  readonly effects: Pick<Effects, 'log'>;
  /** For Solidity. */
  readonly compiler: Compiler;
  /** Absent: sources in vyper are accepted and fail. */
  readonly vyper?: Compiler | undefined;
  /** Absent: there is no code to compare with, and every submission is refused. */
  readonly code?: DeployedCode | undefined;
  /** Bound on waiting and running jobs; further ones are refused. Default 20. */
  readonly mostJobs?: number;
  /** Number of newest results that are kept. Default 10,000. */
  readonly keptOutcomes?: number;
}

interface Outcome {
  readonly result: VerificationResult;
  readonly reason: string;
}

const MOST_JOBS = 20;
const KEPT_OUTCOMES = 10_000;
const GUID_BYTES = 16;
/** Approximate time of a compilation. */
const RETRY_AFTER_SECONDS = '10';
const NOT_INSTALLED =
  'contracts cannot be verified here: the compiler solc is not installed with this service; ' +
  'it is an optional package, which npm install --include=optional adds';
const NO_CODE_KNOWN =
  'contracts cannot be verified here: this service knows no deployed code; ' +
  'serve a simulated chain, or name a node with --code-rpc';

/**
 * Jobs are compiled one at a time, in the order of submission. Compiled sources are not executed.
 */
export function createVerification(options: VerificationOptions): Verification {
  const { effects, compiler, code, mostJobs = MOST_JOBS, keptOutcomes = KEPT_OUTCOMES } = options;
  const pending = new Set<string>();
  /** Oldest first. */
  const outcomes = new Map<string, Outcome>();
  let jobs = 0;
  let last: Promise<void> = Promise.resolve();

  const finish = (guid: string, input: VerificationInput, outcome: Outcome): void => {
    const { result, reason } = outcome;
    pending.delete(guid);
    outcomes.set(guid, outcome);
    for (const oldest of outcomes.keys()) {
      if (outcomes.size <= keptOutcomes) break;
      outcomes.delete(oldest);
    }
    const level = result === 'Success' ? 'info' : 'warn';
    // Sources choose the text of their errors; quoting keeps control characters from the terminal.
    const quoted = JSON.stringify(reason);
    effects.log(level, `Verification ${guid} of ${input.address}: ${result}: ${quoted}`);
  };
  const judge = async (input: VerificationInput): Promise<CompileResult> => {
    const used = input.language === 'Vyper' ? options.vyper : compiler;
    const version = await used?.version();
    if (used === undefined || version === undefined) {
      return { reason: `no compiler for ${input.language} is installed with this service` };
    }
    return isVersion(input.compilerVersion, version)
      ? used.compile(input)
      : { reason: `the only compiler for ${input.language} here is v${version}` };
  };
  const enqueue = (input: VerificationInput, deployed: string): string => {
    const guid = randomBytes(GUID_BYTES).toString('hex');
    pending.add(guid);
    last = last.then(async () => {
      const compiled = await judge(input).catch((error: unknown) => {
        return { reason: `the service failed: ${String(error)}` };
      });
      finish(guid, input, outcomeOf(compiled, deployed));
      jobs -= 1;
    });
    return guid;
  };

  return {
    submit: async (submission) => {
      if (code === undefined) throw new Refusal('cannot-verify', NO_CODE_KNOWN);
      const isInstalled = (await compiler.version()) !== undefined;
      if (!isInstalled) throw new Refusal('cannot-verify', NOT_INSTALLED);
      const input = verificationInput(submission);
      if (jobs >= mostJobs) {
        throw new Refusal('too-many-jobs', `${mostJobs} contracts are being verified; try later`, {
          'retry-after': RETRY_AFTER_SECONDS,
        });
      }
      jobs += 1;
      try {
        return enqueue(input, await deployedAt(code, input.address));
      } catch (error) {
        jobs -= 1;
        throw error;
      }
    },
    result: (guid) => {
      const name = guid.toLowerCase().replace(/^0x/, '');
      if (pending.has(name)) return 'Pending';
      const outcome = outcomes.get(name);
      if (outcome === undefined) throw new Refusal('unknown-job', 'there is no such job');
      return outcome.result;
    },
    reason: (guid) => outcomes.get(guid)?.reason,
    close: () => {
      compiler.close();
      options.vyper?.close();
    },
  };
}

/** Whether the installed version is the wanted one, which may leave out the commit. */
function isVersion(wanted: string | undefined, version: string): boolean {
  return wanted === undefined || wanted === version || wanted === version.split('+')[0];
}

async function deployedAt(code: DeployedCode, address: string): Promise<string> {
  const deployed = await code(address);
  if (deployed === undefined) {
    throw new Refusal('no-contract', 'no contract with known code is deployed at contractAddress');
  }
  return deployed;
}

function outcomeOf(compiled: CompileResult, deployed: string): Outcome {
  const reason = 'reason' in compiled ? compiled.reason : differenceOf(compiled.code, deployed);
  return reason === undefined
    ? { result: 'Success', reason: 'the code is the same' }
    : { result: 'Fail', reason };
}
