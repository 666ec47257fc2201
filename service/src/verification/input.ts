import { Refusal } from '../protocol/errors.ts';
import type { Submission } from '../protocol/submission.ts';
import type { CompilerInput } from './compiler.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The compiler's input for a submission, and the contract to compare. */
export interface VerificationInput extends CompilerInput {
  readonly address: string;
  readonly language: 'Solidity' | 'Vyper';
  /** As requested, without a prefix; undefined if any version is accepted. */
  readonly compilerVersion: string | undefined;
}

const SINGLE_FILE = 'contract.sol';
const VYPER_FILE = 'contract.vy';
/** Before the number of a version: `v0.8.30`, `vyper:0.4.3`. */
const VERSION_PREFIX = /^(?:vyper:)?v?/;
const DEFAULT_RUNS = 200;
const MOST_RUNS = 2 ** 32 - 1;
/** A contract, after its source unit if that is given. */
const CONTRACT = /^(?:(.+):)?([A-Za-z_$][A-Za-z0-9_$]*)$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,9})$/;
const EVM_VERSION = /^[A-Za-z]{1,30}$/;
const OUTPUTS = ['object', 'immutableReferences', 'linkReferences'];

/** The compiler's input for a submission. Throws a Refusal for values that no compiler accepts. */
export function verificationInput(submission: Submission): VerificationInput {
  const { values } = submission;
  const named = CONTRACT.exec(values.get('contractName') ?? '');
  if (named === null) throw malformed('contractName', 'the name of a contract');
  const [, file = '', contract = ''] = named;
  checkAbi(values.get('contractAbi'));
  const address = values.get('contractAddress') ?? '';
  const compilerVersion = values.get('compilerVersion')?.replace(VERSION_PREFIX, '');
  if (values.get('codeFormat') === 'vyper') {
    const input = JSON.stringify(vyperInput(submission));
    return { address, language: 'Vyper', compilerVersion, file: VYPER_FILE, contract, input };
  }
  const isStandard = values.get('codeFormat') === 'solidity-standard-json-input';
  const { sources, settings } = isStandard ? standardInput(submission) : singleFile(submission);
  const libraries = withLibraries(submission, Object.keys(sources), settings['libraries']);
  const outputSelection = {
    '*': { [contract]: OUTPUTS.map((output) => `evm.deployedBytecode.${output}`) },
  };
  return {
    address,
    language: 'Solidity',
    compilerVersion,
    file,
    contract,
    input: JSON.stringify({
      language: 'Solidity',
      sources,
      settings: { ...settings, ...libraries, outputSelection },
    }),
  };
}

interface Input {
  readonly sources: JsonObject;
  readonly settings: JsonObject;
}

function singleFile({ values }: Submission): Input {
  const runs = values.get('optimizationRuns') ?? String(DEFAULT_RUNS);
  if (!WHOLE_NUMBER.test(runs) || Number(runs) > MOST_RUNS) {
    throw malformed('optimizationRuns', `a whole number up to ${MOST_RUNS}`);
  }
  const evmVersion = values.get('evmVersion');
  if (evmVersion !== undefined && !EVM_VERSION.test(evmVersion)) {
    throw malformed('evmVersion', 'the name of a version');
  }
  return {
    sources: { [SINGLE_FILE]: { content: values.get('sourceCode') } },
    settings: {
      optimizer: { enabled: values.get('optimization') === '1', runs: Number(runs) },
      viaIR: values.get('viaIr') === 'true',
      ...(evmVersion === undefined ? {} : { evmVersion }),
    },
  };
}

function vyperInput(submission: Submission): JsonObject {
  const { settings } = singleFile(submission);
  const { evmVersion } = settings;
  return {
    language: 'Vyper',
    sources: { [VYPER_FILE]: { content: submission.values.get('sourceCode') } },
    settings: {
      optimize: submission.values.get('optimization') === '1' ? 'gas' : 'none',
      ...(evmVersion === undefined ? {} : { evmVersion }),
      outputSelection: { '*': ['evm.deployedBytecode', 'layout'] },
    },
  };
}

/** The submission's own sources and settings, with an output selection of code alone. */
function standardInput({ values }: Submission): Input {
  const { language, sources, settings = {} } = objectIn(values.get('sourceCode') ?? '');
  if (language !== 'Solidity') throw malformed('sourceCode', 'input in the language Solidity');
  if (!isObject(sources) || !isObject(settings)) {
    throw malformed('sourceCode', 'input with an object of sources');
  }
  const { modelChecker: _, stopAfter: __, ...kept } = settings;
  const contents = Object.entries(sources).map(([name, source]): [string, JsonObject] => {
    const content = isObject(source) ? source['content'] : undefined;
    if (typeof content !== 'string') throw malformed('sourceCode', 'input with all its contents');
    return [name, { content }];
  });
  return { sources: Object.fromEntries(contents), settings: kept };
}

function objectIn(text: string): JsonObject {
  const value = parsed(text, 'sourceCode');
  if (!isObject(value)) throw malformed('sourceCode', 'a JSON object');
  return value;
}

function checkAbi(text: string | undefined): void {
  if (text === undefined || Array.isArray(parsed(text, 'contractAbi'))) return;
  throw malformed('contractAbi', 'a JSON array');
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(name, 'JSON');
  }
}

/**
 * The libraries of the settings and those of the submission, by source unit and name. An item
 * without a name or an address links nothing.
 */
function withLibraries(
  { items }: Submission,
  files: readonly string[],
  libraries: unknown,
): JsonObject {
  const addresses = new Map<string, string>();
  for (const { libraryName, libraryAddress } of items.get('libraryInfo') ?? []) {
    if (libraryName === undefined || libraryAddress === undefined) continue;
    const name = CONTRACT.exec(libraryName)?.[2];
    if (name === undefined) throw malformed('libraryName', 'a name in Solidity');
    if (!ADDRESS.test(libraryAddress)) throw malformed('libraryAddress', 'an address');
    if (addresses.has(name)) throw new Refusal('bad-parameter', 'a library is named twice');
    addresses.set(name, libraryAddress);
  }
  if (addresses.size === 0) return {};
  const librariesByFile = isObject(libraries) ? libraries : {};
  const ofFile = (file: string): JsonObject => {
    const fileLibraries = librariesByFile[file];
    return { ...(isObject(fileLibraries) ? fileLibraries : {}), ...Object.fromEntries(addresses) };
  };
  return { libraries: Object.fromEntries(files.map((file) => [file, ofFile(file)])) };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(name: string, wanted: string): Refusal {
  return new Refusal('bad-parameter', `${name} must be ${wanted}`);
}
