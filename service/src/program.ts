import { server, type VerbTable, verb } from '../../src/cli/verb.ts';
import { contractVerb, VERBS } from '../../src/cli/verb-table.ts';

const demo = verb('demo', 'Export a simulated chain into data/demo and query it', async () => {
  const { demoOptions: options, demoVerb: run } = await import('./verb/demo.ts');
  return { options, run };
});

const serve = server(
  'serve',
  'Serve the explorer interface from a simulated chain, record files or a lake',
  async () => {
    const { serveOptions: options, serveVerb: run } = await import('./verb/serve.ts');
    return { options, run };
  },
);

const contract = contractVerb(async (effects) => {
  const { localCompiler } = await import('./verb/local-compiler.ts');
  return localCompiler(effects);
});

/** The program `windrow`: the verbs of the pipeline and those of the service. */
export const PROGRAM = {
  ...VERBS,
  Start: [...VERBS.Start, demo],
  Export: [...VERBS.Export, contract],
  Ask: [...VERBS.Ask, serve],
} satisfies VerbTable;
