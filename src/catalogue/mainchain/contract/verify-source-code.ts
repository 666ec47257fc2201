import { endpoint, type Param } from '../../entry.ts';
import { chain } from '../../params.ts';
import * as z from '../../zone-vocabulary.ts';

const ownSettings = { name: 'codeFormat', is: 'solidity-standard-json-input' } as const;

type Body = Extract<Param, { role: 'body' }>;

/** A member of the JSON body. */
function member(name: string, meaning: string, more: Partial<Body> = {}): Body {
  return { name, type: 'String', required: false, meaning, role: 'body', ...more };
}

/** E21. A POST with a JSON body. The answer is the GUID of an asynchronous job. */
export const verifySourceCode = endpoint({
  path: 'mainchain/contract/verify-source-code',
  method: 'POST',
  axis: 'primary',
  summary: 'Submission of contract source for verification',
  dataset: 'contract_verifications',
  list: 'submission',
  limits: {},
  params: [
    chain,
    member('contractAddress', 'contract address', { column: z.contractAddress, required: true }),
    member('contractName', 'contract name', { column: z.contractName, required: true }),
    member('sourceCode', 'source of the contract, flattened into one file', {
      column: z.sourceCode,
      required: true,
    }),
    member('codeFormat', 'format of the source', {
      column: z.codeFormat,
      required: true,
      values: ['solidity-single-file', 'solidity-standard-json-input', 'vyper'],
    }),
    member('compilerVersion', 'version of the compiler', {
      column: z.compilerVersion,
      requiredUnless: ownSettings,
    }),
    member('optimization', '0 no optimization, 1 optimization used', {
      column: z.optimization,
      requiredUnless: ownSettings,
      values: ['0', '1'],
    }),
    member('optimizationRuns', 'number of optimizer runs', { column: z.optimizationRuns }),
    member('contractAbi', 'contract ABI', { column: z.contractAbi }),
    member('evmVersion', 'EVM version; blank means the default of the compiler', {
      column: z.evmVersion,
    }),
    member('licenseType', 'open-source license; blank means none', { column: z.licenseType }),
    member('viaIr', 'compiled through the IR-based code generator', {
      column: z.viaIr,
      type: 'Boolean',
      default: 'false',
    }),
    member('libraryInfo', 'libraries used, names and addresses one to one, at most 10', {
      column: z.libraryInfo,
      type: 'Array',
      max: 10,
    }),
    member('libraryInfo[].libraryName', 'library name'),
    member('libraryInfo[].libraryAddress', 'library address'),
  ],
  reply: { shape: 'single', column: z.verificationGuid },
  fields: [],
  contradictions: [
    'compilerVersion and optimization are optional only for solidity-standard-json-input: ' +
      'windrow requires them for every other codeFormat.',
    'The interface has no operation that returns the result for a GUID: windrow lands the GUID.',
    'All values but two flags of records are documented as texts, but viaIr is a Boolean and ' +
      'libraryInfo an Array: windrow sends these as a Boolean and an Array.',
  ],
});
