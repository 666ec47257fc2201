import { randomBytes } from 'node:crypto';
import { wholeNumber } from '../../pipeline/syntax/fields.ts';
import type { AuditedSlice, AuditResult } from '../../run/audit.ts';
import { loadPipeline } from '../../run/job/pipeline-file.ts';
import type { ExitCode } from '../../run/shell/run-document.ts';
import { auditRun } from '../../run/shell/work-on-source.ts';
import { shellOptions } from '../job/console-surroundings.ts';
import { stoppingOnSignals } from '../job/stop-signals.ts';
import { counted, heights, many } from '../terminal/console.ts';
import { pipelineOptions, textOption, toggle } from '../terminal/options.ts';
import { print, type VerbOf } from '../terminal/verb-result.ts';
import { listText } from '../terminal/verify-text.ts';

export const auditOptions = {
  options: {
    ...pipelineOptions,
    sample: textOption('Number of finished slices to fetch again', '20'),
    seed: textOption('Seed of the choice of slices'),
    repair: toggle('Replace rows that differ with the new answers'),
  },
  examples: {
    '$0 audit my.yaml --sample 50': 'compare 50 finished slices with the service',
    '$0 audit my.yaml --blocks 1M:2M --repair': 'compare some blocks, and repair them',
  },
};

const MAX_SAMPLE = 1_000_000_000;
/** Rows shown of each difference. */
const SHOWN_ROWS = 3;

/** `windrow audit`: fetches finished slices again and reports how they differ from the lake. */
export const auditVerb: VerbOf<typeof auditOptions> = async (input, output) => {
  const sample = wholeNumber('--sample', input.sample, 1, MAX_SAMPLE);
  const seed = input.seed ?? randomBytes(4).toString('hex');
  const loaded = await loadPipeline(input.pipeline, input);
  return stoppingOnSignals(output, loaded.pipeline, async (stops) => {
    const audited = await auditRun({
      ...shellOptions(loaded, input.data, output),
      sample,
      seed,
      isRepair: input.repair,
      stops,
      watch: {
        chosen: ({ slices, total }) =>
          output.note(
            `Fetching ${counted(slices)} of ${many(total, 'slice')} again (--seed ${seed}).`,
          ),
        audited: (slice) => print({ lines: sliceLines(slice) }, output),
      },
    });
    const exitCode = exitCodeOf(audited, input.repair);
    const document = documentOf(audited, seed, input.repair, exitCode);
    return { document, lines: [summary(audited, seed, input.repair)], exitCode };
  });
};

const hasChanged = ({ added, gone }: AuditedSlice): boolean => added.length + gone.length > 0;

/** 130 interrupted, 3 if a slice could not be compared, 4 if differences remain. */
function exitCodeOf({ slices, isStopped }: AuditResult, isRepaired: boolean): ExitCode {
  if (isStopped) return 130;
  if (slices.some(({ reason }) => reason !== '')) return 3;
  return !isRepaired && slices.some(hasChanged) ? 4 : 0;
}

function sliceLines(comparison: AuditedSlice): string[] {
  const { slice, reason, added, gone, rows } = comparison;
  const keys = slice.keys[0] === '' ? '' : `, ${many(slice.keys.length, 'key')}`;
  const where = `${listText(slice.list)}, blocks ${heights(slice.interval)}${keys}`;
  if (reason !== '') return [`${where}: not compared: ${reason}`];
  if (!hasChanged(comparison)) return [];
  return [
    `${where}: ${many(rows, 'row')} in the lake; the service now lists ` +
      `${counted(added.length)} more and no longer lists ${counted(gone.length)}`,
    ...added.slice(0, SHOWN_ROWS).map((row) => `  + ${JSON.stringify(row)}`),
    ...gone.slice(0, SHOWN_ROWS).map((row) => `  - ${JSON.stringify(row)}`),
  ];
}

function summary({ chosen, slices }: AuditResult, seed: string, isRepaired: boolean): string {
  const changed = slices.filter(hasChanged).length;
  if (chosen.slices === 0) return 'There is no finished slice to fetch again.';
  const read = `${counted(chosen.slices)} of ${many(chosen.total, 'slice')} fetched again`;
  if (changed === 0) return `${read}: no differences.`;
  const summary = `${read}: ${counted(changed)} changed`;
  if (isRepaired) return `${summary}; their rows were replaced.`;
  return `${summary}; the same command with --seed ${seed} --repair replaces their rows.`;
}

function documentOf(
  { chosen, slices }: AuditResult,
  seed: string,
  repaired: boolean,
  exitCode: ExitCode,
): Record<string, unknown> {
  return {
    seed,
    chosen: chosen.slices,
    finished: chosen.total,
    repaired,
    exitCode,
    changed: slices
      .filter((slice) => hasChanged(slice) || slice.reason !== '')
      .map(({ slice, rows, added, gone, reason }) => ({
        endpoint: slice.list.endpoint,
        variant: slice.list.variant,
        keys: slice.keys,
        ...slice.interval,
        rows,
        added: added.length,
        gone: gone.length,
        examples: { added: added.slice(0, SHOWN_ROWS), gone: gone.slice(0, SHOWN_ROWS) },
        reason,
      })),
  };
}
