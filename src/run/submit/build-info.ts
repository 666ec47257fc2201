import { z } from 'zod';
import { Fault } from '../../fault.ts';
import { jsonIn } from '../../json-in.ts';
import type { TextFile } from '../../pipeline/csv/csv-lines.ts';

/** Build-info files of Hardhat and Foundry: input and output of one run of the compiler. */

const inputSchema = z.object({
  language: z.string(),
  sources: z.record(z.string(), z.object({ content: z.string() })),
  settings: z.looseObject({
    optimizer: z
      .object({ enabled: z.boolean().optional(), runs: z.number().optional() })
      .optional(),
    evmVersion: z.string().optional(),
    viaIR: z.boolean().optional(),
  }),
});
const buildInfoSchema = z.object({
  solcLongVersion: z.string(),
  /** The names of sources that users write, by Hardhat 3. */
  userSourceNameMap: z.record(z.string(), z.string()).default({}),
  input: inputSchema,
  output: z
    .object({
      contracts: z.record(
        z.string(),
        z.record(z.string(), z.object({ abi: z.array(z.unknown()).optional() })),
      ),
    })
    .optional(),
});

const ADVICE =
  'Give a file that Hardhat wrote to artifacts/build-info, or that forge build --build-info ' +
  'wrote to out/build-info.';

/**
 * The members of a submission that a build-info file has, for the contract `Name` or `path:Name`;
 * without a name, for its only contract. Throws Fault('configuration') for another file, and for a
 * contract that the file does not have or has several times.
 */
export function membersIn(
  { text, file }: TextFile,
  name: string | undefined,
): Readonly<Record<string, string>> {
  const parsed = buildInfoSchema.safeParse(jsonIn(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined ? '' : ` (${issue.path.map(String).join('.')})`;
    throw new Fault('configuration', `The file is not a whole build-info file${place}.`, {
      where: file,
      advice: ADVICE,
    });
  }
  const { input, output, solcLongVersion, userSourceNameMap } = parsed.data;
  const { language, sources, settings } = input;
  const contracts = Object.entries(output?.contracts ?? {}).flatMap(([unit, named]) =>
    Object.entries(named).map(([contract, { abi }]) => ({ unit, contract, abi })),
  );
  const [path, contract] = splitName(name);
  const unit = path === undefined ? undefined : (userSourceNameMap[path] ?? path);
  const matches = contracts.filter((entry) => {
    return (contract ?? entry.contract) === entry.contract && (unit ?? entry.unit) === entry.unit;
  });
  const [first] = matches;
  const isNamed = contract !== undefined && output === undefined;
  if (!isNamed && (first === undefined || matches.length > 1)) {
    throw unnamed(
      file,
      name,
      (first === undefined ? contracts : matches).map((entry) => `${entry.unit}:${entry.contract}`),
    );
  }
  const isUnique = contracts.filter((entry) => entry.contract === first?.contract).length < 2;
  const { optimizer = {}, evmVersion, viaIR } = settings;
  return {
    ...(first === undefined
      ? {}
      : { contractName: isUnique ? first.contract : `${first.unit}:${first.contract}` }),
    sourceCode: JSON.stringify({ language, sources, settings }),
    codeFormat: 'solidity-standard-json-input',
    compilerVersion: `v${solcLongVersion.replace(/^v/, '')}`,
    optimization: optimizer.enabled === true ? '1' : '0',
    ...(optimizer.runs === undefined ? {} : { optimizationRuns: String(optimizer.runs) }),
    ...(evmVersion === undefined ? {} : { evmVersion }),
    ...(viaIR === true ? { viaIr: 'true' } : {}),
    ...(first?.abi === undefined ? {} : { contractAbi: JSON.stringify(first.abi) }),
  };
}

/** The path and the name in `path:Name`. */
function splitName(name: string | undefined): [path?: string | undefined, contract?: string] {
  if (name === undefined) return [];
  const at = name.lastIndexOf(':');
  return at < 0 ? [undefined, name] : [name.slice(0, at), name.slice(at + 1)];
}

const LISTED_NAMES = 10;

function unnamed(file: string, name: string | undefined, names: readonly string[]): Fault {
  const listed = names.slice(0, LISTED_NAMES).join(', ');
  const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : '';
  const message =
    name === undefined
      ? 'The name of the contract is missing.'
      : `The file does not have one contract ${name}.`;
  return new Fault('configuration', message, {
    where: file,
    advice: `Name one of ${listed}${more}.`,
  });
}
