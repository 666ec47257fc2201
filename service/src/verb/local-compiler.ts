import type { LocalCompiler } from '../../../src/cli/verbs/contract/local-compiler.ts';
import type { Effects } from '../../../src/effects.ts';
import { installedSolc, solcCompiler } from '../verification/compiler.ts';
import { verificationInput } from '../verification/input.ts';

/** The compiler of the service, for `windrow contract submit`. */
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
