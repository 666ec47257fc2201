import { type Program, server, verb } from '../../src/cli/verb.ts';
import { VERBS } from '../../src/cli/verb-table.ts';

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

/** The program `windrow`: the verbs of the pipeline, those of the service, and its compiler. */
export const PROGRAM = {
  verbs: { ...VERBS, Start: [...VERBS.Start, demo], Ask: [...VERBS.Ask, serve] },
  openCompiler: async (effects) => {
    const { localCompiler } = await import('./verb/local-compiler.ts');
    return localCompiler(effects);
  },
} satisfies Program;
