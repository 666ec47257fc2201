import { server, type VerbTable, verb } from '../../src/cli/verb.ts';
import { contractVerb, VERBS } from '../../src/cli/verb-table.ts';

const demo = verb('demo', 'Export a simulated chain into data/demo and query it', () =>
  import('./verb/demo.ts').then((m) => [m.demoOptions, m.demoVerb]),
);

const serve = server(
  'serve',
  'Serve the explorer interface from a simulated chain, record files or a lake',
  () => import('./verb/serve.ts').then((m) => [m.serveOptions, m.serveVerb]),
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
