import { Fault } from '../../fault.ts';
import type { PlannedRequest } from '../../plan/plan.ts';
import { chosenDatasets } from '../../run/job/chosen-datasets.ts';
import { type LoadedPipeline, loadPipeline } from '../../run/job/pipeline-file.ts';
import type { Intent } from '../../run/run-job.ts';
import type { Console } from '../terminal/console.ts';
import { type Arguments, limits, list, pipelineOptions, toggle } from '../terminal/options.ts';
import type { VerbOf, VerbResult } from '../terminal/verb-result.ts';
import { planLoaded } from './plan.ts';
import { runLoaded } from './run.ts';

/** Verbs that fetch blocks which their command lines name, or print the price of that. */

const options = {
  ...pipelineOptions,
  ...limits,
  dryRun: toggle('Print the plan and fetch nothing'),
};

export const backfillOptions = {
  options,
  examples: {
    '$0 backfill my.yaml --blocks 0:99999': 'blocks below the range of the pipeline',
  },
};

export const refetchOptions = {
  options: {
    ...options,
    all: toggle('Fetch everything that the pipeline requests'),
    dataset: list('Only this dataset; repeat the option for several'),
  },
  examples: {
    '$0 refetch my.yaml --blocks 100:200 --dry-run': 'the price',
    '$0 refetch my.yaml --blocks 100:200': 'fetch the blocks again',
  },
};

type BlockArguments = Arguments<typeof backfillOptions>;

/**
 * `windrow backfill`: prints the price, then fetches the missing blocks of a range outside of the
 * pipeline's own, newest first. Complete blocks are not fetched again.
 */
export const backfillVerb: VerbOf<typeof backfillOptions> = async (input, output) => {
  if (!namesBlocks(input)) throw noBlocks('backfill', '');
  const loaded = await loadPipeline(input.pipeline, input);
  const downwards = { ...loaded, pipeline: { ...loaded.pipeline, order: 'newest-first' as const } };
  // A snapshot describes the head and has no older part.
  const wants = (request: PlannedRequest): boolean =>
    request.list.entry.list !== 'snapshot' && isNamed(request, input);
  return runOrPlan(downwards, input, output, { isAgain: false, wants });
};

/**
 * `windrow refetch`: prints the price, then fetches complete blocks again and replaces their rows.
 * A range of one axis leaves the other axis alone.
 */
export const refetchVerb: VerbOf<typeof refetchOptions> = async (input, output) => {
  const { all, dataset } = input;
  if (!all && !namesBlocks(input))
    throw noBlocks('refetch', ', or --all to fetch everything again');
  const loaded = await loadPipeline(input.pipeline, input);
  const chosen = chosenDatasets(loaded, dataset);
  const wants = (request: PlannedRequest): boolean =>
    (all || isNamed(request, input)) && chosen?.has(request.request.dataset) !== false;
  return runOrPlan(loaded, input, output, { isAgain: true, wants });
};

function namesBlocks({ blocks, zoneBlocks }: BlockArguments): boolean {
  return (blocks ?? zoneBlocks) !== undefined;
}

function noBlocks(verb: string, other: string): Fault {
  return new Fault('usage', `${verb} needs a range of blocks.`, {
    advice: `Give --blocks A:B or --zone-blocks A:B${other}.`,
  });
}

/** Whether the command line names blocks of the axis of a request. */
function isNamed({ list: { entry } }: PlannedRequest, { blocks, zoneBlocks }: BlockArguments) {
  return { primary: blocks, zone: zoneBlocks }[entry.axis] !== undefined;
}

function runOrPlan(
  loaded: LoadedPipeline,
  input: BlockArguments,
  output: Console,
  intent: Intent,
): Promise<VerbResult> {
  if (input.dryRun) return planLoaded(loaded, input.data, output, { intent });
  return runLoaded(loaded, input, output, { intent });
}
