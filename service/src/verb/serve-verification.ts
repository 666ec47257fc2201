import type { Effects } from '../../../src/effects.ts';
import { installedSolc, solcCompiler } from '../verification/compiler.ts';
import type { CodeNode, DeployedCode } from '../verification/deployed-code.ts';
import { codeNode } from '../verification/deployed-code.ts';
import type { Verification } from '../verification/verification.ts';
import { createVerification } from '../verification/verification.ts';
import { vyperCompiler } from '../verification/vyper.ts';

/** Verification of contracts by the compilers that are installed with windrow. */
export interface OpenVerification {
  /** Verifies against the code of the node, or else of the source itself. */
  over(known: DeployedCode | undefined): Verification;
  close(): Promise<void>;
}

/** Reads deployed code from the node at this URL; throws a Fault for an invalid URL. */
export function openVerification(codeRpc: string | undefined, effects: Effects): OpenVerification {
  const node: CodeNode | undefined =
    codeRpc === undefined ? undefined : codeNode(codeRpc, process.env);
  const solcPath = installedSolc();
  const compiler = solcCompiler({ effects, node: process.execPath, solcPath });
  const vyper = vyperCompiler({ effects, path: process.env['PATH'] ?? '' });
  return {
    over: (known) => createVerification({ effects, compiler, vyper, code: node?.code ?? known }),
    close: async () => {
      compiler.close();
      vyper.close();
      await node?.close();
    },
  };
}
