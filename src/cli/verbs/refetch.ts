import { Fault } from '../../fault.ts';
import type { PlannedRequest } from '../../plan/plan.ts';
import { chosenDatasets } from '../../run/job/chosen-datasets.ts';
import { loadPipeline } from '../../run/job/pipeline-file.ts';
import type { Intent } from '../../run/run.ts';
import type { Console } from '../terminal/console.ts';
import { type Arguments, limits, list, pipelineOptions, toggle } from '../terminal/options.ts';
import type { VerbResult } from '../terminal/verb-result.ts';
import { planLoaded } from './plan.ts';
import { runLoaded } from './run.ts';

export const refetchOptions = {
  options: {
    ...pipelineOptions,
    ...limits,
    all: toggle('Fetch everything that the pipeline requests'),
    dataset: list('Only this dataset; repeat the option for several'),
    dryRun: toggle('Print the plan and fetch nothing'),
  },
  examples: {
    '$0 refetch my.yaml --blocks 100:200 --dry-run': 'the price',
    '$0 refetch my.yaml --blocks 100:200': 'fetch the blocks again',
  },
};

export type RefetchArguments = Arguments<typeof refetchOptions>;

/**
 * `windrow refetch`: prints the price, then fetches complete blocks again and replaces their rows.
 * A range of one axis leaves the other axis alone.
 */
export async function refetchVerb(given: RefetchArguments, output: Console): Promise<VerbResult> {
  const { blocks, zoneBlocks, all } = given;
  if (!all && blocks === undefined && zoneBlocks === undefined) {
    throw new Fault('usage', 'refetch needs a range of blocks.', {
      advice: 'Give --blocks A:B or --zone-blocks A:B, or --all to fetch everything again.',
    });
  }
  const loaded = await loadPipeline(given.pipeline, given);
  const chosen = chosenDatasets(loaded, given.dataset);
  const intent: Intent = {
    isAgain: true,
    wants: ({ list, request }: PlannedRequest) => {
      const isNamed = { primary: blocks, zone: zoneBlocks }[list.entry.axis] !== undefined;
      return (all || isNamed) && chosen?.has(request.dataset) !== false;
    },
  };
  if (given.dryRun) return planLoaded(loaded, given.data, output, { intent });
  const options = { data: given.data, lock: true, verbose: false };
  return runLoaded(loaded, options, output, { intent });
}
