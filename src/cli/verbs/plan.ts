import { Fault } from '../../fault.ts';
import { CallFailure, LIMIT_REACHED } from '../../fetch/http/call-failure.ts';
import { intentOf } from '../../run/job/chosen-datasets.ts';
import { type LoadedPipeline, loadPipeline } from '../../run/job/pipeline-file.ts';
import type { Intent } from '../../run/run-job.ts';
import { planDocument } from '../../run/shell/run-document.ts';
import { planRun } from '../../run/shell/work-on-source.ts';
import { shellOptions } from '../job/console-surroundings.ts';
import { type Console, many } from '../terminal/console.ts';
import { only, pipelineOptions, textOption, toggle } from '../terminal/options.ts';
import { listLines, planText } from '../terminal/plan-text.ts';
import { planQuotaText, quotaOfPlan } from '../terminal/quota-text.ts';
import type { VerbOf, VerbResult } from '../terminal/verb-result.ts';

export const planOptions = {
  options: {
    ...pipelineOptions,
    only,
    probe: {
      type: 'boolean',
      describe:
        'Size lists without landed rows by first pages (default on a terminal, without a quota)',
    } as const,
    seed: textOption('Seed of the choice that --probe makes', 'windrow'),
    verbose: toggle('Print each list of a dataset'),
  },
  examples: {
    '$0 plan pipelines/address-activity.yaml': 'the price of a run, without fetching records',
    '$0 plan my.yaml --probe':
      'an estimate of a first run, also in scripts; takes a few hundred requests',
  },
};

/**
 * `windrow plan`: prints the requests of a run and its price. Requests the heads and some block
 * hashes; on a terminal, or with --probe, also first pages.
 */
export const planVerb: VerbOf<typeof planOptions> = async (input, output) => {
  const loaded = await loadPipeline(input.pipeline, input);
  // Requests of a daily quota are not spent unasked.
  const isFree = loaded.pipeline.source.quota === undefined;
  const isProbed = input.probe ?? (isFree && output.isTerminal && !output.isJson);
  const probing = isProbed ? { probeSeed: input.seed } : {};
  const more = { ...probing, ...intentOf(loaded, input.only), isVerbose: input.verbose === true };
  return planLoaded(loaded, input.data, output, more);
};

/** The plan of a loaded pipeline. */
export async function planLoaded(
  loaded: LoadedPipeline,
  root: string,
  output: Console,
  more: {
    readonly intent?: Intent;
    readonly probeSeed?: string;
    readonly isVerbose?: boolean;
  } = {},
): Promise<VerbResult> {
  const { isVerbose, ...selection } = more;
  const onProbe = (lists: number): void =>
    output.note(
      `Sizing ${many(lists, 'list')} without landed rows by first pages: a few hundred ` +
        'requests at most. --no-probe leaves them out.',
    );
  const options = { ...shellOptions(loaded, root, output), ...selection, onProbe };
  const { priced, quota, captures } = await planRun(options).catch(unplanned);
  const { requests, rows } = priced.estimate.total;
  const fit = quota && quotaOfPlan(quota, requests);
  const isUnsized = rows === undefined && more.probeSeed === undefined;
  return {
    document: {
      pipeline: loaded.pipeline.name,
      ...planDocument(priced),
      ...(captures.length === 0
        ? {}
        : { captures: captures.map((name) => ({ name, rows: null, bytes: null })) }),
      quota: fit ?? null,
    },
    lines: [
      ...planText(priced, isVerbose === true ? listLines(priced) : undefined),
      ...captures.map(
        (name) => `Beside the lists: ${name}. Its rows and bytes are not known in advance.`,
      ),
      ...(fit === undefined ? [] : [planQuotaText(fit, rows === undefined)]),
    ],
    hint:
      isUnsized && more.intent === undefined && priced.plan.slices.length > 0
        ? {
            text: 'A probe estimates it, with a few hundred requests.',
            command: `windrow plan ${loaded.words} --probe`,
          }
        : undefined,
    exitCode: 0,
  };
}

/** Throws the fault; a used-up quota or limit as that of a plan, which commits nothing. */
function unplanned(error: unknown): never {
  const { cause } = error instanceof Fault ? error : {};
  if (!(cause instanceof CallFailure) || cause.code !== LIMIT_REACHED) throw error;
  throw new Fault('limited', `Nothing was planned: ${cause.detail}.`, {
    advice:
      'A plan takes some requests, with --probe a few hundred. Plan again when more are left, or ' +
      'raise source.quota.perDay or limits.maxRequests.',
    cause,
  });
}
