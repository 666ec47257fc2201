import { installedSolc, solcCompiler } from '../../../../service/src/verification/compiler.ts';
import { verificationInput } from '../../../../service/src/verification/input.ts';
import type { Effects } from '../../../effects.ts';
import type { ContractSubmission } from '../../../submit/read-submission.ts';

/** The solc that is installed with windrow, which compiles submissions before they are sent. */
export interface LocalCompiler {
  /**
   * A warning about a source that it refuses; undefined where it compiles, and where solc is not
   * installed or is another version.
   */
  warning(submission: ContractSubmission): Promise<string | undefined>;
  close(): void;
}

export function localCompiler(effects: Pick<Effects, 'sleep'>): LocalCompiler {
  const solcPath = installedSolc();
  const compiler = solcCompiler({ effects, node: process.execPath, solcPath });
  return {
    warning: async ({ body }) => {
      const texts = Object.entries(body).flatMap(([name, value]): [string, string][] =>
        typeof value === 'object' ? [] : [[name, String(value)]],
      );
      const items = Object.entries(body).flatMap(([name, value]) =>
        typeof value === 'object' ? [[name, value] as const] : [],
      );
      try {
        const input = verificationInput({ values: new Map(texts), items: new Map(items) });
        if (input.language !== 'Solidity') return undefined;
        const version = await compiler.version();
        const { compilerVersion: wanted = version } = input;
        if (version === undefined || (wanted !== version && wanted !== version.split('+')[0])) {
          return undefined;
        }
        const compiled = await compiler.compile(input);
        return 'reason' in compiled ? `solc does not compile this: ${compiled.reason}` : undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    close: () => compiler.close(),
  };
}
