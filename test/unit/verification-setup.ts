import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { chainSource } from '../../src/service/chain-source.ts';
import { createService } from '../../src/service/service.ts';
import type { VerificationOptions } from '../../src/service/verification.ts';
import { createVerification } from '../../src/service/verification.ts';
import type { Compiler, CompilerOptions } from '../../src/service/verification-compiler.ts';
import { installedSolc, solcCompiler } from '../../src/service/verification-compiler.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { SIMULATED_COMPILER, SIMULATED_CONTRACTS } from '../../src/simulated/contracts.ts';
import type { Answer } from '../contract/asking.ts';
import { askPost } from '../contract/asking.ts';
import { quietEffects } from '../quiet-effects.ts';

export const chain = simulatedChain({ seed: 'verified', head: 10 });
/** Of the contracts whose sources are known. */
export const ADDRESSES = chain.addresses(44).slice(40);

const SUBMIT = '/api/v5/mainchain/contract/verify-source-code';
const RESULT = '/api/v5/mainchain/contract/check-verify-result';

/** Processes take the time they take. */
export const effects = quietEffects({
  sleep: (ms, signal) => delay(ms, undefined, signal && { signal }),
});

/** The compiler that is installed; whoever makes one closes it. */
export function realCompiler(more: Partial<CompilerOptions> = {}): Compiler {
  const { execPath: node } = process;
  return solcCompiler({ effects, node, solcPath: installedSolc(), ...more });
}

/** Compiles to whatever it is told to, when it is told to. */
export function idle(
  compile: Compiler['compile'] = async () => ({ reason: 'nothing was compiled' }),
): Compiler {
  return { version: async () => SIMULATED_COMPILER.slice(1), compile, close: () => undefined };
}

/** A service over the chain, with what its jobs came to. */
export function verifying(more: Partial<VerificationOptions> = {}) {
  const logged: string[] = [];
  const verification = createVerification({
    effects: { log: (level, text) => logged.push(`${level}: ${text}`) },
    compiler: idle(),
    code: async (address) => chain.codeAt(address),
    ...more,
  });
  const service = createService({ source: chainSource(chain), effects, verification });
  const submit = (body: unknown) => askPost(service, SUBMIT, body);
  const check = (guid: string) => askPost(service, RESULT, { chainShortName: 'MAINCHAIN', guid });
  return { logged, verification, submit, check };
}

export function guidIn({ data }: Answer): string {
  return String(data[0]);
}

/** Submits, and waits for what becomes of it. */
export async function verified(of: ReturnType<typeof verifying>, body: unknown) {
  const submitted = await of.submit(body);
  expect(submitted).toMatchObject({ status: 200, code: '0' });
  for (;;) {
    const { data } = await of.check(guidIn(submitted));
    const [result] = data as readonly unknown[];
    if (result !== 'Pending') return { result, reason: of.verification.reason(guidIn(submitted)) };
    await delay(20);
  }
}

/** What is handed in for a contract of the simulated chain; `addresses` are those of all of them. */
export function submissionOf(nth: number, addresses: readonly string[]) {
  const contract = SIMULATED_CONTRACTS[nth];
  if (contract === undefined) throw new RangeError(`there is no contract ${nth}`);
  const { name, source, optimization, optimizationRuns, viaIr, evmVersion, holes } = contract;
  const libraries = SIMULATED_CONTRACTS.flatMap((other, place) =>
    holes.some(({ holds }) => holds === other.name)
      ? [{ libraryName: other.name, libraryAddress: addresses[place] }]
      : [],
  );
  return {
    chainShortName: 'MAINCHAIN',
    contractAddress: addresses[nth],
    contractName: name,
    sourceCode: source,
    codeFormat: 'solidity-single-file',
    compilerVersion: SIMULATED_COMPILER,
    optimization: optimization ? '1' : '0',
    optimizationRuns: String(optimizationRuns),
    evmVersion,
    viaIr,
    libraryInfo: libraries,
  };
}

/**
 * A source of a kilobyte that makes the compiler count to millions: each struct holds the one before
 * it twice. It takes a gigabyte within seconds, and far more in the end.
 */
export function bombOf(addresses: readonly string[]) {
  const structs = Array.from({ length: 24 }, (_, nth) => {
    const members = nth === 0 ? 'uint256 a;' : `S${nth - 1} a; S${nth - 1} b;`;
    return `struct S${nth} { ${members} }`;
  });
  const body = `S23 hay; function burn() external { delete hay; }`;
  const sourceCode = `contract Barn { ${structs.join(' ')} ${body} }`;
  return { ...submissionOf(0, addresses), sourceCode };
}
