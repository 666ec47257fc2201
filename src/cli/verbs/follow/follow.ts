import { durationText, parseDuration } from '../../../pipeline/syntax/duration.ts';
import { loadPipeline } from '../../../run/job/pipeline-file.ts';
import type { CycleFigures } from '../../../run/shell/follow-log.ts';
import { followRuns } from '../../../run/shell/follow-runs.ts';
import { shellOptions } from '../../job/console-surroundings.ts';
import { stoppingOnSignals } from '../../job/stop-signals.ts';
import { counted, many } from '../../terminal/console.ts';
import { limits, metricsOptions, pipelineOptions, textOption } from '../../terminal/options.ts';
import { captureText } from '../../terminal/report.ts';
import { print, type VerbOf } from '../../terminal/verb-result.ts';

export const followOptions = {
  options: {
    ...pipelineOptions,
    ...metricsOptions,
    ...limits,
    every: textOption('Time from the start of one run to the next', '5s'),
  },
  examples: {
    '$0 follow my.yaml': 'keep the lake up to date until interrupted',
  },
};

/** `windrow follow`: keeps the lake up with the head until a signal arrives. */
export const followVerb: VerbOf<typeof followOptions> = async (input, output) => {
  const everyMs = parseDuration(input.every, '--every');
  const loaded = await loadPipeline(input.pipeline, input);
  let wasPartial = false;
  const exitCode = await stoppingOnSignals(output, loaded.pipeline, (stops) =>
    followRuns({
      ...shellOptions(loaded, input.data, output),
      ...input,
      stops: stops(),
      everyMs,
      listener: {
        named: (run) => output.log?.about(run),
        caughtUp: ({ number, endedMs }, figures, isDue) => {
          const moment = new Date(endedMs).toISOString();
          print({ document: { at: moment, cycle: number, ...figures } }, output);
          const { isPartial, rows } = figures;
          const isNews = isPartial && !wasPartial;
          wasPartial = isPartial;
          if (rows === 0 && !isPartial && !isDue) return;
          output.note(cycleText(figures), isNews ? 'warn' : 'info');
        },
        failed: (fault, delayMs) => {
          const seconds = Math.ceil(delayMs / 1000);
          const reason = fault.paragraph(output);
          output.note(`windrow: The next try is in ${seconds} s. ${reason}`, 'warn');
        },
      },
    }),
  );
  return { exitCode };
};

/** `primary chain final below 30,001 (head 64 above): 12 rows in 2 s.` */
function cycleText({ safe, behind, rows, captured, tookMs, isPartial }: CycleFigures): string {
  const chains = Object.keys(safe).map((axis) => {
    const above = `head ${counted(behind[axis] ?? 0)} above`;
    return `${axis} chain final below ${counted(safe[axis] ?? 0)} (${above})`;
  });
  const listed = chains.length === 0 ? '' : `${chains.join(', ')}: ${many(rows, 'row')} in `;
  const partial = isPartial ? ['Something is incomplete: see status.'] : [];
  const run = `${listed || 'A run of '}${durationText(tookMs)}.`;
  return [run, ...captured.map(captureText), ...partial].join(' ');
}
