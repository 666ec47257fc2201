import type { Argv } from 'yargs';
import { parseDuration } from '../../../config/duration.ts';
import { Fault } from '../../../fault.ts';
import { RequestLimits } from '../../../fetch/limits/request-limits.ts';
import { closeReport } from '../../../land/reports/run-reports.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { pipelineDigest } from '../../../pipeline/pipeline.ts';
import { follow } from '../../../run/follow.ts';
import { systemEffects } from '../../../system.ts';
import { credentialsFrom, isRenewable } from '../../job/credentials.ts';
import { type OpenJob, openJob } from '../../job/open-job.ts';
import { loadPipeline, type Overrides } from '../../job/pipeline-file.ts';
import { alertsAfter } from '../../job/recorded-run.ts';
import { type Console, jsonDocument } from '../../terminal/console.ts';
import {
  limits as limitOptions,
  type MetricsArguments,
  metricsOptions,
  withPipeline,
} from '../../terminal/options.ts';
import { type ExitCode, quotaDocument } from '../../terminal/report.ts';
import { windrowVersion } from '../../terminal/version.ts';
import { openTraces } from '../../traces/run-traces.ts';
import { openMetrics, stopOnSignals } from '../run.ts';
import { cycleText, FollowLog } from './follow-log.ts';

/** How often the report is written, and a line is printed where nothing happens. */
const REPORT_EVERY_MS = 60_000;

export function followOptions(args: Argv) {
  return withPipeline(args)
    .options(metricsOptions)
    .options(limitOptions)
    .option('every', {
      type: 'string',
      default: '5s',
      describe: 'Time from the start of one run to the next',
    })
    .example('$0 follow my.yaml', 'keep the lake up to date until interrupted');
}

export interface FollowArguments extends Overrides, MetricsArguments {
  readonly pipeline: string;
  readonly data: string;
  readonly every: string;
}

/** `windrow follow`: keeps the lake up with the head until a signal arrives. */
export async function followVerb(given: FollowArguments, output: Console): Promise<ExitCode> {
  const system = systemEffects('warn', process.env, output.note);
  const traces = await openTraces(process.env, system);
  const effects = traces === undefined ? system : { ...system, traces };
  const everyMs = parseDuration(given.every, '--every');
  const loaded = await loadPipeline(given.pipeline, given);
  const { pipeline, keys, labels, file, resolve } = loaded;
  const credentials = () => credentialsFrom(pipeline.source, file, resolve, process.env);
  const secrets = await credentials();
  const renewCredentials = isRenewable(pipeline.source) ? credentials : undefined;
  for (const note of loaded.notes) output.note(note);
  const metrics = await openMetrics({ loaded, root: given.data, effects }, given);
  const stops = stopOnSignals(output, pipeline);
  const limits = new RequestLimits(pipeline.limits);
  const log = new FollowLog();
  const startedMs = effects.now();
  let opened: OpenJob | undefined;
  let name = '';
  let reportedMs = Number.NEGATIVE_INFINITY;
  let wasPartial = false;
  const report = async (exitCode: number): Promise<void> => {
    if (opened === undefined) return;
    const document = {
      run: name,
      pipeline: pipeline.name,
      pipelineFile: file,
      command: `run ${loaded.words}`,
      pipelineDigest: pipelineDigest(pipeline),
      startedAt: new Date(startedMs).toISOString(),
      endedAt: new Date(effects.now()).toISOString(),
      exitCode,
      planned: { heads: log.heads() },
      actual: log.actual(opened.connection.statistics()),
      pace: opened.connection.pace(),
      follow: log.document(),
      limit: limits.reached ?? null,
      quota: quotaDocument(opened.quota),
    };
    const text = jsonDocument(document);
    await closeReport(opened.lake.layout, localDisk, name, text);
    reportedMs = effects.now();
    await metrics?.written();
    await alertsAfter({ loaded, root: given.data, effects }, text, document.endedAt);
  };
  try {
    limits.start(effects);
    await follow({
      effects,
      everyMs,
      softStop: AbortSignal.any([stops.softStop, limits.ending]),
      open: async () => {
        const job = await openJob(loaded, given.data, secrets, effects, {
          limits,
          renewCredentials,
        });
        opened = job;
        name = name === '' ? job.run : name;
        output.log?.about(name);
        metrics?.began(job.connection);
        return {
          ...job,
          ...stops,
          pipeline,
          keys,
          labels,
          effects,
          disk: localDisk,
          version: windrowVersion(),
          isLocked: true,
          close: () => job.close('learned'),
        };
      },
      watch: {
        caughtUp: async (cycle) => {
          const figures = log.add(cycle);
          metrics?.progressed(log.counts());
          if (output.isJson) {
            const moment = new Date(cycle.endedMs).toISOString();
            output.out(jsonDocument({ at: moment, cycle: cycle.number, ...figures }));
          }
          const isDue = effects.now() - reportedMs >= REPORT_EVERY_MS;
          const { isPartial } = figures;
          const isNews = isPartial && !wasPartial;
          wasPartial = isPartial;
          if (figures.rows > 0 || isPartial || isDue) {
            output.note(cycleText(figures), isNews ? 'warn' : 'info');
          }
          if (isDue) await report(log.exitCode);
        },
        failed: (fault, delayMs) => {
          log.failed();
          const seconds = Math.ceil(delayMs / 1000);
          output.note(`windrow: ${fault.paragraph()} The next try is in ${seconds} s.`, 'warn');
        },
      },
    });
    await report(log.exitCode);
    return log.exitCode;
  } catch (error) {
    if (error instanceof Fault) await report(error.exitCode).catch(() => undefined);
    throw error;
  } finally {
    await traces?.close();
    await metrics?.ended();
    await metrics?.close();
    limits.close();
    stops.forget();
  }
}
