import { Fault } from '../../fault.ts';
import { wholeNumber } from '../../pipeline/syntax/fields.ts';
import type { PlannedRequest } from '../../plan/plan.ts';
import { type LoadedPipeline, loadPipeline } from '../../run/job/pipeline-file.ts';
import { needLake } from '../../run/lake/lake-there.ts';
import { LAST_HEIGHT } from '../../run/reconcile/reconcile.ts';
import { type Reconciliation, reconcileRun } from '../../run/shell/reconcile-run.ts';
import { shellOptions } from '../job/console-surroundings.ts';
import { stoppingOnSignals } from '../job/stop-signals.ts';
import type { Console } from '../terminal/console.ts';
import { data, list, needed, overrides, textOption, toggle } from '../terminal/options.ts';
import { reconcileLines } from '../terminal/reconcile-text.ts';
import type { VerbOf } from '../terminal/verb-result.ts';
import { runLoaded } from './run.ts';

/** Most blocks that one repair fetches again. */
const MOST_REPAIRS = 20;

export const reconcileOptions = {
  options: {
    pipeline: needed(textOption('A pipeline file with a witness')),
    data,
    addresses: overrides.addresses,
    at: textOption('Last block to compare: a height, or safe for the last complete one', 'safe'),
    address: list('Only this address; repeat the option for several'),
    repair: toggle('Fetch the blocks with differences again, and compare once more'),
    'rows-of-node': toggle('With --repair: add what the lists still lack as rows of the node'),
  },
  examples: {
    '$0 reconcile my.yaml': 'balances of all addresses against the nodes of the pipeline',
    '$0 reconcile my.yaml --at 19000000 --json': 'at one block, as JSON',
  },
};

/** `windrow reconcile`: compares balances, nonces and blocks with the nodes of the pipeline. */
export const reconcileVerb: VerbOf<typeof reconcileOptions> = async (input, output) => {
  await needLake(input.data, output.effects);
  const loaded = await loadPipeline(input.pipeline, input);
  const at = input.at === 'safe' ? undefined : wholeNumber('--at', input.at, 0, LAST_HEIGHT);
  if (input['rows-of-node'] && !input.repair) {
    const advice = 'Add --repair, so that the lists are read again first.';
    throw new Fault('usage', '--rows-of-node needs --repair.', { advice });
  }
  const compare = (addsNodeRows = false) =>
    stoppingOnSignals(output, loaded.pipeline, (stops) => {
      const signal = stops().softStop;
      const options = shellOptions(loaded, input.data, output);
      return reconcileRun({ ...options, at, addresses: input.address, addsNodeRows, signal });
    });
  let { exitCode, ...result } = await compare();
  if (input.repair && exitCode === 4) {
    await fetchAgain(loaded, input.data, blocksOf(result), output);
    ({ exitCode, ...result } = await compare(input['rows-of-node']));
    const { nodeRows } = result;
    if (nodeRows > 0) ({ exitCode, ...result } = { ...(await compare()), nodeRows });
  }
  const document = { data: input.data, ...result, exitCode };
  return { document, lines: reconcileLines(result), exitCode };
};

/** The blocks with differences, in order: those of the chain and of the ledger. */
function blocksOf({ findings }: Pick<Reconciliation, 'findings'>): readonly number[] {
  const differing = findings.filter(({ verdict }) => verdict === 'differs');
  const blocks = differing.flatMap(({ block_number: block, ledger_block: other }) => {
    return other === null ? [block] : [block, other];
  });
  return [...new Set(blocks)].sort((a, b) => a - b).slice(0, MOST_REPAIRS);
}

/** Fetches the lists of single blocks again, which replaces their rows. */
async function fetchAgain(
  loaded: LoadedPipeline,
  data: string,
  blocks: readonly number[],
  output: Console,
): Promise<void> {
  const quiet: Console = { ...output, isJson: false, out: (text) => output.note(text) };
  const wants = ({ list: { entry } }: PlannedRequest) => entry.axis === 'primary';
  for (const block of blocks) {
    const pipeline = {
      ...loaded.pipeline,
      blocks: { from: block, to: block },
      reconcile: { ...loaded.pipeline.reconcile, everyMs: undefined },
    };
    const intent = { isAgain: true, wants };
    await runLoaded({ ...loaded, pipeline }, { data }, quiet, { intent });
  }
}
