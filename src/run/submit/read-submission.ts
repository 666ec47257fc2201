import { createHash } from 'node:crypto';
import { Fault } from '../../fault.ts';
import { asMapping, type Mapping } from '../../json-in.ts';
import type { TextFile } from '../../pipeline/csv/csv-lines.ts';
import { readYaml } from '../../pipeline/syntax/located-yaml.ts';
import { faultOf, type Problem } from '../../pipeline/syntax/problem.ts';
import { type Finding, problemsOf, type Subject } from '../../pipeline/syntax/schema-problems.ts';
import { membersIn } from './build-info.ts';
import { bodyOf, type SubmissionBody } from './declaration.ts';

/** A valid submission. */
export interface ContractSubmission {
  readonly body: SubmissionBody;
  /** Hex sha256 of the body: equal submissions have equal digests. */
  readonly digest: string;
  /** The file that it was read from. */
  readonly file: string;
}

export interface SubmissionOptions {
  /** Short name of the chain, where the file does not give it. */
  readonly chain: string;
  /** Members that a build-info file does not have. */
  readonly contractName?: string | undefined;
  readonly contractAddress?: string | undefined;
  /** Reads another file, by its path from the folder of the submission. */
  read(path: string): Promise<string>;
}

const SUBJECT: Subject = { name: 'the submission', mayHoldSecrets: () => false };
/** The members whose text may come from a file of its own: `{ file: Barn.sol }`. */
const IN_FILES = ['sourceCode', 'contractAbi'];
const BUILD_INFO = 'buildInfo';

/**
 * Reads a submission from YAML, whose keys are the members of the interface, or from a build-info
 * file (*.json). `buildInfo` in YAML names such a file; other members of the YAML replace its own.
 * Throws one Fault('configuration') with every problem.
 */
export async function readSubmission(
  source: TextFile,
  options: SubmissionOptions,
): Promise<ContractSubmission> {
  const { text, file } = source;
  const { chain: chainShortName, contractName, contractAddress } = options;
  const overrides = {
    ...(contractName === undefined ? {} : { contractName }),
    ...(contractAddress === undefined ? {} : { contractAddress }),
  };
  if (file.endsWith('.json')) {
    const values = { ...overrides, ...membersIn(source, contractName) };
    const { body, issues, findings } = bodyOf({ chainShortName, ...values });
    if (issues.length + findings.length === 0) return submissionOf(body, file);
    const problems = problemsOf(readYaml(JSON.stringify(values)), issues, SUBJECT, findings);
    throw faultOfMembers(file, problems);
  }
  const yaml = readYaml(text);
  if (yaml.isBroken) throw faultOf(file, yaml.problems);
  const findings: Finding[] = [];
  const written = await withFiles({ ...asMapping(yaml.value), ...overrides }, options, findings);
  const { body, issues, findings: more } = bodyOf({ chainShortName, ...written });
  const problems = problemsOf(yaml, issues, SUBJECT, [...findings, ...more]);
  if (problems.length > 0) throw faultOf(file, problems);
  return submissionOf(body, file);
}

function submissionOf(body: SubmissionBody, file: string): ContractSubmission {
  const { contractAddress: address } = body;
  const members = Object.entries({ ...body, contractAddress: String(address).toLowerCase() });
  const canonical = JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  return { body, digest: createHash('sha256').update(canonical).digest('hex'), file };
}

/** The values with the texts of the files that they name, and those of a build-info file. */
async function withFiles(
  { [BUILD_INFO]: buildInfo, ...values }: Mapping,
  { read }: SubmissionOptions,
  findings: Finding[],
): Promise<Mapping> {
  const texts: Record<string, unknown> = {};
  for (const name of IN_FILES) {
    const path = asMapping(values[name])['file'];
    if (typeof path === 'string') texts[name] = await read(path);
  }
  if (buildInfo === undefined) return { ...values, ...texts };
  if (typeof buildInfo !== 'string') {
    const advice = 'Name a file by its path from the folder of this one.';
    findings.push({ path: [BUILD_INFO], message: 'is not the name of a file', advice });
    return { ...values, ...texts };
  }
  const name = values['contractName'];
  const source = { text: await read(buildInfo), file: buildInfo };
  const built = membersIn(source, typeof name === 'string' ? name : undefined);
  const { contractName = name } = built;
  return { ...built, ...values, ...texts, contractName };
}

/** Members that come from options have no place in a file. */
function faultOfMembers(file: string, problems: readonly Problem[]): Fault {
  const lines = problems.map(({ message, advice }) => `${message}. ${advice}`);
  const advice =
    'Give --address and --contract, or write the members into a YAML file with buildInfo.';
  return new Fault('configuration', lines.join('\n'), { where: file, advice });
}
