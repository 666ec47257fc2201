import { Fault } from '../../fault.ts';
import type { PlannedRequest } from '../../plan/plan.ts';
import { loadPipeline } from '../../run/job/pipeline-file.ts';
import type { Intent } from '../../run/run.ts';
import type { Console } from '../terminal/console.ts';
import { type Arguments, limits, pipelineOptions, toggle } from '../terminal/options.ts';
import type { VerbResult } from '../terminal/verb-result.ts';
import { planLoaded } from './plan.ts';
import { runLoaded } from './run.ts';

export const backfillOptions = {
  options: {
    ...pipelineOptions,
    ...limits,
    dryRun: toggle('Print the plan and fetch nothing'),
  },
  examples: {
    '$0 backfill my.yaml --blocks 0:99999': 'blocks below the range of the pipeline',
  },
};

export type BackfillArguments = Arguments<typeof backfillOptions>;

/**
 * `windrow backfill`: prints the price, then fetches the missing blocks of a range outside of the
 * pipeline's own, newest first. Complete blocks are not fetched again.
 */
export async function backfillVerb(given: BackfillArguments, output: Console): Promise<VerbResult> {
  const { blocks, zoneBlocks } = given;
  if (blocks === undefined && zoneBlocks === undefined) {
    throw new Fault('usage', 'backfill needs a range of blocks.', {
      advice: 'Give --blocks A:B or --zone-blocks A:B.',
    });
  }
  const loaded = await loadPipeline(given.pipeline, given);
  const downwards = { ...loaded, pipeline: { ...loaded.pipeline, order: 'newest-first' as const } };
  const intent: Intent = {
    isAgain: false,
    wants: ({ list: { entry } }: PlannedRequest) => {
      const { axis, list } = entry;
      // A snapshot describes the head and has no older part.
      if (list === 'snapshot') return false;
      return { primary: blocks, zone: zoneBlocks }[axis] !== undefined;
    },
  };
  if (given.dryRun) return planLoaded(downwards, given.data, output, { intent });
  const options = { data: given.data, lock: true, verbose: false };
  return runLoaded(downwards, options, output, { intent });
}
