import { wholeNumber } from '../../pipeline/syntax/fields.ts';
import { loadPipeline } from '../../run/job/pipeline-file.ts';
import { needLake } from '../../run/lake/lake-there.ts';
import { LAST_HEIGHT } from '../../run/reconcile/reconcile.ts';
import { reconcileRun } from '../../run/shell/reconcile-run.ts';
import { shellOptions, surroundingsOf } from '../job/console-surroundings.ts';
import { stoppingOnSignals } from '../job/stop-signals.ts';
import type { Console } from '../terminal/console.ts';
import { type Arguments, data, list, needed, overrides, textOption } from '../terminal/options.ts';
import { reconcileLines } from '../terminal/reconcile-text.ts';
import type { VerbResult } from '../terminal/verb-result.ts';

export const reconcileOptions = {
  options: {
    pipeline: needed(textOption('A pipeline file with a witness')),
    data,
    addresses: overrides.addresses,
    at: textOption('Last block to compare: a height, or safe for the last complete one', 'safe'),
    address: list('Only this address; repeat the option for several'),
  },
  examples: {
    '$0 reconcile my.yaml': 'balances of all addresses against the nodes of the pipeline',
    '$0 reconcile my.yaml --at 19000000 --json': 'at one block, as JSON',
  },
};

export type ReconcileArguments = Arguments<typeof reconcileOptions>;

/** `windrow reconcile`: compares balances, nonces and blocks with the nodes of the pipeline. */
export async function reconcileVerb(
  given: ReconcileArguments,
  output: Console,
): Promise<VerbResult> {
  await needLake(given.data, surroundingsOf(output).effects);
  const loaded = await loadPipeline(given.pipeline, given);
  const at = given.at === 'safe' ? undefined : wholeNumber('--at', given.at, 0, LAST_HEIGHT);
  return stoppingOnSignals(output, loaded.pipeline, async (stops) => {
    const { exitCode, ...result } = await reconcileRun({
      ...shellOptions(loaded, given.data, output),
      at,
      addresses: given.address,
      signal: stops().softStop,
    });
    const document = { data: given.data, ...result, exitCode };
    return { document, lines: reconcileLines(result), exitCode };
  });
}
