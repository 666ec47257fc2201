import { randomBytes } from 'node:crypto';
import type { Effects } from '../../../src/effects.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Submission } from '../protocol/submission.ts';
import type { CompileResult, Compiler } from './compiler.ts';
import type { DeployedCode } from './deployed-code.ts';
import { type VerificationInput, verificationInput } from './input.ts';
import type { CodeRange, RuntimeCode } from './program.ts';

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

/** Compares the bytes of a contract's compiled and deployed code. */

/**
 * Why the deployed code (hex with 0x) differs from the compiled one; undefined if it is equal. The
 * metadata that the compiler appends is not compared, nor are values that are set at deployment.
 * Hashes of sources within the code, such as those of a contract that the contract creates, are
 * part of it.
 */
export function differenceOf(compiled: RuntimeCode, deployed: string): string | undefined {
  const missing = Object.values(compiled.linkReferences ?? {}).flatMap(Object.keys);
  if (missing.length > 0) return `the address of the library ${missing[0]} is missing`;
  const unset = Object.values(compiled.immutableReferences ?? {}).flat();
  if (LIBRARY.test(compiled.object)) unset.push(OWN_ADDRESS);
  const ours = withoutMetadata(masked(Buffer.from(compiled.object, 'hex'), unset));
  const theirs = withoutMetadata(masked(Buffer.from(deployed.slice(2), 'hex'), unset));
  if (ours.length === 0) return 'the contract has no code of its own';
  if (ours.length !== theirs.length) {
    return `the compiled code has ${ours.length} bytes, the deployed one ${theirs.length}`;
  }
  const place = ours.findIndex((byte, nth) => byte !== theirs[nth]);
  return place < 0 ? undefined : `the compiled code differs at byte ${place}`;
}

/** A library starts with its own address and checks whether it is called at another one. */
const LIBRARY = /^730{40}3014/;
const OWN_ADDRESS: CodeRange = { start: 1, length: 20 };

function masked(code: Buffer, ranges: readonly CodeRange[]): Buffer {
  for (const { start, length } of ranges) code.subarray(start, start + length).fill(0);
  return code;
}

/** In bytes; the last bytes of the trailer, with the length of the rest. */
const LENGTH_BYTES = 2;

/**
 * The code without its trailer: a CBOR map, then its length. Any other bytes at the end are code;
 * otherwise a changed end would pass for a trailer.
 */
function withoutMetadata(code: Buffer): Buffer {
  if (code.length < LENGTH_BYTES) return code;
  const end = code.length - LENGTH_BYTES;
  const start = end - code.readUInt16BE(end);
  return start >= 0 && isMetadata(code.subarray(start, end)) ? code.subarray(0, start) : code;
}

const CBOR = { bytes: 2, text: 3, map: 5, simple: 7 } as const;
const KEYS = new Set(['ipfs', 'bzzr0', 'bzzr1', 'experimental', 'solc']);
/** A length up to 23 is in the first byte; this value means that it is in the next one. */
const LENGTH_FOLLOWS = 24;

/** Whether the bytes are exactly one map of compiler metadata. */
function isMetadata(bytes: Buffer): boolean {
  let at = 0;
  const head = (): { major: number; value: number } => {
    const first = bytes[at++] ?? 0;
    const value = first & 31;
    return { major: first >> 5, value: value === LENGTH_FOLLOWS ? (bytes[at++] ?? 0) : value };
  };
  const { major, value: pairs } = head();
  if (major !== CBOR.map || pairs === 0 || pairs > KEYS.size) return false;
  for (let pair = 0; pair < pairs; pair += 1) {
    const key = head();
    const name = bytes.toString('latin1', at, at + key.value);
    if (key.major !== CBOR.text || !KEYS.has(name)) return false;
    at += key.value;
    const item = head();
    if (item.major === CBOR.bytes || item.major === CBOR.text) at += item.value;
    else if (item.major !== CBOR.simple) return false;
  }
  return at === bytes.length;
}
