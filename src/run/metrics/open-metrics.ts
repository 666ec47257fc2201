import { resolve } from 'node:path';
import { Fault } from '../../fault.ts';
import { type MetricsSettings, metricsAddress } from '../../pipeline/metrics-settings.ts';
import type { MetricsInput, RunMetrics } from './run-metrics.ts';

/** Destinations of the metrics; those of the pipeline by default. */
export interface MetricsArguments {
  /** A file for Prometheus, written after each run. */
  readonly metricsFile?: string | undefined;
  /** A port, or an address and a port. */
  readonly metricsPort?: string | undefined;
}

/** The metrics that the arguments or the pipeline name; their modules are loaded only then. */
export async function openMetrics(
  options: MetricsInput,
  { metricsFile, metricsPort }: MetricsArguments,
): Promise<RunMetrics | undefined> {
  const { pipeline, resolve: inFolder } = options.loaded;
  const { metrics } = pipeline;
  const inPipeline = metrics.file === undefined ? undefined : inFolder(metrics.file);
  const file = metricsFile === undefined ? inPipeline : resolve(metricsFile);
  const listen = metricsPort === undefined ? metrics.listen : addressIn(metricsPort);
  if (file === undefined && listen === undefined) return undefined;
  const { RunMetrics } = await import('./run-metrics.ts');
  return RunMetrics.open(options, { file, listen });
}

/** The address of --metrics-port. Throws Fault('usage'). */
export function addressIn(text: string): NonNullable<MetricsSettings['listen']> {
  const address = metricsAddress(text);
  if (address !== undefined) return address;
  throw new Fault('usage', `--metrics-port is not a port (${JSON.stringify(text)}).`, {
    advice: 'Give a port, or an address and a port, as in 9464 or 127.0.0.1:9464.',
  });
}
